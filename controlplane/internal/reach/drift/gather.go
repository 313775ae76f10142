package drift

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// gather reads what the comparison depends on, in a few questions for all accounts.
func (l *pass) gather(ctx context.Context, all []*account) (err error) {
	connectors, people := map[string]bool{}, map[string]bool{}
	for _, a := range all {
		connectors[a.ConnectorID], people[a.IdentityID] = true, true
	}
	if l.configs, err = shape.Load(ctx, l.tx, keys(connectors)); err != nil {
		return err
	}
	l.facts = make(map[string]identity.Facts, len(people))
	err = identity.EachFacts(ctx, l.tx, keys(people), func(id string, f identity.Facts) error {
		l.facts[id] = f
		return nil
	})
	if err != nil {
		return err
	}
	if l.shown, err = shown(ctx, l.tx, keys(connectors)); err != nil {
		return err
	}
	for id, c := range l.configs {
		if c.Drift.Direction != writing.DriftPush || c.BreakerOpenSince != nil {
			continue
		}
		if l.room[id], err = room(ctx, l.tx, c); err != nil {
			return err
		}
	}
	return l.reserve(ctx, all)
}

// keys are the members of a set, in order.
func keys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// shown returns which attributes and members a few hundred accounts of each connector have between them. What none of
// them has, the target does not show at all, and cannot be compared.
func shown(ctx context.Context, tx *pg.Tx, connectors []string) (map[string]map[string]bool, error) {
	const sql = `
		select c.id::text, lower(k.name)
		  from unnest($1::text[]::uuid[]) c (id)
		 cross join lateral (
		       select a.attributes || jsonb_strip_nulls(jsonb_build_object('email', a.email, 'display_name',
		                  a.display_name, 'first_name', a.first_name, 'last_name', a.last_name, 'employee_number',
		                      a.employee_number)) as shows
		         from account a
		        where a.tenant_id = current_tenant()
		          and a.connector_id = c.id
		          and a.row_hash <> '\x'
		        order by a.external_id desc
		        limit 300) sample
		 cross join lateral jsonb_object_keys(sample.shows) k (name)
		 group by 1, 2`
	out := map[string]map[string]bool{}
	var id, name string
	if err := pg.Each(ctx, tx, "read what targets show", []any{&id, &name}, func() error {
		if out[id] == nil {
			out[id] = map[string]bool{}
		}
		out[id][name] = true
		return nil
	}, sql, connectors); err != nil {
		return nil, err
	}
	return out, nil
}

// room is how many changes the rule of drift may still order within the breaker's window.
func room(ctx context.Context, tx *pg.Tx, c shape.Config) (int, error) {
	const sql = `
		select count(*)
		  from provisioning_task
		 where tenant_id = current_tenant()
		   and connector_id = $1
		   and created_from = 'drift'
		   and created_at > now() - make_interval(secs => $2)`
	n := 0
	if err := tx.QueryRow(ctx, sql, c.ConnectorID, c.Breaker.Length().Seconds()).Scan(&n); err != nil {
		return 0, fmt.Errorf("count changes because of drift: %w", err)
	}
	return max(0, c.Breaker.MaxChanges-n), nil
}

// reserve looks up names for those whose account may get another.
func (l *pass) reserve(ctx context.Context, all []*account) error {
	for id, c := range l.configs {
		if !c.Moves() {
			continue
		}
		var people []identity.Facts
		for _, a := range all {
			if a.ConnectorID == id && l.facts[a.IdentityID] != nil {
				people = append(people, l.facts[a.IdentityID])
			}
		}
		names, err := shape.NamesFor(ctx, l.tx, c, people)
		if err != nil {
			return err
		}
		l.names[id] = names
	}
	return nil
}
