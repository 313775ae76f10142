package connectorstate

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// failuresBeforeDegraded is how many runs must fail, one after the other, before the connector counts as degraded
// (three, as the life of a connector has it).
const failuresBeforeDegraded = 3

// Synced notes how a run ended; reason says why it failed. The first success makes the connector active and connected,
// three failures in a row make it degraded, and the next success makes it active again; see quarantine for a target
// that refuses the sign-in. States that a person chose stay.
func Synced(ctx context.Context, tx *pg.Tx, id, runID string, success bool, reason string) error {
	if success {
		return succeeded(ctx, tx, id, runID)
	}
	return failed(ctx, tx, id, runID, reason)
}

// The version counts what a person would have to look at again: a change of state does, one more run does not.
func succeeded(ctx context.Context, tx *pg.Tx, id, runID string) error {
	const sql = `
		update connector
		   set status = case when status in ('draft', 'ready', 'degraded') then 'active' else status end,
		       status_reason = case when status in ('draft', 'ready', 'active', 'degraded') then null
		       else status_reason end, funnel_state = 'connected', last_run_id = $2, last_success_at = now(),
		       updated_at = now(), version = version + case when status in ('draft', 'ready', 'degraded')
		           or funnel_state <> 'connected' then 1 else 0 end
		 where id = $1`
	return pg.Exec(ctx, tx, "note successful run", sql, id, runID)
}

func failed(ctx context.Context, tx *pg.Tx, id, runID, reason string) error {
	if err := quarantine(ctx, tx, id, runID, reason); err != nil {
		return err
	}
	// Previews, and runs that users ended, say nothing about the target.
	const sql = `
		with before as (
			select r.status
			  from sync_run r
			 where r.connector_id = $1 and r.id <> $2
			   and r.purpose = 'apply'
			   and r.status in ('succeeded', 'partial', 'failed', 'expired')
			 order by r.created_at desc, r.id desc
			 limit $3),
		verdict as (
			select c.id, c.status in ('draft', 'ready', 'active')
			       and (select count(*) from before where status in ('failed', 'expired')) = $3 as degrades
			  from connector c
			 where c.id = $1)
		update connector c
		   set last_run_id = $2, updated_at = now(),
		       status = case when v.degrades then $4 else c.status end,
		       status_reason = case when v.degrades or c.status = $4 then $5 else c.status_reason end,
		       version = c.version + case when v.degrades then 1 else 0 end
		  from verdict v
		 where c.id = v.id`
	why := fmt.Sprintf("%d runs have failed, one after the other", failuresBeforeDegraded)
	if reason != "" {
		why += "; the last one: " + reason
	}
	return pg.Exec(ctx, tx, "note failed run", sql, id, runID, failuresBeforeDegraded-1, Degraded, why)
}
