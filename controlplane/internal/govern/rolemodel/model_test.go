package rolemodel_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// model is what a naive reader takes for true: whatever happens is noted here, and who should hold what is reckoned one
// by one.
type model struct {
	h      *house
	people []*human
	roles  []*bundle
	given  map[string]*gift // by assignment
	closed map[string]bool  // entitlements that cannot be given any more
}

type human struct {
	id, department string
	gone           bool
}

type bundle struct {
	id, lifecycle string
	groups        []string
	children      []*bundle
	rule          string // a department; empty: none
	excluded      map[string]bool
	members       map[string]bool // who had something by the rule when it was last looked at
}

type gift struct {
	role   *bundle
	person *human
	kind   string
}

func (b *bundle) gives() bool { return b.lifecycle == role.Active || b.lifecycle == role.Deprecated }

// contents are the groups in a role and in what is nested in it.
func (b *bundle) contents() map[string]bool {
	all := map[string]bool{}
	if !b.gives() {
		return all
	}
	for _, g := range b.groups {
		all[g] = true
	}
	for _, c := range b.children {
		maps.Copy(all, c.contents())
	}
	return all
}

func (b *bundle) leadsTo(other *bundle) bool {
	return b == other || slices.ContainsFunc(b.children, func(c *bundle) bool { return c.leadsTo(other) })
}

func (b *bundle) depth() int {
	deepest := 0
	for _, c := range b.children {
		deepest = max(deepest, c.depth())
	}
	return deepest + 1
}

func (m *model) update(b *bundle) {
	m.h.as(func(ctx context.Context, tx *pg.Tx) error {
		now, err := role.Find(ctx, tx, b.id)
		if err != nil {
			return err
		}
		f := now.RoleFields
		f.EntitlementIDs, f.ChildRoleIDs, f.MembershipExclusions, f.MembershipRule, f.Lifecycle = b.groups, nil, nil,
			nil, b.lifecycle
		for _, c := range b.children {
			f.ChildRoleIDs = append(f.ChildRoleIDs, c.id)
		}
		for _, id := range slices.Sorted(maps.Keys(b.excluded)) {
			f.MembershipExclusions = append(f.MembershipExclusions, role.RoleExclusion{IdentityID: id, Reason: "x"})
		}
		if b.rule != "" {
			f.MembershipRule = role.RoleCondition(about("department", "eq", b.rule))
		}
		if err := m.h.models.Roles.Conditions.Prepare(&f); err != nil {
			return err
		}
		_, err = role.Update(ctx, tx, b.id, f)
		return err
	})
}

// reckon says who should hold what, and by what: person, source, role and group.
func (m *model) reckon() map[string]bool {
	should := map[string]bool{}
	for _, b := range m.roles {
		contents, members := m.open(b), map[string]bool{}
		for _, p := range m.people {
			wanted := b.gives() && b.rule != "" && p.department == b.rule && !b.excluded[p.id] && !p.gone
			if !wanted || b.lifecycle == role.Deprecated && !b.members[p.id] {
				continue
			}
			for g := range contents {
				should[fmt.Sprint("role ", p.id, " ", b.id, " ", b.id, " ", g)] = true
				members[p.id] = true
			}
		}
		b.members = members
	}
	for id, g := range m.given {
		if g.person.gone {
			continue
		}
		for e := range m.open(g.role) {
			should[fmt.Sprint(g.kind, " ", g.person.id, " ", id, " ", g.role.id, " ", e)] = true
		}
	}
	return should
}

// open are the contents of a role that can be given.
func (m *model) open(b *bundle) map[string]bool {
	all := b.contents()
	maps.DeleteFunc(all, func(g string, _ bool) bool { return m.closed[g] })
	return all
}

func (m *model) check(t *rapid.T) {
	m.h.settle()
	want, got := m.reckon(), map[string]bool{}
	for id, g := range m.given {
		if g.person.gone {
			delete(m.given, id)
		}
	}
	for _, line := range m.h.Strings(`select concat_ws(' ', kind, identity_id, source_id, role_id, entitlement_id)
		from access_reason where state <> 'ended'`) {
		if got[line] {
			t.Fatalf("twice: %s", line)
		}
		got[line] = true
	}
	for line := range want {
		if !got[line] {
			t.Errorf("missing: %s", line)
		}
	}
	for line := range got {
		if !want[line] {
			t.Errorf("too much: %s", line)
		}
	}
	live := m.h.Strings(`select id::text from role_assignment where state <> 'ended'`)
	if len(live) != len(m.given) {
		t.Errorf("%d assignments live; want %d", len(live), len(m.given))
	}
}

