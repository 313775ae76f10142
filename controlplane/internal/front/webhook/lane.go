package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/health"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// A lane posts one delivery of a webhook after the other. It ends now and then, so that settings that changed are read
// again and others of the tenant have their turn.
const (
	laneTime   = time.Second
	laneLength = 64
	maxRepeats = 3 // attempts of one number that were begun and never ended, before the number counts as used up
)

// run works on a lane that begins with a leased delivery. What is being posted when ctx ends is finished.
func (s *Service) run(ctx context.Context, t target, j job) {
	began := time.Now()
	for n := 1; ; n++ {
		if !sleep(ctx, j.wait) {
			return // its lease lapses, and another process posts it
		}
		bg := context.WithoutCancel(ctx)
		o := s.attempt(bg, t, j)
		crashpoint.Reach("webhook.posted")
		goOn := ctx.Err() == nil && n < laneLength && time.Since(began) < laneTime && t.hook.MaxRPS == nil && o.ok
		next, err := s.finish(bg, t, j, o, goOn)
		if err != nil {
			s.Log.WarnContext(
				ctx,
				"cannot note what came of a delivery; it will be posted again",
				"delivery",
				j.ID,
				"err",
				err,
			)
			return
		}
		if next == nil {
			return
		}
		j = *next
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// attempt posts a delivery, unless the process that posts it keeps dying of it.
func (s *Service) attempt(ctx context.Context, t target, j job) outcome {
	if j.Repeats > maxRepeats {
		return outcome{
			Attempt: delivery.Attempt{
				N:        j.Attempt + 1,
				URL:      t.hook.URL,
				At:       j.now(),
				Repeated: j.Repeats,
				Error:    "the delivery was interrupted repeatedly, and its result is unknown",
			},
		}
	}
	return s.send(ctx, t, j, j.Attempt+1)
}

// finish notes what came of an attempt, with all that follows from it, and leases the lane's next delivery in the same
// transaction. It changes nothing when the lease was lost meanwhile: the new holder posts again by the same number.
func (s *Service) finish(ctx context.Context, t target, j job, o outcome, goOn bool) (following *job, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = s.DB.As(ctx, t.viewer, func(tx *pg.Tx) error {
		following = nil
		if o.ok {
			following, err = finishWell(ctx, tx, t, j, o, goOn)
			return err
		}
		state, err := note(ctx, tx, j, o)
		if err != nil || state == "" {
			return err
		}
		return s.fared(ctx, tx, t.hook, o, state)
	})
	return following, err
}

// finishWell notes a success and leases the next delivery in one round trip. It does not wait for the disk: where the
// database loses it, the delivery is posted again by the same number, as after every other death.
func finishWell(ctx context.Context, tx *pg.Tx, t target, j job, o outcome, goOn bool) (following *job, err error) {
	args, err := noteArgs(j, o, delivery.Succeeded, 0)
	if err != nil {
		return nil, err
	}
	var b pgx.Batch
	b.Queue(`set local synchronous_commit = off`)
	b.Queue(noteSQL, args)
	b.Queue(succeedSQL, t.hook.ID)
	if goOn {
		token := subscription.NewID()
		b.Queue(leaseSQL, leaseArgs(t.hook, 1, token)).Query(func(rows pgx.Rows) error {
			jobs, err := leased(rows, token)
			if len(jobs) > 0 {
				following = &jobs[0]
			}
			return err
		})
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("note success: %w", err)
	}
	return following, nil
}

// noteSQL writes an attempt into its delivery, while the lease holds.
const noteSQL = `
	update webhook_delivery
	   set attempt = attempt + 1, repeats = 0, overdue = false, attempts = attempts || @entry::jsonb,
	       last_status = nullif(@status, 0), last_error = nullif(@error, ''), state = @state, lease_owner = null,
	       lease_until = null, due_at = case when @state = 'pending' then first_at + make_interval(secs => @wait)
	       else due_at end, ended_at = case when @state <> 'pending' then clock_timestamp() end
	 where tenant_id = current_tenant()
	   and id = @id
	   and lease_owner = @lease
	   and state = 'pending'`

func noteArgs(j job, o outcome, state string, wait time.Duration) (pgx.NamedArgs, error) {
	entry, err := json.Marshal([]delivery.Attempt{o.Attempt})
	if err != nil {
		return nil, fmt.Errorf("encode attempt: %w", err)
	}
	return pgx.NamedArgs{
		"id":     j.ID,
		"lease":  j.lease,
		"entry":  string(entry),
		"status": o.Status,
		"error":  o.Error,
		"state":  state,
		"wait":   wait.Seconds(),
	}, nil
}

// note writes an attempt that failed into its delivery and says what has become of the delivery; nothing when it is no
// longer ours.
func note(ctx context.Context, tx *pg.Tx, j job, o outcome) (state string, err error) {
	wait, more := time.Duration(0), false
	if !o.gone {
		wait, more = retry.Next(j.offsets(), j.Attempt+1, j.now().Sub(j.FirstAt), o.wait)
	}
	if state = delivery.Exhausted; more {
		state = delivery.Pending
	}
	args, err := noteArgs(j, o, state, wait)
	if err != nil {
		return "", err
	}
	tag, err := tx.Exec(ctx, noteSQL, args)
	if err != nil {
		return "", fmt.Errorf("note attempt: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return "", nil
	}
	return state, nil
}

// fared keeps how the endpoint fares after a failure: after too many it is left alone for a while, and when deliveries
// were given up for long enough it is disabled. state is what has become of the delivery.
func (s *Service) fared(ctx context.Context, tx *pg.Tx, r subscription.Row, o outcome, state string) error {
	const failed = `
		update webhook
		   set consecutive_failures = consecutive_failures + 1, last_failure_at = now(),
		       probe_at = case when consecutive_failures + 1 = $2 then now() + make_interval(secs => $3)
		       else probe_at end, probes = case when consecutive_failures + 1 = $2 then 1 else probes end
		 where tenant_id = current_tenant() and id = $1`
	if err := pg.Exec(ctx, tx, "note failure", failed, r.ID, health.BreakAfter, health.Pause(0).Seconds()); err != nil {
		return err
	}
	if o.gone {
		return s.disableByItself(ctx, tx, r, health.ReasonGone)
	}
	if state != delivery.Exhausted {
		return nil
	}
	blocked := 0
	if o.blocked {
		blocked = 1
	}
	return s.gaveUp(ctx, tx, r, 1, blocked)
}

// succeedSQL forgets what went wrong before. A webhook that fares well is written to every few seconds, not for each
// delivery.
const succeedSQL = `
	update webhook
	   set consecutive_failures = 0, last_success_at = now(), exhausted = 0, exhausted_since = null, blocked = 0,
	       warned_at = null, probe_at = null, probes = 0
	 where tenant_id = current_tenant()
	   and id = $1
	   and (consecutive_failures > 0 or exhausted > 0 or blocked > 0 or last_success_at is null
	       or last_success_at < now() - interval '5 seconds')`

// gaveUp counts deliveries that were given up, and draws what follows.
func (s *Service) gaveUp(ctx context.Context, tx *pg.Tx, r subscription.Row, given, blocked int) error {
	const sql = `
		update webhook
		   set exhausted = exhausted + $2, blocked = blocked + $3, exhausted_since = coalesce(exhausted_since, now())
		 where tenant_id = current_tenant() and id = $1
		returning last_success_at, state_changed_at, last_failure_at, consecutive_failures, exhausted, exhausted_since,
		    blocked, warned_at, now()`
	var h health.Record
	var now time.Time
	err := tx.QueryRow(ctx, sql, r.ID, given, blocked).
		Scan(&h.LastSuccess, &h.Since, &h.LastFailure, &h.Failures, &h.Exhausted, &h.FirstGivenUp, &h.Blocked,
			&h.Warned, &now)
	if err != nil {
		return fmt.Errorf("count deliveries given up: %w", err)
	}
	switch v, reason := h.Judge(now); v {
	case health.Disable:
		return s.disableByItself(ctx, tx, r, reason)
	case health.Warn:
		if err := pg.Exec(
			ctx,
			tx,
			"note warning",
			`update webhook set warned_at = now() where tenant_id = current_tenant() and id = $1`,
			r.ID,
		); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "webhook.failing", Outcome: audit.Failure, Subject: subscription.Subject(r),
				Context: map[string]any{"exhausted": h.Exhausted, "owner_ids": r.Owners}},
		)
	}
	return nil
}

// disableByItself ends calling an endpoint. The state is asked for first: several lanes may come to the same
// conclusion.
func (s *Service) disableByItself(ctx context.Context, tx *pg.Tx, r subscription.Row, reason string) error {
	now, err := subscription.Find(ctx, tx, r.ID, "for update of w")
	if err != nil || now.State != subscription.Enabled {
		return err
	}
	if err := subscription.SetState(ctx, tx, r.ID, subscription.DisabledAuto, reason); err != nil {
		return err
	}
	s.Log.WarnContext(ctx, "a webhook was disabled", "webhook", r.ID, "tenant", tx.Viewer.Tenant, "reason", reason)
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "webhook.disabled_auto", Outcome: audit.Failure, Subject: subscription.Subject(r),
			Context: map[string]any{"reason": reason, "owner_ids": r.Owners}},
	)
}
