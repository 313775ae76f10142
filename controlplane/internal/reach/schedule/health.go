package schedule

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule/healthreport"
)

// lastRuns is how many runs are shown of a connector's health.
const lastRuns = 10

type healthOut struct{ Body healthreport.HealthReport }

func (s *Service) health(ctx context.Context, v viewer.Viewer, in *oneIn) (*healthOut, error) {
	out := &healthOut{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := connector.Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		out.Body = healthreport.HealthReport{
			ConnectorHealth: c.Health,
			LastSuccessAt:   c.LastSuccessAt,
			NextRunAt:       c.NextRunAt,
		}
		if out.Body.Provisioning, err = taskview.Health(ctx, tx, c.ID); err != nil {
			return err
		}
		return s.fares(ctx, tx, c.ID, &out.Body)
	})
	return out, err
}

// fares counts a connector's runs. Their outcomes are the states that package connector uses.
func (s *Service) fares(ctx context.Context, tx *pg.Tx, id string, h *healthreport.HealthReport) error {
	const failures = `
		select count(*)
		  from sync_run r
		 where r.tenant_id = current_tenant()
		   and r.connector_id = $1
		   and r.purpose = 'apply'
		   and r.status in ('failed', 'expired')
		   and r.created_at > coalesce((select max(o.created_at)
		                                  from sync_run o
		                                 where o.tenant_id = current_tenant()
		                                   and o.connector_id = $1
		                                   and o.purpose = 'apply'
		                                   and o.status in ('succeeded', 'partial')), '-infinity')`
	const rate = `
		select avg((r.status in ('succeeded', 'partial'))::int)::float8
		  from sync_run r
		 where r.tenant_id = current_tenant()
		   and r.connector_id = $1
		   and r.purpose = 'apply'
		   and r.status in ('succeeded', 'partial', 'failed', 'expired')
		   and r.finished_at > $2`
	const last = `
		select r.id, r.trigger, r.purpose, not case when r.started_at is null then r.incremental
		       else r.effective_incremental end as reads_all, r.status, r.error ->> 'class' as class,
		       r.error ->> 'code' as code, r.created_at, r.finished_at,
		           (extract(epoch from r.finished_at - r.started_at) * 1000)::bigint as duration_ms, r.requested_by
		  from sync_run r
		 where r.tenant_id = current_tenant()
		   and r.connector_id = $1
		 order by r.created_at desc, r.id desc
		 limit $2`
	const removals = `
		select coalesce((select coalesce(p.removals, case when p.cursor is null then 'full_sync'
		    else 'daily_full_sync' end)
		                   from sync_position p
		                  where p.tenant_id = current_tenant()
		                    and p.connector_id = $1), 'full_sync')`
	batch := &pgx.Batch{}
	batch.Queue(failures, id)
	batch.Queue(rate, id, s.Now().AddDate(0, 0, -7))
	batch.Queue(removals, id)
	batch.Queue(last, id, lastRuns)
	res := tx.SendBatch(ctx, batch)
	defer res.Close()
	if err := res.QueryRow().Scan(&h.ConsecutiveFailures); err != nil {
		return fmt.Errorf("count failures: %w", err)
	}
	if err := res.QueryRow().Scan(&h.SuccessRate7d); err != nil {
		return fmt.Errorf("reckon success rate: %w", err)
	}
	if err := res.QueryRow().Scan(&h.Removals); err != nil {
		return fmt.Errorf("find how removals are seen: %w", err)
	}
	rows, err := res.Query()
	if err != nil {
		return fmt.Errorf("list last runs: %w", err)
	}
	if h.LastRuns, err = pgx.CollectRows(rows, pgx.RowToStructByName[healthreport.HealthRun]); err != nil {
		return fmt.Errorf("list last runs: %w", err)
	}
	return nil
}
