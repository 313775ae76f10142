package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// tally counts the changes of each kind that were made within the breaker's window, by the minute. What is urgent does
// not count: an immediate termination is never held up by how many there were.
type tally struct {
	window time.Duration
	now    func() time.Time
	made   map[string]map[int64]int
}

func (t *tally) add(ended []outcome) {
	for _, o := range ended {
		if o.counted() {
			t.put(o.job.Operation, t.now().Unix()/60, 1)
		}
	}
}

func (o outcome) counted() bool { return o.made() && o.job.Lane != task.Urgent }

func (t *tally) put(operation string, minute int64, n int) {
	if t.made[operation] == nil {
		t.made[operation] = map[int64]int{}
	}
	t.made[operation][minute] += n
}

// of is how many changes of a kind were made within the window.
func (t *tally) of(operation string) (n int) {
	since := t.now().Add(-t.window).Unix() / 60
	for minute, made := range t.made[operation] {
		if minute < since {
			delete(t.made[operation], minute)
			continue
		}
		n += made
	}
	return n
}

// count reads what was made before this process came to the connector.
func (l *lane) count(ctx context.Context, tx *pg.Tx) (*tally, error) {
	t := &tally{window: l.config.Breaker.Length(), now: l.s.Now, made: map[string]map[int64]int{}}
	const sql = `
		select t.operation, floor(extract(epoch from t.finished_at) / 60)::bigint, count(*)::int
		  from provisioning_task t
		  join provisioning_lane l on l.tenant_id = t.tenant_id and l.connector_id = t.connector_id
		 where t.connector_id = $1
		   and t.finished_at > greatest(now() - $2::interval, l.counted_from)
		   and t.state in ('done', 'verifying')
		   and t.mode = 'auto'
		   and t.lane <> 'urgent'
		 group by 1, 2`
	rows, err := tx.Query(ctx, sql, l.id, t.window.String())
	if err != nil {
		return nil, fmt.Errorf("count changes: %w", err)
	}
	var operation string
	var minute int64
	var n int
	_, err = pgx.ForEachRow(
		rows,
		[]any{&operation, &minute, &n},
		func() error { t.put(operation, minute, n); return nil },
	)
	return t, err
}

// bounded are the operations whose number is bounded: those that take something away, or change what is there. That too
// much is given is for the breakers of policies to see.
var bounded = []string{
	task.Disable,
	task.DeleteAccount,
	task.Revoke,
	task.UpdateAccount,
	task.RenameAccount,
	task.SetPassword,
}

// bound is how many tasks may be taken at most, and which kinds may not, so that no kind of change passes the breaker's
// limit. When one of a kind that has reached it is due, the breaker opens.
func (l *lane) bound(ctx context.Context, tx *pg.Tx, room int, ended []outcome) (int, []string, error) {
	most := l.config.Breaker.MaxChanges
	full := []string{}
	if most <= 0 {
		return room, full, nil
	}
	const sending = `
		select operation, count(*)::int
		  from provisioning_task
		 where connector_id = $1 and state = 'running' and lane <> 'urgent' and mode = 'auto'
		 group by operation`
	rows, err := tx.Query(ctx, sending, l.id)
	if err != nil {
		return 0, nil, fmt.Errorf("count changes: %w", err)
	}
	under := map[string]int{}
	var operation string
	var n int
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&operation, &n},
		func() error { under[operation] = n; return nil },
	); err != nil {
		return 0, nil, fmt.Errorf("count changes: %w", err)
	}
	for _, operation := range bounded {
		made := l.tally.of(operation)
		for _, o := range ended {
			if o.counted() && o.job.Operation == operation {
				made++
			}
		}
		switch left := most - made - under[operation]; {
		case made >= most:
			full = append(full, operation)
		case left <= 0:
			return 0, nil, nil // what is being sent may fail: wait and see
		default:
			room = min(room, left)
		}
	}
	if len(full) == 0 {
		return room, full, nil
	}
	const due = `
		select operation
		  from provisioning_task
		 where connector_id = $1 and lane = 'normal' and state in ('queued', 'retrying') and mode = 'auto'
		     and next_attempt_at <= now() and operation = any($2)
		 limit 1`
	switch err := tx.QueryRow(ctx, due, l.id, full).Scan(&operation); {
	case errors.Is(err, pgx.ErrNoRows):
		return room, full, nil
	case err != nil:
		return 0, nil, fmt.Errorf("count changes: %w", err)
	}
	l.halted.Store(true)
	why := fmt.Sprintf(
		"%d changes to %s were made within %s, the limit without a review; check that further changes are correct, "+
			"then reset the circuit breaker",
		most,
		ability.Verb(operation),
		l.config.Breaker.Window,
	)
	return 0, nil, l.trip(ctx, tx, why)
}

