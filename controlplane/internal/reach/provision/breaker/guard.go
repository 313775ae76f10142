package breaker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Guard is the circuit breaker of one connector, as the process sees it that works on the connector's tasks. It counts
// the changes that were made, and opens the breaker when too many were made or too many have failed.
type Guard struct {
	connectorID string
	businessID  string
	writeMode   string
	// limits are the connector's settings.
	limits writing.Breaker
	now    func() time.Time
	made   map[string]map[int64]int // by operation and minute
}

// NewGuard reads what was made within the breaker's window before this process came to the connector.
func NewGuard(
	ctx context.Context,
	tx *pg.Tx,
	o callable.Connector,
	r writing.Rules,
	now func() time.Time,
) (*Guard, error) {
	g := &Guard{
		connectorID: o.ID,
		businessID:  o.BusinessID,
		writeMode:   r.WriteMode,
		limits:      r.Breaker,
		now:         now,
		made:        map[string]map[int64]int{},
	}
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
	rows, err := tx.Query(ctx, sql, g.connectorID, g.limits.Length().String())
	if err != nil {
		return nil, fmt.Errorf("count changes: %w", err)
	}
	var operation string
	var minute int64
	var n int
	_, err = pgx.ForEachRow(
		rows,
		[]any{&operation, &minute, &n},
		func() error { g.put(operation, minute, n); return nil },
	)
	return g, err
}

// Count counts changes that were made now, by their operations. What is urgent does not count, and is left out by the
// caller: an immediate termination is never held up by how many there were.
func (g *Guard) Count(operations []string) {
	for _, operation := range operations {
		g.put(operation, g.now().Unix()/60, 1)
	}
}

// put adds n changes of an operation in a minute, counted since 1970.
func (g *Guard) put(operation string, minute int64, n int) {
	if g.made[operation] == nil {
		g.made[operation] = map[int64]int{}
	}
	g.made[operation][minute] += n
}

// of is how many changes of a kind were made within the window.
func (g *Guard) of(operation string) (n int) {
	since := g.now().Add(-g.limits.Length()).Unix() / 60
	for minute, made := range g.made[operation] {
		if minute < since {
			delete(g.made[operation], minute)
			continue
		}
		n += made
	}
	return n
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

// quota is how many tasks may be taken now.
type quota struct {
	Room int      // tasks of any kind
	Full []string // operations that have reached the limit: none of their tasks is taken
	Open bool     // the breaker has been opened: nothing is sent any more
}

// Quota says how many of room tasks may be taken, so that no kind of change passes the breaker's limit. ended are the
// operations of changes that were made and are not counted yet. When a task of a kind that has reached the limit is
// due, the breaker opens.
func (g *Guard) Quota(ctx context.Context, tx *pg.Tx, room int, ended []string) (quota, error) {
	q := quota{Room: room, Full: []string{}}
	most := g.limits.MaxChanges
	if most <= 0 {
		return q, nil
	}
	under, err := g.sending(ctx, tx)
	if err != nil {
		return quota{}, err
	}
	for _, operation := range bounded {
		made := g.of(operation)
		for _, o := range ended {
			if o == operation {
				made++
			}
		}
		switch left := most - made - under[operation]; {
		case made >= most:
			q.Full = append(q.Full, operation)
		case left <= 0:
			return quota{}, nil // what is being sent may fail: wait and see
		default:
			q.Room = min(q.Room, left)
		}
	}
	if len(q.Full) == 0 {
		return q, nil
	}
	operation, err := g.due(ctx, tx, q.Full)
	if err != nil || operation == "" {
		return q, err
	}
	why := fmt.Sprintf(
		"%d changes to %s were made within %s, the limit without a review; check that further changes are correct, "+
			"then resume writes",
		most,
		ability.Verb(operation),
		g.limits.Window,
	)
	return quota{Open: true}, g.trip(ctx, tx, why)
}

// sending counts the tasks that are being sent now, by operation.
func (g *Guard) sending(ctx context.Context, tx *pg.Tx) (map[string]int, error) {
	const sql = `
		select operation, count(*)::int
		  from provisioning_task
		 where connector_id = $1 and state = 'running' and lane <> 'urgent' and mode = 'auto'
		 group by operation`
	under := map[string]int{}
	var operation string
	var n int
	if err := pg.Each(
		ctx,
		tx,
		"count changes",
		[]any{&operation, &n},
		func() error { under[operation] = n; return nil },
		sql,
		g.connectorID,
	); err != nil {
		return nil, err
	}
	return under, nil
}

// due is one of the operations that a task is due of; empty if there is none.
func (g *Guard) due(ctx context.Context, tx *pg.Tx, operations []string) (operation string, err error) {
	const sql = `
		select operation
		  from provisioning_task
		 where connector_id = $1 and lane = 'normal' and state in ('queued', 'retrying') and mode = 'auto'
		     and next_attempt_at <= now() and operation = any($2)
		 limit 1`
	err = tx.QueryRow(ctx, sql, g.connectorID, operations).Scan(&operation)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("count changes: %w", err)
	}
	return operation, nil
}

// trip opens the breaker: nothing is sent any more until a user resumes writes.
func (g *Guard) trip(ctx context.Context, tx *pg.Tx, why string) error {
	const sql = `
		insert into connector_provisioning as p (tenant_id, connector_id, write_mode, breaker_open_since,
		    breaker_reason)
		values (current_tenant(), $1, $2, now(), $3)
		    on conflict (tenant_id, connector_id) do update
		   set breaker_open_since = now(), breaker_reason = excluded.breaker_reason, updated_at = now()
		 where p.breaker_open_since is null
		returning connector_id`
	var id string
	switch err := tx.QueryRow(ctx, sql, g.connectorID, g.writeMode, why).Scan(&id); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("open breaker: %w", err)
	}
	if err := announce(ctx, tx, event.WritesStopped, g.connectorID, why, g.now()); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "connector.breaker_opened",
		Outcome: audit.Failure,
		Subject: audit.Subject{
			Type:    "connector",
			ID:      g.connectorID,
			Display: g.businessID,
		},
		Context: map[string]any{"reason": why},
	})
}

// Failing opens the breaker when as many tasks have failed, one after the other, as may, and says whether it did.
func (g *Guard) Failing(ctx context.Context, tx *pg.Tx) (open bool, err error) {
	most := g.limits.MaxFailures
	if most <= 0 {
		return false, nil
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
	if err := tx.QueryRow(ctx, sql, g.connectorID, most).Scan(&n); err != nil {
		return false, fmt.Errorf("count failures: %w", err)
	}
	if n < most {
		return false, nil
	}
	return true, g.trip(
		ctx,
		tx,
		fmt.Sprintf("%d consecutive changes failed; check the cause, then resume writes", n),
	)
}
