package reconcile

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// counted is the condition that a change row c counts for a kind. What goes along with something else carries the
// other's guard and is not counted again.
func counted(kind string) string {
	switch kind {
	case identityDeactivation, identityCreate:
		return "c.guard = '" + kind + "' and c.object = 'identity'"
	case accountMissing, accountDisabled:
		return "c.guard = '" + kind + "' and c.object = 'account'"
	case entitlementRemoved:
		return "c.guard = '" + kind + "' and c.object = 'entitlement'"
	case grantRemoved:
		return "c.guard = '" + kind + "' and c.object in ('grant', 'nesting')"
	}
	field := strings.TrimPrefix(kind, attributeRewrite+".")
	return "c.guard in ('" + attributeRewrite + "', '" + strings.Join(
		rewriteKinds(),
		"', '",
	) + "') and c.change = 'update' and c.before ->> '" + field + "' is not null"
}

func rewriteKinds() []string {
	out := make([]string, len(rewrites))
	for i, field := range rewrites {
		out[i] = attributeRewrite + "." + field
	}
	return out
}

// populations count what a kind of change could happen to.
var populations = map[string]string{
	identityDeactivation: sourced + ` and i.status not in ('deactivated', 'archived')`,
	identityCreate:       sourced,
	attributeRewrite:     sourced,
	accountMissing: `select count(*) from account a where a.tenant_id = current_tenant()
		and a.connector_id = @connector and a.status not in ('deleted', 'failed')`,
	accountDisabled: `select count(*) from account a where a.tenant_id = current_tenant()
		and a.connector_id = @connector and a.status in ('active', 'locked')`,
	entitlementRemoved: `select count(*) from entitlement e where e.tenant_id = current_tenant()
		and e.connector_id = @connector and e.removed_at is null`,
	grantRemoved: `
		select (select count(*)
		          from access_grant g
		         where g.tenant_id = current_tenant()
		           and g.connector_id = @connector
		           and g.directness = 'direct'
		           and g.status in ('active', 'ending', 'revoking', 'missing'))
		     + (select count(*) from entitlement_edge n where n.tenant_id = current_tenant()
		         and n.connector_id = @connector)`,
}

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
func weigh(ctx context.Context, tx *pg.Tx, r Run, p policy) ([]Hold, error) {
	observed, err := observe(ctx, tx)
	if err != nil {
		return nil, err
	}
	var holds []Hold
	for _, kind := range kinds {
		m := measure{kind: kind, observed: observed[kind]}
		if m.observed == 0 {
			continue
		}
		if err := among(ctx, tx, r, p, &m); err != nil {
			return nil, err
		}
		f, trips := p.guard.weigh(m)
		if !trips {
			continue
		}
		h := Hold{
			ID:         uuid.Must(uuid.NewV7()).String(),
			Kind:       kind,
			Rule:       f.rule,
			Allowed:    f.allowed,
			Observed:   f.observed,
			Recent:     f.recent,
			Population: f.population,
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
	columns := make([]string, len(kinds))
	for i, kind := range kinds {
		columns[i] = "count(*) filter (where " + counted(kind) + ")"
	}
	values, into := make([]int64, len(kinds)), make([]any, len(kinds))
	for i := range values {
		into[i] = &values[i]
	}
	if err := tx.QueryRow(ctx, `select `+strings.Join(columns, ", ")+` from r_change c where c.guard is not null`).
		Scan(into...); err != nil {
		return nil, fmt.Errorf("count guarded changes: %w", err)
	}
	observed := map[string]int64{}
	for i, kind := range kinds {
		observed[kind] = values[i]
	}
	return observed, nil
}

// among fills in the population and what was applied within the window to others than those of this run: whoever went
// missing yesterday and is removed today is one person, not two.
func among(ctx context.Context, tx *pg.Tx, r Run, p policy, m *measure) error {
	population := populations[m.kind]
	if population == "" {
		population = populations[attributeRewrite]
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
		           and ` + counted(m.kind) + `) done
		  left join (select distinct c.object_id, c.external_id from r_change c where c.object_id is not null
		      and ` + counted(m.kind) + `) own
		    on own.object_id = done.object_id and own.external_id = done.external_id
		 where own.object_id is null`
	args := pgx.NamedArgs{"connector": r.Connector, "run": r.ID, "window": p.window.String()}
	if err := tx.QueryRow(ctx, population, args).Scan(&m.population); err != nil {
		return fmt.Errorf("population of %s: %w", m.kind, err)
	}
	if err := tx.QueryRow(ctx, recent, args).Scan(&m.recent); err != nil {
		return fmt.Errorf("recent changes of %s: %w", m.kind, err)
	}
	return nil
}

// markChanges holds the changes of a kind. A rewrite of several fields is held once, under the first that tripped.
func markChanges(ctx context.Context, tx *pg.Tx, kind string) error {
	which := "c.guard = '" + kind + "'"
	if strings.HasPrefix(kind, attributeRewrite) {
		which = counted(kind)
	}
	sql := `update r_change c set state = 'held', guard = $1 where c.state = 'pending' and ` + which
	if _, err := tx.Exec(ctx, sql, kind); err != nil {
		return fmt.Errorf("hold %s: %w", kind, err)
	}
	return nil
}

// markCompanions keeps together what belongs together: the grants of a held entitlement are not taken away while it
// stays, an entitlement does not go while its grants are held, and where the absence of people is held, so is that of
// those who had left before and were not weighed.
func markCompanions(ctx context.Context, tx *pg.Tx) error {
	const grants = `
		update r_change g
		   set state = 'held', guard = 'entitlement_removed'
		  from (select object_id from r_change where object = 'entitlement' and state = 'held'
		      and change in ('missing', 'remove')) e
		 where g.object in ('grant', 'nesting')
		   and g.change in ('missing', 'remove')
		   and g.state = 'pending'
		   and g.entitlement_id = e.object_id`
	const entitlements = `
		update r_change e
		   set state = 'held', guard = 'grant_removed', reason = coalesce(e.reason, 'its grants are held')
		  from (select distinct entitlement_id
		          from r_change
		         where object in ('grant', 'nesting') and state = 'held' and guard = 'grant_removed'
		             and change in ('missing', 'remove')) g
		 where e.object = 'entitlement'
		   and e.change in ('missing', 'remove')
		   and e.state = 'pending'
		   and e.object_id = g.entitlement_id`
	const people = `
		update r_change p
		   set state = 'held', guard = 'identity_deactivation'
		 where p.object = 'identity'
		   and p.change in ('missing', 'remove')
		   and p.state = 'pending'
		   and exists (select from r_change o
		                where o.object = 'identity' and o.change in ('missing', 'remove') and o.state = 'held'
		                    and o.guard = 'identity_deactivation')`
	for _, sql := range []string{grants, entitlements, people} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return fmt.Errorf("hold dependent changes: %w", err)
		}
	}
	return nil
}

// digestOf is a digest over held changes, in the order they are told: whoever releases them says what was seen.
const digestOf = `sha256(convert_to(coalesce(string_agg(concat_ws(' ', c.object, c.change, c.object_id, c.external_id, c.guard, c.before, c.after), E'\n' order by c.n), ''), 'UTF8'))`

// hold writes the holds and when they end.
func hold(ctx context.Context, tx *pg.Tx, r Run, holds []Hold, until time.Time) error {
	const sql = `
		insert into sync_hold (tenant_id, id, run_id, connector_id, kind, rule, allowed, observed, recent, population,
		    cause, state, digest, expires_at)
		select current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ` + digestOf + `, $12
		  from sync_change c
		 where c.tenant_id = current_tenant()
		   and c.run_id = $2
		   and c.state = 'held'
		   and c.guard = $4`
	batch := &pgx.Batch{}
	for i := range holds {
		h := &holds[i]
		h.ExpiresAt = until
		if r.Preview {
			h.State = "previewed"
		}
		batch.Queue(
			sql,
			h.ID,
			r.ID,
			r.Connector,
			h.Kind,
			h.Rule,
			h.Allowed,
			h.Observed,
			h.Recent,
			h.Population,
			h.Cause,
			h.State,
			until,
		)
	}
	if !r.Preview {
		batch.Queue(`update sync_run set held_until = $2 where tenant_id = current_tenant() and id = $1`, r.ID, until)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write holds: %w", err)
	}
	return nil
}

// markHeld leaves held records out of the merge: every staged row of theirs, since an earlier one of the same record
// would be merged instead of the last.
func markHeld(ctx context.Context, tx *pg.Tx, r Run, all bool) error {
	const whole = `update %s set held = true where tenant_id = current_tenant() and run_id = $1`
	const some = `
		update %[1]s s
		   set held = true
		  from (select external_id
		          from sync_change
		         where tenant_id = current_tenant() and run_id = $1 and state = 'held' and object = '%[2]s') c
		 where s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.external_id = c.external_id`
	for i, object := range []string{"identity", "account", "entitlement"} {
		sql := fmt.Sprintf(some, stages[i], object)
		if all {
			sql = fmt.Sprintf(whole, stages[i])
		}
		if _, err := tx.Exec(ctx, sql, r.ID); err != nil {
			return fmt.Errorf("mark held changes: %w", err)
		}
	}
	if !all {
		return nil
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(whole, "stage_grant"), r.ID); err != nil {
		return fmt.Errorf("mark held changes: %w", err)
	}
	return nil
}
