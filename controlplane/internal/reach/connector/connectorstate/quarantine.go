package connectorstate

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// actionQuarantined is the action in the audit log.
const actionQuarantined = "connector.quarantined"

// refusalsBeforeQuarantine is how often a target must refuse the sign-in, one run after the other, before it is left
// alone: target systems lock accounts that fail to sign in again and again.
const refusalsBeforeQuarantine = 3

// quarantine leaves a connector alone whose target has refused the sign-in in run after run, when the last of them was
// started by the schedule: users who try by hand see the result. A run before new credentials were given, or
// before the quarantine was cleared, does not count.
func quarantine(ctx context.Context, tx *pg.Tx, id, runID, reason string) error {
	const sql = `
		with latest as (
			select r.id, r.trigger,
			       r.status = 'failed' and (r.error ->> 'class' = 'auth'
			         or r.error #>> '{target,http,status}' in ('401', '403')) as refused
			  from connector c
			  join sync_run r
			    on r.tenant_id = c.tenant_id
			   and r.connector_id = c.id
			   and r.created_at > greatest(c.trusted_from, c.credentials_updated_at, '-infinity')
			   and r.status in ('succeeded', 'partial', 'failed', 'expired')
			   and r.purpose = 'apply'
			 where c.tenant_id = current_tenant()
			   and c.id = $1
			 order by r.created_at desc, r.id desc
			 limit $3)
		update connector c
		   set status = 'quarantined', status_reason = $4, updated_at = now(), version = version + 1
		 where c.tenant_id = current_tenant()
		   and c.id = $1
		   and c.status in ('draft', 'ready', 'active', 'degraded')
		   and exists (select from latest where id = $2 and trigger = 'schedule')
		   and (select count(*) from latest where refused) = $3
		returning c.business_id`
	why := fmt.Sprintf("the target has refused the sign-in %d times, one after the other", refusalsBeforeQuarantine)
	if reason != "" {
		why += "; the last time: " + reason
	}
	var businessID string
	err := tx.QueryRow(ctx, sql, id, runID, refusalsBeforeQuarantine, why).Scan(&businessID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("quarantine connector: %w", err)
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionQuarantined, Subject: AuditSubject(id, businessID), Context: map[string]any{
			"run_id": runID, "refusals": refusalsBeforeQuarantine,
		}},
	)
}

// Quarantine leaves a connector alone until a person clears it, because what it reads must not be tried again without
// one. It does nothing to a connector that is not in use.
func Quarantine(ctx context.Context, tx *pg.Tx, id, runID, reason string) error {
	const sql = `
		update connector c
		   set status = 'quarantined', status_reason = $2, updated_at = now(), version = version + 1
		 where c.tenant_id = current_tenant()
		   and c.id = $1
		   and c.status in ('draft', 'ready', 'active', 'degraded')
		returning c.business_id`
	var businessID string
	err := tx.QueryRow(ctx, sql, id, reason).Scan(&businessID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("quarantine connector: %w", err)
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionQuarantined, Subject: AuditSubject(id, businessID), Context: map[string]any{
			"run_id": runID, "reason": reason,
		}},
	)
}
