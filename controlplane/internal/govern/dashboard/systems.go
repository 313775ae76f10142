package dashboard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
)

// How much is shown; the lists have the rest.
const (
	mostConnectors = 500
	mostFailing    = 50
	mostRuns       = 500
	mostHeld       = 20

	window = 24 * time.Hour // in which runs are shown
)

// connectors counts the connectors by status and lists the first ones by name. The window function
// counts in the same pass.
func connectors(ctx context.Context, tx *pg.Tx) (*DashboardConnectors, error) {
	c := &DashboardConnectors{ByStatus: []DashboardStatus{}, Items: []DashboardConnectorRef{}}
	const sql = `
		select c.id::text, c.name, c.status, count(*) over (partition by c.status)
		  from connector c
		 where c.deleted_at is null
		 order by c.name, c.id`
	seen := map[string]bool{}
	var ref DashboardConnectorRef
	var n int64
	if err := pg.Each(ctx, tx, "list connectors", []any{&ref.ID, &ref.Name, &ref.Status, &n}, func() error {
		if c.Total++; len(c.Items) < mostConnectors {
			c.Items = append(c.Items, ref)
		}
		if !seen[ref.Status] {
			seen[ref.Status] = true
			c.ByStatus = append(c.ByStatus, DashboardStatus{ref.Status, n})
		}
		return nil
	}, sql); err != nil {
		return nil, err
	}
	slices.SortFunc(c.ByStatus, func(a, b DashboardStatus) int { return strings.Compare(a.Status, b.Status) })
	var err error
	c.Failing, c.FailingTotal, err = failing(ctx, tx)
	return c, err
}

// failing are the connectors that their list calls so, with the last run that failed and since when they do.
func failing(ctx context.Context, tx *pg.Tx) (items []DashboardFailing, total int64, err error) {
	const sql = `
		with failing as (
			select c.id, c.name, c.status, c.status_since, l.id as run_id, l.error, p.breaker_open_since,
			       coalesce(p.breaker_reason, c.status_reason) as reason
			  from connector c
			  left join lateral (
			       select r.id, r.status, r.error
			         from sync_run r
			        where r.tenant_id = c.tenant_id
			          and r.connector_id = c.id
			          and r.purpose = 'apply'
			          and r.status in ('succeeded', 'partial', 'failed', 'expired')
			        order by r.created_at desc, r.id desc
			        limit 1) l on l.status in ('failed', 'expired')
			  left join connector_provisioning p on p.tenant_id = c.tenant_id and p.connector_id = c.id
			      and p.breaker_open_since is not null
			 where c.deleted_at is null
			   and ` + connectorstate.Failing + `)
		select f.id::text as id, f.name, f.status,
		       coalesce(first.created_at, f.breaker_open_since, f.status_since) as since, f.run_id::text as run_id,
		       f.error ->> 'code' as error_code,
		       left(coalesce(nullif(f.error ->> 'message', ''), f.reason), 500) as error_summary,
		           case when f.run_id is null and f.breaker_open_since is not null then 'writing'
		           else 'reading' end as area, count(*) over () as total
		  from failing f
		  left join lateral (
		       select min(r.created_at) as created_at
		         from sync_run r
		        where r.tenant_id = current_tenant()
		          and r.connector_id = f.id
		          and r.purpose = 'apply'
		          and r.status in ('failed', 'expired')
		          and r.created_at > coalesce((select o.created_at
		                                         from sync_run o
		                                        where o.tenant_id = current_tenant()
		                                          and o.connector_id = f.id
		                                          and o.purpose = 'apply'
		                                          and o.status in ('succeeded', 'partial')
		                                        order by o.created_at desc
		                                        limit 1), '-infinity')) first on true
		 order by since, f.id
		 limit $1`
	items, err = pg.AllBy(
		ctx,
		tx,
		"find failing connectors",
		func(row pgx.CollectableRow) (f DashboardFailing, err error) {
			return f, row.Scan(
				&f.ID,
				&f.Name,
				&f.Status,
				&f.Since,
				&f.RunID,
				&f.ErrorCode,
				&f.ErrorSummary,
				&f.Area,
				&total,
			)
		},
		sql,
		mostFailing,
	)
	if err != nil {
		return nil, 0, err
	}
	return items, total, nil
}

// runs looks back twice as far as it shows, for runs that began before and went on. It asks connector by connector, as
// runs are indexed.
func runs(ctx context.Context, tx *pg.Tx, now time.Time) (*DashboardRuns, error) {
	const sql = `
		select r.id::text as id, c.id::text as connector_id, c.name as connector_name, r.status, r.trigger, r.mode,
		    r.started_at, r.finished_at, r.created_at
		  from connector c
		 cross join lateral (
		       select r.id, r.status, r.trigger, r.purpose as mode, r.started_at, r.finished_at, r.created_at
		         from sync_run r
		        where r.tenant_id = c.tenant_id
		          and r.connector_id = c.id
		          and r.created_at > $2
		          and (r.finished_at is null or r.finished_at > $1)
		        order by r.created_at desc, r.id desc
		        limit $3) r
		 where c.deleted_at is null
		 order by r.created_at desc, r.id desc
		 limit $3`
	out := &DashboardRuns{Since: now.Add(-window)}
	var err error
	if out.Items, err = pg.All[DashboardRun](
		ctx,
		tx,
		"list runs",
		sql,
		out.Since,
		now.Add(-2*window),
		mostRuns+1,
	); err != nil {
		return nil, err
	}
	if len(out.Items) > mostRuns {
		out.Items, out.Truncated = out.Items[:mostRuns], true
	}
	return out, nil
}

// held lists the held sync runs that are discarded first, and counts all.
func held(ctx context.Context, tx *pg.Tx) (*DashboardHeld, error) {
	const sql = `
		select r.id::text, c.id::text, c.name, r.held_until, count(*) over ()
		  from sync_run r
		  join connector c
		    on c.tenant_id = r.tenant_id
		   and c.id = r.connector_id
		 where r.status = 'held'
		   and c.deleted_at is null
		 order by r.held_until, r.id
		 limit $1`
	out := &DashboardHeld{}
	rows, err := tx.Query(ctx, sql, mostHeld)
	if err == nil {
		out.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h DashboardHeldRun, err error) {
			return h, row.Scan(&h.ID, &h.ConnectorID, &h.ConnectorName, &h.HeldUntil, &out.Total)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("list held runs: %w", err)
	}
	return out, nil
}

// checklist says which of the first steps of a tenant are done.
func checklist(ctx context.Context, tx *pg.Tx, agentOnline bool) (*DashboardChecklist, error) {
	const sql = `
		select exists (select from connector c where c.deleted_at is null and c.status <> 'draft'),
		       exists (select from connector c where c.deleted_at is null and c.funnel_state = 'connected'),
		       exists (select from connector c where c.deleted_at is null and c.mode = 'hosted'
		       and c.status = 'active'), exists (select from sector_pack_installation p where p.state = 'installed'),
		       (select count(*) > 1 from app_user u)`
	var c DashboardChecklist
	if err := tx.QueryRow(ctx, sql).
		Scan(&c.SystemConnected, &c.FirstSyncDone, &c.ReachHealthy, &c.SectorPackInstalled,
			&c.SecondUserInvited); err != nil {
		return nil, fmt.Errorf("look how far the first steps are: %w", err)
	}
	c.ReachHealthy = c.ReachHealthy || agentOnline
	c.Complete = c.SystemConnected && c.FirstSyncDone && c.ReachHealthy && c.SectorPackInstalled && c.SecondUserInvited
	return &c, nil
}