// trip opens the breaker: nothing is sent any more until somebody has looked.
func (l *lane) trip(ctx context.Context, tx *pg.Tx, why string) error {
	l.halted.Store(true)
	const sql = `
		insert into connector_provisioning as p (tenant_id, connector_id, write_mode, breaker_open_since,
		    breaker_reason)
		values (current_tenant(), $1, $2, now(), $3)
		    on conflict (tenant_id, connector_id) do update
		   set breaker_open_since = now(), breaker_reason = excluded.breaker_reason, updated_at = now()
		 where p.breaker_open_since is null
		returning connector_id`
	var id string
	switch err := tx.QueryRow(ctx, sql, l.id, l.config.WriteMode, why).Scan(&id); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("open breaker: %w", err)
	}
	if err := announce(ctx, tx, event.WritesStopped, l.id, why, l.s.Now()); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "connector.breaker_opened",
		Outcome: audit.Failure,
		Subject: audit.Subject{
			Type:    "connector",
			ID:      l.id,
			Display: l.target.BusinessID,
		},
		Context: map[string]any{"reason": why},
	})
}

// announce publishes that writing to a system has stopped, or goes on: why and since when it was stopped. The caller
// has changed the breaker in the same transaction, so that the events of one connector come in the order in which this
// happened.
func announce(ctx context.Context, tx *pg.Tx, kind event.Kind, connector, why string, since time.Time) error {
	const sql = `
		select c.name,
		       (select count(*) from provisioning_task t where t.connector_id = c.id
		           and t.state in ('queued', 'retrying'))
		  from connector c
		 where c.id::text = lower($1)`
	var name string
	var waiting int64
	if err := tx.QueryRow(ctx, sql, connector).Scan(&name, &waiting); err != nil {
		return fmt.Errorf("announce %s: %w", kind, err)
	}
	id := strings.ToLower(connector)
	data := map[string]any{"connector_id": id, "name": name, "reason": why, "since": since.UTC(), "waiting": waiting}
	return event.Publish(
		ctx,
		tx,
		event.Event{Kind: kind, Resource: event.Resource{Type: "connector", ID: id}, Data: data},
	)
}

// failing opens the breaker when as many tasks have failed, one after the other, as may.
func (l *lane) failing(ctx context.Context, tx *pg.Tx) error {
	most := l.config.Breaker.MaxFailures
	if most <= 0 {
		return nil
	}
	const sql = `
		select count(*) filter (where state = 'failed')
		  from (select t.state
		          from provisioning_task t
		          join provisioning_lane l on l.tenant_id = t.tenant_id and l.connector_id = t.connector_id
		         where t.connector_id = $1
		           and t.attempts > 0
		           and t.finished_at > l.counted_from
		           and t.state in ('done', 'verifying', 'failed')
		         order by t.finished_at desc, t.id desc
		         limit $2) last`
	var n int
	if err := tx.QueryRow(ctx, sql, l.id, most).Scan(&n); err != nil {
		return fmt.Errorf("count failures: %w", err)
	}
	if n < most {
		return nil
	}
	return l.trip(
		ctx,
		tx,
		fmt.Sprintf("%d changes have failed, one after the other; see why, then reset the breaker", n),
	)
}
