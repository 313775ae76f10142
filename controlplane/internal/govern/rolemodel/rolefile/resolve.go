package rolefile

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// here is what a file names, as it is in this tenant.
type here struct {
	roles        map[string]role.Role       // by key
	people       map[string][]string        // ids, by id and external id
	entitlements map[fileEntitlement]string // ids
	systems      map[string]bool            // business ids of connectors
}

// resolve finds what a file names, and what its roles become. It locks those that are there already.
func (s *Service) resolve(ctx context.Context, tx *pg.Tx, f file) (roles []*incoming, existing []string, err error) {
	h, err := readNamed(ctx, tx, f)
	if err != nil {
		return nil, nil, err
	}
	var bad problems
	named := map[string]bool{}
	for _, r := range f.Roles {
		named[r.Key] = true
	}
	for _, r := range f.ordered(&bad) {
		i := &incoming{
			fileRole: r,
			after:    h.fields(r, named, &bad),
			planID:   uuid.NewSHA1(uuid.Nil, []byte(r.Key)).String(),
		}
		if err := s.Roles.Conditions.Prepare(&i.after); err != nil {
			addFaults(&bad, r, err)
		}
		if before, there := h.roles[r.Key]; there {
			i.before = &before
			existing = append(existing, before.ID)
			switch {
			case before.Lifecycle == role.Retired:
				bad.add(r.line, "role_retired", "the role %s is retired, and its key cannot be used again", r.Key)
			case before.Lifecycle == role.Proposed:
				bad.add(
					r.line,
					"role_proposed",
					"the role %s waits for a decision about it as it is: withdraw the proposal first",
					r.Key,
				)
			case before.ManagedBy == role.ByPack:
				bad.add(
					r.line,
					"managed_by_pack",
					"the role %s belongs to a sector pack, which defines its contents: choose another key",
					r.Key,
				)
			case i.after.Lifecycle == role.Draft && before.Lifecycle != role.Draft:
				bad.add(
					r.line,
					"invalid_transition",
					"the role %s is %s, and cannot be a draft again",
					r.Key,
					before.Lifecycle,
				)
			case i.after.Lifecycle == role.Deprecated && before.Lifecycle == role.Draft:
				bad.add(r.line, "invalid_transition", "the role %s is a draft, and cannot be deprecated", r.Key)
			}
		}
		roles = append(roles, i)
	}
	return roles, existing, bad.fault()
}

// addFaults adds the problems of a role's fields, at the role's line.
func addFaults(bad *problems, r fileRole, err error) {
	f := (*fault.Fault)(nil)
	if !errors.As(err, &f) || len(f.Fields) == 0 {
		bad.add(r.line, "invalid", "%s: %v", r.Key, err)
		return
	}
	for _, w := range f.Fields {
		bad.add(r.line, w.Code, "%s: %s: %s", r.Key, strings.TrimPrefix(w.Pointer, "#/"), w.Detail)
	}
}

// readNamed finds everything that the file names: roles by key, people, and entitlements of connectors.
func readNamed(ctx context.Context, tx *pg.Tx, f file) (h here, err error) {
	var keys, people, systems, external []string
	for _, r := range f.Roles {
		keys = append(append(keys, r.Key), r.ChildRoles...)
		people = append(append(people, r.Owners...), r.BackupOwners...)
		for _, x := range r.MembershipExclusions {
			people = append(people, x.Identity)
		}
		for _, e := range r.Entitlements {
			systems, external = append(systems, e.Connector), append(external, e.ExternalID)
		}
	}
	h = here{people: map[string][]string{}, entitlements: map[fileEntitlement]string{}, systems: map[string]bool{}}
	if h.roles, err = role.ByKey(ctx, tx, keys); err != nil {
		return h, err
	}
	if err := h.findPeople(ctx, tx, people); err != nil {
		return h, err
	}
	return h, h.findEntitlements(ctx, tx, systems, external)
}

// findPeople finds people by external ID or ID. A name may be that of several people.
func (h here) findPeople(ctx context.Context, tx *pg.Tx, names []string) error {
	const sql = `
		select n.name, i.id::text
		  from unnest(@names::text[]) n (name)
		  join identity i on i.external_id = n.name or i.id::text = lower(n.name)
		 where i.status <> 'archived'
		 group by n.name, i.id
		 order by n.name, i.id`
	var name, id string
	return pg.Each(
		ctx,
		tx,
		"find people of a file",
		[]any{&name, &id},
		func() error { h.people[name] = append(h.people[name], id); return nil },
		sql,
		pgx.NamedArgs{"names": names},
	)
}

