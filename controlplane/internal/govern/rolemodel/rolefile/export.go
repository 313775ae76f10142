package rolefile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// file is roles as a file holds them. It names nothing by the ids of this installation where there is another name.
type file struct {
	// Version is the version of the format.
	Version int        `yaml:"version"`
	Roles   []fileRole `yaml:"roles"`
}

// fileRole is a role in a file. line is where it begins, for messages.
type fileRole struct {
	Key                  string             `yaml:"key"`
	Name                 string             `yaml:"name"`
	Description          string             `yaml:"description,omitempty"`
	RoleType             string             `yaml:"role_type,omitempty"`
	Lifecycle            string             `yaml:"lifecycle,omitempty"`
	Owners               []string           `yaml:"owners,omitempty"`
	BackupOwners         []string           `yaml:"backup_owners,omitempty"`
	Entitlements         []fileEntitlement  `yaml:"entitlements,omitempty"`
	ChildRoles           []string           `yaml:"child_roles,omitempty"`
	MembershipRule       role.RoleCondition `yaml:"membership_rule,omitempty"`
	MembershipExclusions []fileExclusion    `yaml:"membership_exclusions,omitempty"`
	Requestable          bool               `yaml:"requestable,omitempty"`
	VisibleTo            role.RoleCondition `yaml:"visible_to,omitempty"`
	Parameters           []fileParameter    `yaml:"parameters,omitempty"`
	MaxDuration          *string            `yaml:"max_duration,omitempty"`
	DefaultDuration      *string            `yaml:"default_duration,omitempty"`
	ApprovalRuleID       *string            `yaml:"approval_rule_id,omitempty"`
	RiskLevel            *string            `yaml:"risk_level,omitempty"`
	ComplianceTags       []string           `yaml:"compliance_tags,omitempty"`
	DutyTags             []string           `yaml:"duty_tags,omitempty"`
	Labels               map[string]string  `yaml:"labels,omitempty"`

	line int
}

// fileEntitlement names an entitlement by its connector's business ID and its key there.
type fileEntitlement struct {
	Connector  string `yaml:"connector"`
	ExternalID string `yaml:"external_id"`
}

// fileExclusion is a person excluded from the membership rule.
type fileExclusion struct {
	Identity string  `yaml:"identity"`
	Reason   string  `yaml:"reason"`
	Until    *string `yaml:"until,omitempty"`
}

// fileParameter is a parameter of the role.
type fileParameter struct {
	Name          string   `yaml:"name"`
	Type          string   `yaml:"type"`
	Required      bool     `yaml:"required,omitempty"`
	AllowedValues []string `yaml:"allowed_values,omitempty"`
}

// names are what a file calls what roles name by id.
type names struct {
	roles        map[string]string
	people       map[string]string
	entitlements map[string]fileEntitlement
}

// Export writes all roles that are not retired, in the order of their keys. The same roles make the same text.
func (s *Service) Export(ctx context.Context, v viewer.Viewer) (text []byte, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		roles, err := role.All(ctx, tx)
		if err != nil {
			return err
		}
		n, err := readNames(ctx, tx, roles)
		if err != nil {
			return err
		}
		f := file{Version: 1, Roles: []fileRole{}}
		for _, r := range roles {
			f.Roles = append(f.Roles, n.file(r))
		}
		var b bytes.Buffer
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(f); err != nil {
			return fmt.Errorf("write roles: %w", err)
		}
		text = b.Bytes()
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "role.exported", Subject: audit.Subject{Type: "tenant", ID: v.Tenant},
				Context: map[string]any{"roles": len(roles)}},
		)
	})
	return text, err
}

// readNames reads the names that the file uses for IDs. People are named by external ID, or by ID
// where two people share one.
func readNames(ctx context.Context, tx *pg.Tx, roles []role.Role) (n names, err error) {
	const (
		people = `
			select i.id::text,
			       case when exists (select from identity o where o.external_id = i.external_id and o.id <> i.id
			           and o.status <> 'archived')
			            then i.id::text else i.external_id end
			  from identity i
			 where i.id = any(@ids::text[]::uuid[])`
		entitlements = `
			select e.id::text, c.business_id, e.external_id
			  from entitlement e
			  join connector c on c.id = e.connector_id
			 where e.id = any(@ids::text[]::uuid[])`
	)
	n = names{map[string]string{}, map[string]string{}, map[string]fileEntitlement{}}
	var who, what []string
	for _, r := range roles {
		n.roles[r.ID] = r.Key
		who = append(append(who, r.OwnerIDs...), r.BackupOwnerIDs...)
		for _, x := range r.MembershipExclusions {
			who = append(who, x.IdentityID)
		}
		what = append(what, r.EntitlementIDs...)
	}
	var id, name, system string
	if err := pg.Each(
		ctx,
		tx,
		"name people of roles",
		[]any{&id, &name},
		func() error { n.people[id] = name; return nil },
		people,
		pgx.NamedArgs{"ids": who},
	); err != nil {
		return n, err
	}
	err = pg.Each(ctx, tx, "name entitlements of roles", []any{&id, &system, &name}, func() error {
		n.entitlements[id] = fileEntitlement{system, name}
		return nil
	}, entitlements, pgx.NamedArgs{"ids": what})
	return n, err
}

// file is a role as a file says it.
func (n names) file(r role.Role) fileRole {
	f := fileRole{
		Key:             r.Key,
		Name:            r.Name,
		Description:     r.Description,
		RoleType:        r.RoleType,
		Lifecycle:       r.Lifecycle,
		Owners:          n.peopleOf(r.OwnerIDs),
		BackupOwners:    n.peopleOf(r.BackupOwnerIDs),
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
	if f.Lifecycle == role.Proposed {
		f.Lifecycle = role.Draft // a file proposes nothing
	}
	for _, id := range r.EntitlementIDs {
		if e, known := n.entitlements[id]; known {
			f.Entitlements = append(f.Entitlements, e)
		}
	}
	for _, id := range r.ChildRoleIDs {
		if key, known := n.roles[id]; known {
			f.ChildRoles = append(f.ChildRoles, key)
		}
	}
	for _, x := range r.MembershipExclusions {
		f.MembershipExclusions = append(
			f.MembershipExclusions,
			fileExclusion{n.people[x.IdentityID], x.Reason, x.Until},
		)
	}
	for _, p := range r.Parameters {
		f.Parameters = append(f.Parameters, fileParameter(p))
	}
	f.sort()
	return f
}

// peopleOf are the names of people, in the order of their IDs.
func (n names) peopleOf(ids []string) (of []string) {
	for _, id := range ids {
		of = append(of, n.people[id])
	}
	return of
}

// sort puts what has no order of its own into one.
func (f *fileRole) sort() {
	slices.Sort(f.Owners)
	slices.Sort(f.BackupOwners)
	slices.Sort(f.ChildRoles)
	slices.SortFunc(f.Entitlements, func(a, b fileEntitlement) int {
		return cmp.Or(cmp.Compare(a.Connector, b.Connector), cmp.Compare(a.ExternalID, b.ExternalID))
	})
	slices.SortFunc(f.MembershipExclusions, func(a, b fileExclusion) int { return cmp.Compare(a.Identity, b.Identity) })
}
