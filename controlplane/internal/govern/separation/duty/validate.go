package duty

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Check completes the fields, and compares what they name with what is stored. What before named may stay although it
// is gone, so that a duty can always be edited. A fault is of kind Invalid or, if another duty has the name, Conflict.
func (f *Fields) Check(ctx context.Context, tx *pg.Tx, before Duty) error {
	if err := f.Complete(); err != nil {
		return err
	}
	if err := reference.CheckExist(ctx, tx, "owner_ids", f.OwnerIDs...); err != nil {
		return err
	}
	if err := f.checkMembers(ctx, tx, before.Fields); err != nil {
		return err
	}
	return f.checkName(ctx, tx, before.ID)
}

// problems collect what is wrong with a duty.
type problems []fault.Field

func (p *problems) add(pointer, code, format string, args ...any) {
	*p = append(*p, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
}

// fault is nil if nothing is wrong.
func (p problems) fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The duty is invalid: %s", p[0].Detail).With(p...)
}

// Complete puts the fields into their normal form, without what only the response has, and checks all that needs no
// database.
func (f *Fields) Complete() error {
	var wrong problems
	if strings.TrimSpace(f.Name) == "" {
		wrong.add("#/name", "required", "The duty has no name.")
	}
	f.OwnerIDs = distinctIDs(f.OwnerIDs)
	f.AllOf = slices.Clone(f.AllOf)
	if len(f.AllOf) == 0 || len(f.AllOf) > mostGroups {
		wrong.add(
			"#/all_of",
			"invalid",
			"A duty has 1 to %d groups of members, and this one has %d. Add or remove groups.",
			mostGroups,
			len(f.AllOf),
		)
	}
	members := 0
	for g := range f.AllOf {
		f.AllOf[g].complete(fmt.Sprintf("#/all_of/%d/members", g), &wrong)
		members += len(f.AllOf[g].Members)
	}
	if members > mostMembers {
		wrong.add("#/all_of", "too_many", "A duty has at most %d members, and this one has %d. Use a duty tag, a "+
			"role, or several duties on the side of the policy.", mostMembers, members)
	}
	return wrong.fault()
}

// complete puts the members of a group into their normal form.
func (g *Group) complete(pointer string, wrong *problems) {
	if len(g.Members) == 0 {
		wrong.add(pointer, "required", "The group has no members. Add at least one, or remove the group.")
	}
	g.Members = slices.Clone(g.Members)
	first := map[Member]int{}
	for i := range g.Members {
		m := &g.Members[i]
		m.complete(fmt.Sprintf("%s/%d", pointer, i), wrong)
		if at, twice := first[*m]; twice {
			wrong.add(fmt.Sprintf("%s/%d", pointer, i), "member_repeated",
				"The member is already in the group, at position %d. Remove one of the two.", at)
			continue
		}
		first[*m] = i
	}
}

// complete puts a member into its normal form: what its kind needs, and nothing else.
func (m *Member) complete(pointer string, wrong *problems) {
	m.Name, m.ConnectorName, m.Entitlements = "", "", nil
	needs, known := map[string][]string{
		Entitlement: {"entitlement_id"},
		Role:        {"role_id"},
		Tag:         {"duty_tag"},
		Connector:   {"connector_id"},
		External:    {"connector_id", "external_id"},
	}[m.Kind]
	if !known {
		wrong.add(pointer+"/kind", "invalid", "The kind is %q. Use entitlement, role, duty_tag, connector or external.",
			m.Kind)
		return
	}
	for _, id := range []*string{&m.EntitlementID, &m.RoleID, &m.ConnectorID} {
		*id = strings.ToLower(*id)
	}
	m.DutyTag = strings.TrimSpace(m.DutyTag)
	for _, of := range []struct{ name, value string }{
		{"entitlement_id", m.EntitlementID}, {"role_id", m.RoleID}, {"duty_tag", m.DutyTag},
		{"connector_id", m.ConnectorID}, {"external_id", m.ExternalID},
	} {
		switch needed := slices.Contains(needs, of.name); {
		case needed && of.value == "":
			wrong.add(pointer+"/"+of.name, "required", "A member of the kind %s needs %s. Add it.", m.Kind, of.name)
		case !needed && of.value != "":
			wrong.add(pointer+"/"+of.name, "invalid", "A member of the kind %s has no %s. Remove it.", m.Kind, of.name)
		}
	}
}

