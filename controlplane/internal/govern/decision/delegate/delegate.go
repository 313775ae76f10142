package delegate

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// MaxChain is how many delegations may follow one another.
const MaxChain = 3

// InForce is a delegation that holds at an instant.
type InForce struct {
	ID          string
	Delegator   string
	Delegate    string
	Name        string // of the delegate
	Scope       Scope
	IncludeOpen bool
	StartsAt    time.Time
	There       bool // the delegate is somebody who can decide
}

// covers reports whether it passes on a task that a person came to decide at an instant.
func (d InForce) covers(t Task, since time.Time) bool {
	return (d.IncludeOpen || !since.Before(d.StartsAt)) && d.Scope.Covers(t)
}

// Known are delegations that are in force, by the person who has delegated.
type Known map[string][]InForce

// Load reads the delegations of people, and of their delegates, that are in force at an instant.
func Load(ctx context.Context, tx *pg.Tx, people []string, at time.Time) (Known, error) {
	const sql = `
		select d.id::text, d.delegator_id::text as delegator, d.delegate_id::text as delegate,
		       coalesce(i.display_name, '') as name, d.kinds, d.system_ids::text[] as systems, d.risk_levels as risks,
		       d.condition, d.include_open, d.starts_at,
		       unable_to_decide(d.delegate_id) in ('', 'on_leave', 'pre_hire') as there
		  from decision_delegation d
		  left join identity i on i.tenant_id = d.tenant_id and i.id = d.delegate_id
		 where d.tenant_id = current_tenant()
		   and (d.state = 'active' or d.state = 'scheduled' and d.starts_at <= @at)
		   and (d.ends_at is null or d.ends_at > @at)
		   and d.delegator_id = any(@people::text[]::uuid[])
		 order by d.created_at, d.id`
	list := Known{}
	for range MaxChain {
		if len(people) == 0 {
			break
		}
		found, err := inForce(ctx, tx, sql, pgx.NamedArgs{"people": people, "at": at})
		if err != nil {
			return nil, err
		}
		people = nil
		for _, d := range found {
			list[d.Delegator] = append(list[d.Delegator], d)
		}
		for _, d := range found {
			if _, read := list[d.Delegate]; !read {
				people = append(people, d.Delegate)
			}
		}
	}
	return list, nil
}

// inForce reads delegations with their scopes.
func inForce(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) (all []InForce, err error) {
	var d InForce
	var c *string
	into := []any{
		&d.ID, &d.Delegator, &d.Delegate, &d.Name, &d.Scope.Kinds, &d.Scope.Systems, &d.Scope.Risks, &c,
		&d.IncludeOpen, &d.StartsAt, &d.There,
	}
	err = pg.Each(ctx, tx, "find delegations", into, func() error {
		one := d
		one.Scope = Scope{
			Kinds: slices.Clone(
				d.Scope.Kinds,
			),
			Systems: slices.Clone(d.Scope.Systems),
			Risks:   slices.Clone(d.Scope.Risks),
		}
		if c != nil {
			one.Scope.Condition = json.RawMessage(*c)
			one.Scope.parse()
		}
		all = append(all, one)
		return nil
	}, sql, args)
	return all, err
}

// Limited reports whether one of the delegations asks for more than the kind of a task.
func (k Known) Limited() bool { return k.some(Scope.Limited) }

// conditional reports whether one of the delegations has a condition.
func (k Known) conditional() bool { return k.some(Scope.conditional) }

// some reports whether something holds for the scope of one of the delegations.
func (k Known) some(is func(Scope) bool) bool {
	for _, list := range k {
		if slices.ContainsFunc(list, func(d InForce) bool { return is(d.Scope) }) {
			return true
		}
	}
	return false
}

// Needs are the facts that the conditions ask for.
func (k Known) Needs() (n fact.Needs) {
	for _, list := range k {
		for _, d := range list {
			n = n.And(d.Scope.parsed.Needs())
		}
	}
	return n
}

// Delegates are all people to whom the delegations lead, in order.
func (k Known) Delegates() (ids []string) {
	for _, list := range k {
		for _, d := range list {
			ids = append(ids, d.Delegate)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Chain returns the delegations that lead from a person to who decides a task for them. since is when the person came
// to decide it. The chain ends before a delegate who is gone or may not decide; empty: the person decides.
func (k Known) Chain(t Task, person string, since time.Time, may func(identity string) bool) []InForce {
	var path []InForce
	good, at := 0, person
	for len(path) < MaxChain {
		i := slices.IndexFunc(k[at], func(d InForce) bool { return d.covers(t, since) })
		if i < 0 {
			break
		}
		d := k[at][i]
		path, at = append(path, d), d.Delegate
		if at == person {
			break
		}
		if d.There && may(at) {
			good = len(path)
		}
	}
	return path[:good]
}

// End is the person who decides a new task for a person at an instant; empty: the person decides.
func (k Known) End(t Task, person string, at time.Time) string {
	path := k.Chain(t, person, at, func(string) bool { return true })
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1].Delegate
}

// Ends are the results of End for tasks of a kind without anything that scopes could ask for. People who decide
// themselves are missing.
func (k Known) Ends(kind string, people []string, at time.Time) map[string]string {
	ends := map[string]string{}
	for _, person := range people {
		if end := k.End(Task{Kind: kind}, person, at); end != "" {
			ends[person] = end
		}
	}
	return ends
}

// Paths are the ways of a person's tasks, each as long as some task goes. A delegation that covers only some of the
// tasks before it ends a way, and is part of a longer one.
func (k Known) Paths(person string) [][]InForce {
	return k.paths(person, nil, Scope{})
}

// paths continues a way whose tasks have a scope.
func (k Known) paths(at string, way []InForce, scope Scope) (out [][]InForce) {
	whole := false // a next delegation takes all tasks on
	if len(way) < MaxChain {
		for _, d := range k[at] {
			both, some := scope.Common(d.Scope)
			if !some || slices.ContainsFunc(way, func(w InForce) bool { return w.Delegator == d.Delegate }) {
				continue
			}
			on := k.paths(d.Delegate, append(slices.Clone(way), d), both)
			out = append(out, on...)
			whole = whole || len(on) > 0 && len(d.Scope.Kinds) == 0 && !d.Scope.Limited()
		}
	}
	if len(way) > 0 && way[len(way)-1].There && !whole {
		out = append([][]InForce{way}, out...)
	}
	return out
}