// findEntitlements finds entitlements, and notes which connectors exist, so that a wrong connector
// and a wrong entitlement are distinguished.
func (h here) findEntitlements(ctx context.Context, tx *pg.Tx, systems, external []string) error {
	const sql = `
		select n.system, n.external_id, coalesce(e.id::text, '')
		  from unnest(@systems::text[], @external::text[]) n (system, external_id)
		  join connector c on c.business_id = n.system and c.deleted_at is null
		  left join entitlement e on e.connector_id = c.id and e.external_id = n.external_id`
	var system, name, id string
	return pg.Each(ctx, tx, "find entitlements of a file", []any{&system, &name, &id}, func() error {
		h.systems[system] = true
		if id != "" {
			h.entitlements[fileEntitlement{system, name}] = id
		}
		return nil
	}, sql, pgx.NamedArgs{"systems": systems, "external": external})
}

// fields are what a role of a file says, with the ids of this tenant. Roles that the file itself makes are nested when
// they are made.
func (h here) fields(r fileRole, inFile map[string]bool, bad *problems) role.RoleFields {
	f := role.RoleFields{
		Name:            r.Name,
		Description:     r.Description,
		RoleType:        r.RoleType,
		Lifecycle:       r.Lifecycle,
		MembershipRule:  r.MembershipRule,
		Requestable:     r.Requestable,
		VisibleTo:       r.VisibleTo,
		MaxDuration:     r.MaxDuration,
		DefaultDuration: r.DefaultDuration,
		ApprovalRuleID:  r.ApprovalRuleID,
		RiskLevel:       r.RiskLevel,
		ComplianceTags:  r.ComplianceTags,
		DutyTags:        r.DutyTags,
		Labels:          r.Labels,
	}
	f.OwnerIDs, f.BackupOwnerIDs = h.ids(r, "owner", r.Owners, bad), h.ids(r, "backup owner", r.BackupOwners, bad)
	for _, e := range r.Entitlements {
		switch id, there := h.entitlements[e]; {
		case there:
			f.EntitlementIDs = append(f.EntitlementIDs, id)
		case !h.systems[e.Connector]:
			bad.add(
				r.line,
				"unknown_connector",
				"%s: there is no connector with the business id %q",
				r.Key,
				e.Connector,
			)
		default:
			bad.add(
				r.line,
				"unknown_entitlement",
				"%s: the connector %s has no entitlement %q",
				r.Key,
				e.Connector,
				e.ExternalID,
			)
		}
	}
	for _, key := range r.ChildRoles {
		switch child, there := h.roles[key]; {
		case there:
			f.ChildRoleIDs = append(f.ChildRoleIDs, child.ID)
		case !inFile[key]:
			bad.add(
				r.line,
				"unknown_role",
				"%s: there is no role with the key %q, nor does the file make one",
				r.Key,
				key,
			)
		}
	}
	for _, x := range r.MembershipExclusions {
		for _, id := range h.ids(r, "excluded person", []string{x.Identity}, bad) {
			f.MembershipExclusions = append(
				f.MembershipExclusions,
				role.RoleExclusion{IdentityID: id, Reason: x.Reason, Until: x.Until},
			)
		}
	}
	for _, p := range r.Parameters {
		f.Parameters = append(f.Parameters, role.RoleParameter(p))
	}
	if err := f.Complete(); err != nil {
		addFaults(bad, r, err)
	}
	return f
}

// ids are the people behind names. Unknown and ambiguous names are added to bad.
func (h here) ids(r fileRole, what string, names []string, bad *problems) (ids []string) {
	for _, name := range names {
		switch found := h.people[name]; len(found) {
		case 0:
			bad.add(
				r.line,
				"unknown_identity",
				"%s: the %s %q is not the id or external id of an identity",
				r.Key,
				what,
				name,
			)
		case 1:
			ids = append(ids, found[0])
		default:
			bad.add(
				r.line,
				"ambiguous_identity",
				"%s: the external id %q of the %s is that of %d people: name one by the id",
				r.Key,
				name,
				what,
				len(found),
			)
		}
	}
	return ids
}
