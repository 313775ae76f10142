package evaluation

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// Person is a person as rules see them.
type Person struct {
	fact.Person
	ID, status string
	start      time.Time // the start date; zero: none
	warned     []*Rule   // that could not be answered in full
	// assigned are the person's role assignments.
	assigned []assignment.Assignment
	holdings requirement.Holdings // of what policies with the effect require name
	record   *pyexpr.Record
	hit      map[*Rule][]int // the rows that match, of the decision tables that were looked at
}

// Record is what expressions read, made once for all of them.
func (p *Person) Record() *pyexpr.Record {
	if p.record == nil {
		p.record = pyexpr.NewRecord(p.Identity)
	}
	return p.record
}

// Gone reports whether the person has left, and can hold nothing any more.
func (p *Person) Gone() bool {
	return p.status == rules.Deactivated || p.status == rules.Archived
}

// Text is a field of the identity as text; empty if it is none.
func (p *Person) Text(name string) string {
	s, _ := p.Identity[name].(string)
	return s
}

// EachPerson calls fn for each of the people, with everything that the rules ask for. fn may not use the transaction.
func (b *Rulebook) EachPerson(ctx context.Context, tx *pg.Tx, ids []string, fn func(p *Person) error) error {
	above, err := fact.ManagersAbove(ctx, tx, ids, b.Needs.Managers)
	if err != nil {
		return err
	}
	roles, entitlements, err := b.held(ctx, tx, ids)
	if err != nil {
		return err
	}
	assigned, err := b.assigned(ctx, tx, ids)
	if err != nil {
		return err
	}
	holdings, err := b.requirements.Holdings(ctx, tx, ids)
	if err != nil {
		return err
	}
	today := b.today()
	return identity.EachFacts(ctx, tx, ids, func(id string, f identity.Facts) error {
		p := &Person{
			ID:       id,
			assigned: assigned[id],
			holdings: holdings[id],
			Person: fact.Person{
				Identity:     f,
				Managers:     above[id],
				Roles:        roles[id],
				Entitlements: entitlements[id],
				Day:          today,
			},
		}
		if m, ok := f["manager"].(map[string]any); ok {
			// What else is known of a manager may change without anybody looking at those beneath.
			f["manager"] = map[string]any{"id": m["id"], "external_id": m["external_id"]}
		}
		p.status = p.Text("status")
		if s := p.Text("start_date"); s != "" {
			start, err := time.Parse(time.DateOnly, s)
			if err != nil {
				return fmt.Errorf("start date of %s: %w", id, err)
			}
			p.start = start
		}
		return fn(p)
	})
}

// set is a set of names, by ID.
type set = map[string]map[string]bool

// put adds names to the set of an ID; nil is none.
func put(s set, id string, names ...*string) {
	if s[id] == nil {
		s[id] = map[string]bool{}
	}
	for _, n := range names {
		if n != nil {
			s[id][*n] = true
		}
	}
}

// held finds which of the roles and entitlements that conditions name the people hold otherwise than by a policy or the
// rule of a role: what a rule gives feeds no rule, or rules could give and take in turn for ever. Who was assigned a
// role has it, though it hold nothing.
func (b *Rulebook) held(ctx context.Context, tx *pg.Tx, ids []string) (roles, entitlements set, err error) {
	roles, entitlements = set{}, set{}
	if len(b.Needs.Roles)+len(b.Needs.Entitlements) == 0 {
		return roles, entitlements, nil
	}
	const sql = `
		select x.identity_id::text, r.id::text, r.key, x.entitlement_id::text
		  from access_reason x
		  left join role r on r.id = x.role_id
		 where x.identity_id = any(@ids::text[]::uuid[])
		   and x.state = 'active'
		   and x.effect = 'allow'
		   and x.source_type not in ('policy', 'role')
		   and (r.id::text = any(@roles) or r.key = any(@roles) or x.entitlement_id::text = any(@entitlements))
		 union
		select a.identity_id::text, r.id::text, r.key, null
		  from role_assignment a
		  join role r on r.id = a.role_id
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and a.state = 'active'
		   and (r.id::text = any(@roles) or r.key = any(@roles))`
	var id string
	var role, key, entitlement *string
	if err := pg.Each(ctx, tx, "find what people hold", []any{&id, &role, &key, &entitlement}, func() error {
		put(roles, id, role, key)
		put(entitlements, id, entitlement)
		return nil
	}, sql, pgx.NamedArgs{"ids": ids, "roles": b.Needs.Roles, "entitlements": b.Needs.Entitlements}); err != nil {
		return nil, nil, err
	}
	return roles, entitlements, nil
}

// PeopleAfter reads the ids of the next n people who are not archived, in their order. after is the last id of before;
// nil: from the first.
func PeopleAfter(ctx context.Context, tx *pg.Tx, after *string, n int) ([]string, error) {
	const sql = `
		select i.id::text
		  from identity i
		 where ($1::text is null or i.id > $1::text::uuid)
		   and i.status <> 'archived'
		 order by i.id
		 limit $2`
	return pg.All[string](ctx, tx, "list people", sql, after, n)
}

// EachBatch gives the ids of everybody who is not archived, a batch at a time and in their order.
func EachBatch(ctx context.Context, tx *pg.Tx, use func(ids []string) error) error {
	var after *string
	for {
		ids, err := PeopleAfter(ctx, tx, after, Batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := use(ids); err != nil {
			return err
		}
		after = &ids[len(ids)-1]
	}
}

// Batch is how many people are evaluated in one transaction. Tests set fewer.
var Batch = 2000
