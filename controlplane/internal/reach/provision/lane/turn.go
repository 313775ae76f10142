package lane

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/settle"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

// turn writes what has ended and takes what is next, in one transaction. What is taken is committed as being sent
// before it is.
func (l *lane) turn(
	ctx context.Context,
	ended []attempt.Outcome,
	more bool,
	room int,
) (taken []attempt.Job, err error) {
	err = l.s.DB.As(ctx, l.v, func(tx *pg.Tx) error {
		taken = nil
		stop, err := l.settle(ctx, tx, ended)
		if err != nil || !more || stop {
			return err
		}
		if closed, err := l.closed(ctx, tx); err != nil || closed {
			return err
		}
		taken, err = l.claim(ctx, tx, room, ended)
		return err
	})
	if err == nil {
		l.guard.Count(counted(ended))
	}
	return taken, err
}

// closed looks whether anything may still be sent: somebody may have switched it off meanwhile. What is at hand is not
// sent any more then either.
func (l *lane) closed(ctx context.Context, tx *pg.Tx) (bool, error) {
	const sql = `
		select ` + ability.WaitingSQL + ` is not null or coalesce(p.write_mode, $2) <> $2 or not exists (select
			from tenant n
		      where n.id = c.tenant_id and n.status = 'active')
		  from connector c ` + ability.AroundConnectorSQL + `
		 where c.id = $1
		   and c.deleted_at is null`
	closed := true
	if err := tx.QueryRow(ctx, sql, l.id, l.rules.WriteMode).
		Scan(&closed); err != nil &&
		!errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("look whether anything may be sent: %w", err)
	}
	if closed {
		l.halted.Store(true)
	}
	return closed, nil
}

// settle writes what became of attempts. It says true when nothing else is to be sent now.
func (l *lane) settle(ctx context.Context, tx *pg.Tx, ended []attempt.Outcome) (stop bool, err error) {
	if len(ended) == 0 {
		return false, nil
	}
	ours, err := settle.Attempts(ctx, tx, l.id, l.s.me, l.s.Now(), ended)
	if err != nil || len(ours) == 0 {
		return false, err
	}
	return l.assess(ctx, tx, ours)
}

// assess is what the outcomes say about the connector as a whole: that it cannot be worked with now, that it can again,
// or that too much fails.
func (l *lane) assess(ctx context.Context, tx *pg.Tx, ended []attempt.Outcome) (stop bool, err error) {
	var halt string
	var longest time.Duration
	worked, failed := false, false
	for _, o := range ended {
		if o.Halt != "" && o.Pause >= longest {
			halt, longest = o.Halt, o.Pause
		}
		worked = worked || o.Made() || o.State == task.Simulated
		failed = failed || o.State == task.Failed
	}
	if failed {
		open, err := l.guard.Failing(ctx, tx)
		if open {
			l.halted.Store(true)
		}
		if err != nil {
			return false, err
		}
	}
	if halt != "" {
		l.halted.Store(true)
		return true, l.pauseFor(ctx, tx, longest, halt)
	}
	if worked && l.caller.Failures.Load() > 0 {
		l.caller.Failures.Store(0)
		const sql = `update provisioning_lane set failures = 0, wait_until = null, wait_code = null, wait_reason = null,
			wait_since = null where connector_id = $1`
		if err := pg.Exec(ctx, tx, "note that the target works", sql, l.id); err != nil {
			return false, err
		}
	}
	return l.halted.Load(), nil
}

// pauseFor has everything wait that goes through the connector, but keeps the lease until what is being sent has ended.
func (l *lane) pauseFor(ctx context.Context, tx *pg.Tx, pause time.Duration, why string) error {
	const sql = `
		update provisioning_lane
		   set wait_until = greatest(wait_until, now() + $2::interval), wait_code = 'target_unavailable',
		       wait_reason = $3, wait_since = coalesce(wait_since, now()), failures = failures + $4
		 where connector_id = $1`
	more := 1
	if l.paused {
		more = 0 // the changes that were being sent together fail together
	}
	if err := pg.Exec(ctx, tx, "let tasks wait", sql, l.id, pause.String(), why, more); err != nil {
		return err
	}
	l.paused = true
	return nil
}
