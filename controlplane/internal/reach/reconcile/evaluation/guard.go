package evaluation

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/safety"
)

// counted is the condition that a change row c counts for a kind. What goes along with something else carries the
// other's guard and is not counted again.
func counted(kind string) string {
	switch kind {
	case safety.IdentityDeactivation, safety.IdentityCreate:
		return "c.guard = '" + kind + "' and c.object = 'identity'"
	case safety.AccountMissing, safety.AccountDisabled:
		return "c.guard = '" + kind + "' and c.object = 'account'"
	case safety.EntitlementRemoved:
		return "c.guard = '" + kind + "' and c.object = 'entitlement'"
	case safety.GrantRemoved:
		return "c.guard = '" + kind + "' and c.object in ('grant', 'nesting')"
	}
	field := strings.TrimPrefix(kind, safety.AttributeRewrite+".")
	return "c.guard in ('" + safety.AttributeRewrite + "', '" + strings.Join(
		rewriteKinds(),
		"', '",
	) + "') and c.change = 'update' and c.before ->> '" + field + "' is not null"
}

// rewriteKinds are the kinds of limit for rewritten attributes, one for each watched field.
func rewriteKinds() []string {
	out := make([]string, len(safety.Rewrites))
	for i, field := range safety.Rewrites {
		out[i] = safety.AttributeRewrite + "." + field
	}
	return out
}

// populations count what a kind of change could happen to.
var populations = map[string]string{
	safety.IdentityDeactivation: sourced + ` and i.status not in ('deactivated', 'archived')`,
	safety.IdentityCreate:       sourced,
	safety.AttributeRewrite:     sourced,
	safety.AccountMissing: `select count(*) from account a where a.tenant_id = current_tenant()
		and a.connector_id = @connector and a.status not in ('deleted', 'failed')`,
	safety.AccountDisabled: `select count(*) from account a where a.tenant_id = current_tenant()
		and a.connector_id = @connector and a.status in ('active', 'locked')`,
	safety.EntitlementRemoved: `select count(*) from entitlement e where e.tenant_id = current_tenant()
		and e.connector_id = @connector and e.removed_at is null`,
	safety.GrantRemoved: `
		select (select count(*)
		          from access_grant g
		         where g.tenant_id = current_tenant()
		           and g.connector_id = @connector
		           and g.directness = 'direct'
		           and g.status in ('active', 'ending', 'revoking', 'missing'))
		     + (select count(*) from entitlement_edge n where n.tenant_id = current_tenant()
		         and n.connector_id = @connector)`,
}

// sourced counts the people of a source, the population that losses of people are measured against.
const sourced = `
	select count(distinct i.id)
	  from identity_source s
	  join identity i
	    on i.tenant_id = s.tenant_id
	   and i.id = s.identity_id
	 where s.tenant_id = current_tenant()
	   and s.connector_id = @connector
	   and s.removed_at is null`

// weigh holds the measures of the run against the guard, and marks in r_change what is held.
func weigh(ctx context.Context, tx *pg.Tx, r reconcile.Run, p safety.Policy) ([]reconcile.Hold, error) {
	observed, err := observe(ctx, tx)
	if err != nil {
		return nil, err
	}
	var holds []reconcile.Hold
	for _, kind := range safety.Kinds {
		m := safety.Measure{Kind: kind, Observed: observed[kind]}
		if m.Observed == 0 {
			continue
		}
		if err := among(ctx, tx, r, p, &m); err != nil {
			return nil, err
		}
		f, trips := p.Guard.Weigh(m)
		if !trips {
			continue
		}
		h := reconcile.Hold{
			ID:         uuid.Must(uuid.NewV7()).String(),
			Kind:       kind,
			Rule:       f.Rule,
			Allowed:    f.Allowed,
			Observed:   f.Observed,
			Recent:     f.Recent,
			Population: f.Population,
			State:      "open",
		}
		if h.Cause, err = cause(ctx, tx, r, f); err != nil {
			return nil, err
		}
		holds = append(holds, h)
	}
	for _, h := range holds {
		if err := markChanges(ctx, tx, h.Kind); err != nil {
			return nil, err
		}
	}
	if len(holds) > 0 {
		err = markCompanions(ctx, tx)
	}
	return holds, err
}

// observe counts each kind in the run.
func observe(ctx context.Context, tx *pg.Tx) (map[string]int64, error) {
	columns := make([]string, len(safety.Kinds))
	for i, kind := range safety.Kinds {
		columns[i] = "count(*) filter (where " + counted(kind) + ")"
	}
	values, into := make([]int64, len(safety.Kinds)), make([]any, len(safety.Kinds))
	for i := range values {
		into[i] = &values[i]
	}
	if err := tx.QueryRow(ctx, `select `+strings.Join(columns, ", ")+` from r_change c where c.guard is not null`).
		Scan(into...); err != nil {
		return nil, fmt.Errorf("count guarded changes: %w", err)
	}
	observed := map[string]int64{}
	for i, kind := range safety.Kinds {
		observed[kind] = values[i]
	}
	return observed, nil
}

// among fills in the population and what was applied within the window to others than those of this run: whoever went
// missing yesterday and is removed today is one person, not two.
func among(ctx context.Context, tx *pg.Tx, r reconcile.Run, p safety.Policy, m *safety.Measure) error {
	population := populations[m.Kind]
	if population == "" {
		population = populations[safety.AttributeRewrite]
	}
	recent := `
		select count(*)
		  from (select distinct c.object_id, c.external_id
		          from sync_change c
		         where c.tenant_id = current_tenant()
		           and c.connector_id = @connector
		           and c.state = 'applied'
		           and c.at > now() - @window::interval
		           and c.run_id <> @run
		           and ` + counted(m.Kind) + `) done
		  left join (select distinct c.object_id, c.external_id from r_change c where c.object_id is not null
		      and ` + counted(m.Kind) + `) own
		    on own.object_id = done.object_id and own.external_id = done.external_id
		 where own.object_id is null`
	args := pgx.NamedArgs{"connector": r.Connector, "run": r.ID, "window": p.Window.String()}
	if err := tx.QueryRow(ctx, population, args).Scan(&m.Population); err != nil {
		return fmt.Errorf("population of %s: %w", m.Kind, err)
	}
	if err := tx.QueryRow(ctx, recent, args).Scan(&m.Recent); err != nil {
		return fmt.Errorf("recent changes of %s: %w", m.Kind, err)
	}
	return nil
}
