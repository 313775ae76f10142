package summary

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// runsShown is how many runs a list shows of each connector with expand=runs: two weeks of nightly ones.
const runsShown = 14

// ConnectorRun is a run of a connector, in short. The whole of it is at /connectors/{id}/sync-runs/{run_id}.
type ConnectorRun struct {
	// ID of the sync run, a UUID.
	ID string `json:"id"`
	// How the sync run was started: api, manual, schedule or wizard.
	Trigger string `json:"trigger"`
	// Mode of the sync run. apply: it changes records. preview: it only reports the changes.
	Mode string `json:"mode" enum:"apply,preview"`
	// It read everything, or is to.
	Full bool `json:"full"`
	// Status of the sync run, as in GET /connectors/{id}/sync-runs/{run_id}.
	Status string `json:"status" enum:"queued,waiting_agent,running,evaluating,held,applying,succeeded,partial,failed,cancelled,discarded,expired,previewed"`
	// Code of the error of the sync run; null if there is none.
	ErrorCode *string `json:"error_code"`
	// Time the sync run was created.
	CreatedAt time.Time `json:"created_at"`
	// Time the sync run started; null while it waits.
	StartedAt *time.Time `json:"started_at"`
	// Time the sync run ended; null while it is in progress.
	FinishedAt *time.Time `json:"finished_at"`
}

// ConnectorCounts is what is kept of a connector's target.
type ConnectorCounts struct {
	// People whose record comes from it; those that are archived do not count.
	Identities int64 `json:"identities"`
	// Those that are deleted do not count.
	Accounts int64 `json:"accounts"`
}

// LatestRuns reads the last runs of connectors, of each the newest last.
func LatestRuns(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]ConnectorRun, error) {
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
	runs := map[string][]ConnectorRun{}
	var id string
	var r ConnectorRun
	if err := pg.Each(ctx, tx, "expand runs", []any{
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
	}, func() error {
		runs[id] = append(runs[id], r)
		return nil
	}, sql, ids, runsShown); err != nil {
		return nil, err
	}
	return runs, nil
}

// CountRecords counts what is kept of the targets of connectors. A connector of which nothing is kept is absent.
func CountRecords(ctx context.Context, tx *pg.Tx, ids []string) (map[string]ConnectorCounts, error) {
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
	counts := map[string]ConnectorCounts{}
	var id string
	var n ConnectorCounts
	if err := pg.Each(ctx, tx, "expand counts", []any{&id, &n.Identities, &n.Accounts}, func() error {
		of := counts[id]
		counts[id] = ConnectorCounts{Identities: of.Identities + n.Identities, Accounts: of.Accounts + n.Accounts}
		return nil
	}, sql, ids); err != nil {
		return nil, err
	}
	return counts, nil
}
