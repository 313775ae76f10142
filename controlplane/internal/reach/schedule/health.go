package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/health"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
)

// lastRuns is how many runs are shown of a connector's health.
const lastRuns = 10

// HealthReport is how a connector fares.
type HealthReport struct {
	health.ConnectorHealth
	// Time of the last successful sync run; null when there was none.
	LastSuccessAt *time.Time `json:"last_success_at"`
	// Runs that have failed since the last one that succeeded.
	ConsecutiveFailures int `json:"consecutive_failures"`
	// Of the runs that ended in the last seven days, from 0 to 1; null when there was none.
	SuccessRate7d *float64 `json:"success_rate_7d"`
	// Time of the next scheduled sync run; null when none is scheduled.
	NextRunAt *time.Time `json:"next_run_at"`
	// When a membership that was removed in the target system is removed here. It can be immediate, or with the next
	// incremental sync after the one that missed it. Otherwise it is with a full sync: the daily one, if incremental
	// syncs do not report removals, or every sync, if all are full.
	Removals string `json:"removals" enum:"immediate,next_incremental,daily_full_sync,full_sync"`
	// The last ten, the newest first.
	LastRuns []HealthRun `json:"last_runs" nullable:"false"`

	// Its provisioning tasks. See health.writing for whether they are sent.
	Provisioning taskview.ProvisioningHealth `json:"provisioning"`
}

// HealthRun is a run, in short.
type HealthRun struct {
	// ID of the sync run.
	ID string `json:"id" db:"id"`
	// Origin of the run, such as api, manual, schedule or wizard.
	Trigger string `json:"trigger" db:"trigger"`
	// Whether the run applies changes (apply) or only shows them (preview).
	Mode string `json:"mode" db:"purpose"`
	// It read everything, or is to.
	Full bool `json:"full" db:"reads_all"`
	// Status of the sync run.
	Status string `json:"status" db:"status"`
	// Class of the error that the run ended with; null when there was none.
	ErrorClass *string `json:"error_class" db:"class"`
	// Code of the error that the run ended with; null when there was none.
	ErrorCode *string `json:"error_code" db:"code"`
	// Time the run was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the run ended; null until then.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Duration of the run, in milliseconds; null until it ends.
	DurationMS *int64 `json:"duration_ms" db:"duration_ms"`
	// User, token or service that requested the run.
	RequestedBy json.RawMessage `json:"requested_by" db:"requested_by"`
}

type healthOut struct{ Body HealthReport }

func (s *Service) health(ctx context.Context, v viewer.Viewer, in *oneIn) (*healthOut, error) {
	out := &healthOut{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := connector.Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		out.Body = HealthReport{ConnectorHealth: c.Health, LastSuccessAt: c.LastSuccessAt, NextRunAt: c.NextRunAt}
		if out.Body.Provisioning, err = taskview.Health(ctx, tx, c.ID); err != nil {
			return err
		}
		return s.fares(ctx, tx, c.ID, &out.Body)
	})
	return out, err
}

// fares counts a connector's runs. What happened to them is told by the states that package connector goes by.
func (s *Service) fares(ctx context.Context, tx *pg.Tx, id string, h *HealthReport) error {
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
	if h.LastRuns, err = pgx.CollectRows(rows, pgx.RowToStructByName[HealthRun]); err != nil {
		return fmt.Errorf("list last runs: %w", err)
	}
	return nil
}
