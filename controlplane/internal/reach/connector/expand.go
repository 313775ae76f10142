package connector

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// runsShown is how many runs a list shows of each connector with expand=runs: two weeks of nightly ones.
const runsShown = 14

// ConnectorRun is a run of a connector, in short. The whole of it is at /connectors/{id}/sync-runs/{run_id}.
type ConnectorRun struct {
	ID         string     `json:"id"`
	Trigger    string     `json:"trigger" doc:"api, manual, schedule, wizard"`
	Mode       string     `json:"mode" enum:"apply,preview"`
	Full       bool       `json:"full" doc:"It read everything, or is to."`
	Status     string     `json:"status" enum:"queued,waiting_agent,running,evaluating,held,applying,succeeded,partial,failed,cancelled,discarded,expired,previewed"`
	ErrorCode  *string    `json:"error_code"`
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at" doc:"null while it waits."`
	FinishedAt *time.Time `json:"finished_at" doc:"null while it goes on."`
}

// ConnectorCounts is what is kept of a connector's target.
type ConnectorCounts struct {
	Identities int64 `json:"identities" doc:"People whose record comes from it; those that are archived do not count."`
	Accounts   int64 `json:"accounts" doc:"Those that are deleted do not count."`
}

// expand adds to a page of connectors what was asked for beside them, in one statement each for the whole page.
func expand(ctx context.Context, tx *pg.Tx, page []Connector, names []string) error {
	at, ids := map[string]*Connector{}, make([]string, len(page))
	for i := range page {
		ids[i], at[page[i].ID] = page[i].ID, &page[i]
	}
	if slices.Contains(names, "runs") {
		if err := expandRuns(ctx, tx, at, ids); err != nil {
			return err
		}
	}
	if slices.Contains(names, "counts") {
		return expandCounts(ctx, tx, at, ids)
	}
	return nil
}

func expandRuns(ctx context.Context, tx *pg.Tx, at map[string]*Connector, ids []string) error {
	const sql = `
		select x.id::text, r.id::text, r.trigger, r.purpose, r.reads_all, r.status, r.code, r.created_at, r.started_at,
		    r.finished_at
		  from unnest($1::text[]::uuid[]) x (id)
		 cross join lateral (
		       select r.id, r.trigger, r.purpose, not case when r.started_at is null then r.incremental
		              else r.effective_incremental end as reads_all, r.status, r.error ->> 'code' as code, r.created_at,
		                  r.started_at, r.finished_at
		         from sync_run r
		        where r.tenant_id = current_tenant()
		          and r.connector_id = x.id
		        order by r.created_at desc, r.id desc
		        limit $2) r
		 order by r.created_at, r.id`
	for _, c := range at {
		c.LastRuns = &[]ConnectorRun{}
	}
	rows, err := tx.Query(ctx, sql, ids, runsShown)
	if err != nil {
		return fmt.Errorf("expand runs: %w", err)
	}
	var id string
	var r ConnectorRun
	_, err = pgx.ForEachRow(
		rows,
		[]any{
			&id,
			&r.ID,
			&r.Trigger,
			&r.Mode,
			&r.Full,
			&r.Status,
			&r.ErrorCode,
			&r.CreatedAt,
			&r.StartedAt,
			&r.FinishedAt,
		},
		func() error {
			*at[id].LastRuns = append(*at[id].LastRuns, r)
			return nil
		},
	)
	if err != nil {
		return fmt.Errorf("expand runs: %w", err)
	}
	return nil
}

func expandCounts(ctx context.Context, tx *pg.Tx, at map[string]*Connector, ids []string) error {
	const sql = `
		select i.source_connector_id::text, count(*), 0
		  from identity i
		 where i.source_connector_id = any($1::text[]::uuid[])
		   and i.status <> 'archived'
		 group by 1
		 union all
		select a.connector_id::text, 0, count(*)
		  from account a
		 where a.connector_id = any($1::text[]::uuid[])
		   and a.status <> 'deleted'
		 group by 1`
	for _, c := range at {
		c.Counts = &ConnectorCounts{}
	}
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("expand counts: %w", err)
	}
	var id string
	var n ConnectorCounts
	_, err = pgx.ForEachRow(rows, []any{&id, &n.Identities, &n.Accounts}, func() error {
		at[id].Counts.Identities += n.Identities
		at[id].Counts.Accounts += n.Accounts
		return nil
	})
	if err != nil {
		return fmt.Errorf("expand counts: %w", err)
	}
	return nil
}
