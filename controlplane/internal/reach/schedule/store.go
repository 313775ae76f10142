package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ScheduleOccurrence is what was done about an occurrence.
type ScheduleOccurrence struct {
	// Whether the scheduled run reads only what has changed (incremental) or all records (full).
	Kind string `json:"kind" enum:"incremental,full"`
	// The occurrence, without jitter.
	At time.Time `json:"at"`
	// Time the outcome was recorded.
	DecidedAt time.Time `json:"decided_at"`
	// Whether a run was started, the occurrence was skipped, or it waits for a run that is active.
	Outcome string `json:"outcome" enum:"started,skipped,waiting"`
	// Of one that started nothing: sync_already_running, connector_draft, connector_paused, connector_disabled,
	// connector_quarantined.
	Reason *string `json:"reason"`
	// The run that it started, or that was in its way.
	RunID *string `json:"run_id"`
	// The run replaces several missed occurrences.
	CaughtUp bool `json:"caught_up"`
}

// row is a schedule as it is stored.
type row struct {
	ScheduleSettings
	IncrementalAt *time.Time
	FullAt        *time.Time
	DueAt         *time.Time
	Last          *ScheduleOccurrence
	Skipped       int
}

// find reads a connector's schedule; one that has none has an empty one.
func find(ctx context.Context, tx *pg.Tx, connector string) (r row, err error) {
	r.ScheduleSettings = ScheduleSettings{}.normal()
	const sql = `
		select incremental_cron, full_cron, timezone, jitter, incremental_at, full_at, due_at, last_occurrence, skipped
		  from connector_schedule
		 where tenant_id = current_tenant()
		   and connector_id = $1`
	err = tx.QueryRow(ctx, sql, connector).
		Scan(&r.IncrementalCron, &r.FullCron, &r.Timezone, &r.Jitter, &r.IncrementalAt, &r.FullAt, &r.DueAt, &r.Last,
			&r.Skipped)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return r, fmt.Errorf("find schedule: %w", err)
	}
	return r, nil
}

// save writes a schedule with its next occurrences, or removes it when it is empty.
func save(ctx context.Context, tx *pg.Tx, connector string, r row) error {
	if r.empty() {
		return remove(ctx, tx, connector)
	}
	const sql = `
		insert into connector_schedule (tenant_id, connector_id, incremental_cron, full_cron, timezone, jitter,
		    incremental_at, full_at, due_at)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8)
		    on conflict (tenant_id, connector_id) do update
		   set incremental_cron = excluded.incremental_cron, full_cron = excluded.full_cron,
		       timezone = excluded.timezone, jitter = excluded.jitter, incremental_at = excluded.incremental_at,
		           full_at = excluded.full_at, due_at = excluded.due_at, skipped = 0, updated_at = now()`
	_, err := tx.Exec(
		ctx,
		sql,
		connector,
		r.IncrementalCron,
		r.FullCron,
		r.Timezone,
		r.Jitter,
		r.IncrementalAt,
		r.FullAt,
		r.DueAt,
	)
	if err != nil {
		return fmt.Errorf("write schedule: %w", err)
	}
	return nil
}

func remove(ctx context.Context, tx *pg.Tx, connector string) error {
	return pg.Exec(
		ctx,
		tx,
		"remove schedule",
		`delete from connector_schedule where tenant_id = current_tenant() and connector_id = $1`,
		connector,
	)
}

// move notes what was done about an occurrence and when the schedule is looked at next.
func move(ctx context.Context, tx *pg.Tx, connector string, r row) error {
	last, err := json.Marshal(r.Last)
	if err != nil {
		return fmt.Errorf("write occurrence: %w", err)
	}
	const sql = `
		update connector_schedule
		   set incremental_at = $2, full_at = $3, due_at = $4, last_occurrence = $5, skipped = $6
		 where tenant_id = current_tenant()
		   and connector_id = $1`
	return pg.Exec(ctx, tx, "move schedule on", sql, connector, r.IncrementalAt, r.FullAt, r.DueAt, last, r.Skipped)
}

// touch counts a change of the connector, and gives its version. It is locked by the caller.
func touch(ctx context.Context, tx *pg.Tx, connector string) (version int, err error) {
	const sql = `update connector set updated_at = now(), version = version + 1 where tenant_id = current_tenant()
		and id = $1 returning version`
	if err := tx.QueryRow(ctx, sql, connector).Scan(&version); err != nil {
		return 0, fmt.Errorf("count change of connector: %w", err)
	}
	return version, nil
}
