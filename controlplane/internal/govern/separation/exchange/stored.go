package exchange

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// stored is what a set names, as it is in the tenant.
type stored struct {
	duties     []duty.Duty
	policies   []separationpolicy.Policy
	dutyAt     index
	policyAt   index
	people     map[string][]string // IDs by external ID or ID
	connectors map[string]string   // IDs by business ID or ID
	roles      map[string]string   // IDs by key or ID
	// entitlements are IDs by connector and external ID, and true by ID.
	entitlements map[[2]string]string
	byID         map[string]bool
	controls     map[string]string // IDs of mitigating controls by name in lower case
	rules        map[string]string // IDs of enabled approval rules by name in lower case
}

// index finds objects by key and by name.
type index struct{ key, name map[string]int }

func newIndex() index { return index{map[string]int{}, map[string]int{}} }

func (x index) add(i int, key, name string) {
	if key != "" {
		x.key[key] = i
	}
	x.name[strings.ToLower(name)] = i
}

// find finds the object of a key or, if it has no key of its own, of a name. renamed says that the alias found it.
func (x index) find(key, name, alias string, keyOf func(int) string) (i int, there, renamed bool) {
	if key != "" {
		if i, there = x.key[key]; there {
			return i, true, false
		}
	}
	if i, there = x.name[strings.ToLower(name)]; there {
		return i, key == "" || keyOf(i) == "", false
	}
	if i, there = x.name[strings.ToLower(alias)]; there && alias != "" && keyOf(i) == "" {
		return i, true, true
	}
	return 0, false, false
}

// keyOf is the key in the origin of an object.
func keyOf(origin map[string]any) string {
	key, _ := origin["key"].(string)
	if origin["kind"] != "import" {
		return ""
	}
	return key
}

// read reads what a set names. Duties and policies are locked, so that the plan stays true.
func read(ctx context.Context, tx *pg.Tx, set ruleset.Set) (s *stored, err error) {
	s = &stored{
		dutyAt: newIndex(), policyAt: newIndex(), people: map[string][]string{}, connectors: map[string]string{},
		roles: map[string]string{}, entitlements: map[[2]string]string{}, byID: map[string]bool{},
		controls: map[string]string{}, rules: map[string]string{},
	}
	if s.duties, err = duty.All(ctx, tx, " for update of d"); err != nil {
		return s, err
	}
	for i, d := range s.duties {
		s.dutyAt.add(i, keyOf(d.Origin), d.Name)
	}
	if s.policies, err = separationpolicy.All(ctx, tx, " for update of p"); err != nil {
		return s, err
	}
	for i, p := range s.policies {
		s.policyAt.add(i, keyOf(p.Origin), p.Name)
	}
	return s, s.readNamed(ctx, tx, set)
}

// readNamed reads the people, connectors, roles and entitlements that the set names.
func (s *stored) readNamed(ctx context.Context, tx *pg.Tx, set ruleset.Set) error {
	const (
		people = `
			select n.name, i.id::text
			  from (select distinct name from unnest(@names::text[]) n (name)) n
			  join identity i on i.external_id = n.name or i.id::text = lower(n.name)
			 where i.status <> 'archived'
			 group by n.name, i.id
			 order by n.name, i.id`
		connectors = `select c.business_id, c.id::text from connector c where c.deleted_at is null`
		roles      = `select r.key, r.id::text from role r where r.key = any(@roles) or r.id::text = any(@roles)`
		found      = `
			select c.id::text, e.external_id, e.id::text
			  from (select distinct x.connector, x.external_id
			          from unnest(@connectors::text[], @external::text[]) x (connector, external_id)) x
			  join connector c on c.deleted_at is null
			                  and (c.business_id = x.connector or c.id::text = lower(x.connector))
			  join entitlement e on e.connector_id = c.id and e.external_id = x.external_id`
		controls = `
			select lower(c.name), c.id::text
			  from mitigating_control c
			 where c.deleted_at is null
			   for key share of c`
		rules = `select lower(r.name), r.id::text from approval_rule r where r.enabled for share of r`
		known = `select e.id::text from entitlement e where e.id = any(@ids::text[]::uuid[])`
	)
	names, args := []string{}, pgx.NamedArgs{}
	var keys, systems, external, ids = []string{}, []string{}, []string{}, []string{}
	for _, p := range set.Policies {
		names = append(names, p.Owners...)
	}
	for _, d := range set.Duties {
		names = append(names, d.Owners...)
		for _, g := range d.Groups {
			for _, m := range g {
				switch {
				case m.Role != "":
					keys = append(keys, m.Role, strings.ToLower(m.Role))
				case m.Connector == "" && listing.IsID(m.ExternalID):
					ids = append(ids, m.ExternalID)
				case m.ExternalID != "":
					systems, external = append(systems, m.Connector), append(external, m.ExternalID)
				}
			}
		}
	}
	args["names"], args["roles"], args["ids"] = names, keys, ids
	args["connectors"], args["external"] = systems, external
	var a, b, c string
	for _, q := range []struct {
		what, sql string
		into      []any
		do        func()
	}{
		{"find people of rule set", people, []any{&a, &b}, func() { s.people[a] = append(s.people[a], b) }},
		{"find connectors of rule set", connectors, []any{&a, &b}, func() { s.connectors[a], s.connectors[b] = b, b }},
		{"find roles of rule set", roles, []any{&a, &b}, func() { s.roles[a], s.roles[b] = b, b }},
		{"find entitlements of rule set", found, []any{&a, &b, &c}, func() { s.entitlements[[2]string{a, b}] = c }},
		{"lock approval rules", rules, []any{&a, &b}, func() { s.rules[a] = b }},
		{"lock mitigating controls", controls, []any{&a, &b}, func() { s.controls[a] = b }},
		{"find entitlements of rule set by ID", known, []any{&a}, func() { s.byID[a] = true }},
	} {
		if err := pg.Each(ctx, tx, q.what, q.into, func() error { q.do(); return nil }, q.sql, args); err != nil {
			return err
		}
	}
	return nil
}

// connector is the ID of a connector, by its ID or business ID.
func (s *stored) connector(name string) (string, bool) {
	if id, there := s.connectors[name]; there {
		return id, true
	}
	id, there := s.connectors[strings.ToLower(name)]
	return id, there && listing.IsID(name)
}