// distinctIDs sorts IDs, each once and in lower case. It is never nil, which JSON would write as null.
func distinctIDs(ids []string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strings.ToLower(id)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// checkMembers is a fault of kind Invalid if a member names something that does not exist and before did not name.
func (f *Fields) checkMembers(ctx context.Context, tx *pg.Tx, before Fields) error {
	const sql = `
		select 'entitlement', e.id::text
		  from entitlement e
		 where e.id = any(@entitlement::text[]::uuid[])
		 union all
		select 'role', r.id::text
		  from role r
		 where r.id = any(@role::text[]::uuid[])
		 union all
		select 'connector', c.id::text
		  from connector c
		 where c.id = any(@connector::text[]::uuid[])
		   and c.deleted_at is null`
	known := map[string]bool{}
	for _, g := range before.AllOf {
		for _, m := range g.Members {
			known[m.names()] = true
		}
	}
	named := map[string][]string{"entitlement": {}, "role": {}, "connector": {}}
	for _, g := range f.AllOf {
		for _, m := range g.Members {
			if kind, id := m.thing(); listing.IsID(id) {
				named[kind] = append(named[kind], id)
			}
		}
	}
	var kind, id string
	args := pgx.NamedArgs{"entitlement": named["entitlement"], "role": named["role"], "connector": named["connector"]}
	if err := pg.Each(ctx, tx, "check members of duty", []any{&kind, &id},
		func() error { known[kind+" "+id] = true; return nil }, sql, args); err != nil {
		return err
	}
	var wrong problems
	for g, group := range f.AllOf {
		for i, m := range group.Members {
			if kind, id := m.thing(); kind != "" && !known[kind+" "+id] {
				wrong.add(
					fmt.Sprintf("#/all_of/%d/members/%d/%s_id", g, i, kind),
					"unknown_"+kind,
					"%s",
					missing(kind, id),
				)
			}
		}
	}
	return wrong.fault()
}

// missing says that something was not found, and what to do.
func missing(kind, id string) string {
	switch kind {
	case "entitlement":
		return fmt.Sprintf("Entitlement %s was not found. If no sync run has read it yet, use the kind external.", id)
	case "role":
		return fmt.Sprintf("Role %s was not found.", id)
	}
	return fmt.Sprintf("Connector %s was not found.", id)
}

// thing is what the member names by its ID: an entitlement, a role, a connector, or nothing.
func (m Member) thing() (kind, id string) {
	switch m.Kind {
	case Entitlement:
		return "entitlement", m.EntitlementID
	case Role:
		return "role", m.RoleID
	case Connector, External:
		return "connector", m.ConnectorID
	}
	return "", ""
}

// names is thing as one text.
func (m Member) names() string {
	kind, id := m.thing()
	return kind + " " + id
}

// checkName is a fault if another duty has the name, in whatever case.
func (f *Fields) checkName(ctx context.Context, tx *pg.Tx, id string) error {
	taken, err := pg.NameTaken(ctx, tx, "duty", f.Name, id)
	if err == nil && taken {
		err = f.nameTaken()
	}
	return err
}

func (f *Fields) nameTaken() error {
	return fault.Coded(fault.Conflict, "duplicate_name", "A duty with the name %q exists.", f.Name).
		With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "Choose another name."})
}

// written is the error of writing the fields. Another call may have taken the name since it was checked.
func (f *Fields) written(err error) error {
	if pg.Violates(err, "duty_name_unique") {
		return f.nameTaken()
	}
	return err
}
