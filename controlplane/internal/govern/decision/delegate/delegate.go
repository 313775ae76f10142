package delegate

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

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
	Kinds       []string
	IncludeOpen bool
	StartsAt    time.Time
	There       bool // the delegate is somebody who can decide
}

// covers says whether it is about tasks of a kind that somebody came to decide at an instant.
func (d InForce) covers(kind string, since time.Time) bool {
	return (len(d.Kinds) == 0 || slices.Contains(d.Kinds, kind)) && (d.IncludeOpen || !since.Before(d.StartsAt))
}

// Known are delegations that are in force, by the person who has delegated.
type Known map[string][]InForce

// Load reads the delegations of people, and of their delegates, that are in force at an instant.
func Load(ctx context.Context, tx *pg.Tx, people []string, at time.Time) (Known, error) {
	const sql = `
		select d.id::text, d.delegator_id::text, d.delegate_id::text, coalesce(i.display_name, ''), d.kinds,
		       d.include_open, d.starts_at, unable_to_decide(d.delegate_id) in ('', 'on_leave', 'pre_hire')
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
		found, err := pg.AllBy(
			ctx,
			tx,
			"find delegations",
			pgx.RowToStructByPos[InForce],
			sql,
			pgx.NamedArgs{"people": people, "at": at},
		)
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

// Chain returns the delegations that lead from a person to who decides for them, for tasks of a kind that they were
// asked to decide since an instant. It ends before a delegate who is gone or may not decide; empty: the person
// decides.
func (k Known) Chain(kind, person string, since time.Time, may func(identity string) bool) []InForce {
	var path []InForce
	good, at := 0, person
	for len(path) < MaxChain {
		i := slices.IndexFunc(k[at], func(d InForce) bool { return d.covers(kind, since) })
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

// Of returns, for each of these people who has delegated tasks of a kind at an instant, who decides for them: the end
// of the chain of delegations. People who decide themselves are missing.
func Of(
	ctx context.Context,
	tx *pg.Tx,
	kind string,
	identityIDs []string,
	at time.Time,
) (map[string]string, error) {
	people := slices.DeleteFunc(slices.Clone(identityIDs), func(id string) bool { return id == "" })
	known, err := Load(ctx, tx, people, at)
	if err != nil {
		return nil, err
	}
	ends := map[string]string{}
	for _, person := range identityIDs {
		if path := known.Chain(kind, person, at, func(string) bool { return true }); len(path) > 0 {
			ends[person] = path[len(path)-1].Delegate
		}
	}
	return ends, nil
}

// Paths are where tasks of somebody go, once for each way: by the kinds that delegations name, and for all others.
func (k Known) Paths(person string, at time.Time) (out [][]InForce) {
	kinds := map[string]bool{"": true} // a kind that nobody has named
	for _, list := range k {
		for _, d := range list {
			for _, kind := range d.Kinds {
				kinds[kind] = true
			}
		}
	}
	same := map[string]bool{}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		path := k.Chain(kind, person, at, func(string) bool { return true })
		key := ""
		for _, d := range path {
			key += d.ID
		}
		if len(path) > 0 && !same[key] {
			same[key], out = true, append(out, path)
		}
	}
	return out
}