// happen lets something happen.
func (m *model) happen(t *rapid.T) {
	p, b := rapid.SampledFrom(m.people).Draw(t, "person"), rapid.SampledFrom(m.roles).Draw(t, "role")
	switch rapid.SampledFrom([]string{"move", "leave", "contents", "nest", "rule", "exclude", "lifecycle", "assign",
		"unassign", "entitlement"}).
		Draw(t, "what") {
	case "move":
		p.department = rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "department")
		m.h.Exec(`update identity set department = $2 where id = $1`, p.id, p.department)
	case "leave":
		p.gone = !p.gone
		m.h.Exec(
			`update identity set status = case when $2 then 'deactivated' else 'active' end where id = $1`,
			p.id,
			p.gone,
		)
		if p.gone { // whoever leaves and comes back at once has not left
			m.check(t)
		}
	case "contents":
		b.groups = slices.DeleteFunc(
			rapid.SliceOfNDistinct(rapid.SampledFrom(m.h.groups), 0, 3, rapid.ID).Draw(t, "groups"),
			func(g string) bool { return m.closed[g] },
		)
		m.changed(b)
	case "nest":
		b.children = nil
		for _, c := range rapid.SliceOfNDistinct(rapid.SampledFrom(m.roles), 0, 2,
			func(c *bundle) string { return c.id }).Draw(t, "children") {
			if !c.leadsTo(b) && c.lifecycle != role.Retired {
				b.children = append(b.children, c)
			}
		}
		for _, other := range m.roles {
			if other.depth() > 5 {
				b.children = nil
			}
		}
		m.changed(b)
	case "rule":
		b.rule = rapid.SampledFrom([]string{"", "A", "B", "C"}).Draw(t, "rule")
		m.changed(b)
	case "exclude":
		if b.excluded[p.id] = !b.excluded[p.id]; !b.excluded[p.id] {
			delete(b.excluded, p.id)
		}
		m.changed(b)
	case "lifecycle":
		m.lifecycle(t, b)
	case "assign":
		if !p.gone && b.lifecycle == role.Active {
			m.assign(t, b, p)
		}
	case "unassign":
		m.unassign(t)
	case "entitlement":
		g := rapid.SampledFrom(m.h.groups).Draw(t, "group")
		m.closed[g] = !m.closed[g]
		m.h.Exec(
			`update entitlement set lifecycle = case when $2 then 'retired' else 'active' end where id = $1`,
			g,
			m.closed[g],
		)
	}
}

func (m *model) changed(b *bundle) {
	if b.lifecycle != role.Retired {
		m.update(b)
	}
}

func (m *model) lifecycle(t *rapid.T, b *bundle) {
	switch b.lifecycle {
	case role.Active:
		if rapid.IntRange(0, 3).Draw(t, "retire") > 0 {
			m.check(t) // who is a member of a closed role is who had it when it was closed
			b.lifecycle = role.Deprecated
			m.update(b)
			return
		}
		b.lifecycle = role.Retired
		m.h.as(func(ctx context.Context, tx *pg.Tx) error { return role.Retire(ctx, tx, b.id, true) })
		for id, g := range m.given {
			if g.role == b {
				delete(m.given, id)
			}
		}
	case role.Draft, role.Deprecated:
		b.lifecycle = role.Active
		m.update(b)
	}
}

func (m *model) assign(t *rapid.T, b *bundle, p *human) {
	kind := rapid.SampledFrom([]string{"request", "emergency", assignment.ByHand}).Draw(t, "kind")
	for _, g := range m.given {
		if g.role == b && g.person == p && g.kind == assignment.ReasonKind(kind) {
			return
		}
	}
	m.h.as(func(ctx context.Context, tx *pg.Tx) error {
		ids, err := assignment.Assign(ctx, tx, []assignment.Assignment{{RoleID: b.id, IdentityID: p.id, Kind: kind}})
		if err == nil {
			m.given[ids[0]] = &gift{b, p, assignment.ReasonKind(kind)}
		}
		return err
	})
}

func (m *model) unassign(t *rapid.T) {
	if len(m.given) == 0 {
		return
	}
	which := rapid.SampledFrom(slices.Sorted(maps.Keys(m.given))).Draw(t, "assignment")
	delete(m.given, which)
	m.h.as(func(ctx context.Context, tx *pg.Tx) error {
		_, err := assignment.Unassign(ctx, tx, []string{which}, m.h.at, "enough", false)
		return err
	})
}

// TestReasonsAreWhatRolesSay: after any sequence of changes of people, roles, their nesting, rules and assignments, the
// ledger is what a naive reader of the roles reckons.
func TestReasonsAreWhatRolesSay(t *testing.T) {
	h := open(t)
	h.Exec(
		`insert into lifecycle_policy (tenant_id, mover_grace) values (current_tenant(), interval '0')
			on conflict (tenant_id) do update set mover_grace = interval '0'`,
	)
	rapid.Check(t, func(r *rapid.T) {
		h.Exec(`delete from role_child`)
		h.Exec(`update role set lifecycle = 'retired', membership_rule = null, key = id::text`)
		h.Exec(`update identity set status = 'archived'`)
		h.Exec(`update entitlement set lifecycle = 'active'`)
		h.settle()
		m := &model{h: h, given: map[string]*gift{}, closed: map[string]bool{}}
		for i := range 4 {
			p := &human{
				id:         h.Person(strings.ToLower(rapid.StringMatching(`[a-z]{12}`).Draw(r, "name")), ""),
				department: "A",
			}
			h.Exec(`update identity set department = 'A', external_id = id::text where id = $1`, p.id)
			m.people = append(m.people, p)
			b := &bundle{
				lifecycle: rapid.SampledFrom([]string{role.Draft, role.Active, role.Active}).Draw(r, "lifecycle"),
				excluded:  map[string]bool{},
			}
			h.as(func(ctx context.Context, tx *pg.Tx) error {
				made, err := role.Create(
					ctx,
					tx,
					role.New{
						Key:        fmt.Sprint("r", i),
						RoleFields: role.RoleFields{Name: fmt.Sprint("r", i), Lifecycle: b.lifecycle},
					},
				)
				b.id = made.ID
				return err
			})
			m.roles = append(m.roles, b)
		}
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			for range rapid.IntRange(1, 3).Draw(r, "at once") {
				m.happen(r)
			}
			m.check(r)
		}
	})
}
