package connector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ConnectorSchedule says when a connector is read by itself.
type ConnectorSchedule struct {
	IncrementalCron *string `json:"incremental_cron" doc:"When what has changed is read."`
	FullCron        *string `json:"full_cron" doc:"When everything is read."`
	Timezone        string  `json:"timezone" doc:"The zone of both, by its IANA name."`
	Jitter          string  `json:"jitter" doc:"By how much, at most, a run begins later: an ISO 8601 duration."`
}

// ConnectorHealth is how a connector fares. GET /connectors/{id}/health tells more.
type ConnectorHealth struct {
	State string    `json:"state" enum:"new,healthy,degraded,quarantined,paused,disabled" doc:"new: no run has succeeded yet. Three runs that fail one after the other make it degraded, like any other."`
	Since time.Time `json:"since"`
	Cause *string   `json:"cause"`

	Reading ConnectorHealthPart `json:"reading" doc:"State of reading the system: new, healthy, failing (the last run failed), degraded, quarantined, paused, disabled."`
	Writing ConnectorHealthPart `json:"writing" doc:"State of writing to the system: healthy, waiting (the target does not answer), stopped (the breaker is open: resume writes), switched_off (for the whole tenant), off, simulate, manual."`
	Overall string              `json:"overall" enum:"new,healthy,failing,stopped,degraded,quarantined,paused,disabled" doc:"The worse of the two."`
}

// ConnectorHealthPart is how one direction of a connector stands.
type ConnectorHealthPart struct {
	State string     `json:"state" enum:"new,healthy,failing,degraded,quarantined,paused,disabled,waiting,stopped,switched_off,off,simulate,manual"`
	Since *time.Time `json:"since"`
	Cause *string    `json:"cause"`
}

// watched are the columns that say when a connector is read next, and since when it fares as it does.
const watched = `c.status_since, connector_health(c.id) as parts,
	(select jsonb_build_object('incremental_cron', s.incremental_cron, 'full_cron', s.full_cron, 'timezone', s.timezone,
	    'jitter', s.jitter)
	   from connector_schedule s
	  where s.tenant_id = c.tenant_id and s.connector_id = c.id) as schedule,
	(select s.due_at
	   from connector_schedule s
	  where s.tenant_id = c.tenant_id and s.connector_id = c.id and c.status in ('ready', 'active',
	      'degraded')) as next_run_at`

// Failing is the condition on a connector c that a person has to look at it: it is degraded or quarantined, or it is in
// use and its last run failed or its circuit breaker is open. One whose first run failed is among them, although it
// takes three to be degraded. Previews, and runs that were cancelled, say nothing about a target.
const Failing = `(c.status in ('degraded', 'quarantined')
	or c.status in ('ready', 'active')
	   and ((select l.status
	           from sync_run l
	          where l.tenant_id = c.tenant_id
	            and l.connector_id = c.id
	            and l.purpose = 'apply'
	            and l.status in ('succeeded', 'partial', 'failed', 'expired')
	          order by l.created_at desc, l.id desc
	          limit 1) in ('failed', 'expired')
	     or exists (select from connector_provisioning w
	                 where w.tenant_id = c.tenant_id and w.connector_id = c.id and w.breaker_open_since is not null)))`

// healthOf says what a status means for whoever watches over a connector.
func healthOf(status string) string {
	switch status {
	case "draft", "ready":
		return "new"
	case "active":
		return "healthy"
	}
	return status
}

// refusalsBeforeQuarantine is how often a target must refuse the sign-in, one run after the other, before it is left
// alone: target systems lock accounts that fail to sign in again and again.
const refusalsBeforeQuarantine = 3

// quarantine leaves a connector alone whose target has refused the sign-in in run after run, when the last of them was
// started by the schedule: whoever tries by hand sees for themselves. A run before new credentials were given, or
// before somebody said that it may be tried again, does not count.
func quarantine(ctx context.Context, tx *pg.Tx, id, runID, reason string) error {
	const sql = `
		with latest as (
			select r.id, r.trigger,
			       r.status = 'failed' and (r.error ->> 'class' = 'auth' or r.error #>> '{target,http,status}' in ('401', '403')) as refused
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
		audit.Entry{Action: actionQuarantined, Subject: subject(id, businessID), Context: map[string]any{
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
		audit.Entry{Action: actionQuarantined, Subject: subject(id, businessID), Context: map[string]any{
			"run_id": runID, "reason": reason,
		}},
	)
}
