package lane

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/breaker"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// terms are those of the lease on a lane and its tasks. It is longer than a change may take with what comes before it,
// so that no process sends under a lease that has passed to another one.
var terms = lease.Terms{Length: 75 * time.Second, Every: 10 * time.Second, Doubt: 30 * time.Second}

// Times of a lane.
const (
	lookIn   = 15 * time.Second // how soon what is closed is looked at again
	farewell = 10 * time.Second // how long changes may go on when the process is stopped
)

// lane is the work on one connector's changes, by one process at a time.
type lane struct {
	s       *Worker
	v       viewer.Viewer
	id      string // the connector
	caller  *attempt.Caller
	rules   writing.Rules
	guard   *breaker.Guard
	paused  bool // it cannot be now
	hold    *lease.Hold
	halted  atomic.Bool
	streak  atomic.Int64 // changes that have failed, one after the other
	latency atomic.Int64 // of a change, on the average: what is at hand lasts for backlog
}

// backlog is for how long changes are at hand that are to be sent next: long enough that none waits for the database,
// and short enough that what is urgent comes soon.
const backlog = 400 * time.Millisecond

// depth is how many tasks are taken at most that have not ended.
func (l *lane) depth() int {
	took := max(time.Duration(l.latency.Load()), time.Millisecond)
	return l.s.Calls + min(max(l.s.Calls, l.s.Calls*int(backlog/took)), 16*l.s.Calls)
}

// learn draws from a change what the next ones need to know: how long they take, and that none is to be sent any more.
func (l *lane) learn(o attempt.Outcome) {
	if o.Took > 0 {
		before := l.latency.Load()
		if before == 0 {
			before = int64(o.Took)
		}
		l.latency.Store((7*before + int64(o.Took)) / 8)
	}
	switch most := int64(l.rules.Breaker.MaxFailures); {
	case o.Halt != "":
		l.halted.Store(true)
	case o.Made():
		l.streak.Store(0)
	case o.State == task.Failed && l.streak.Add(1) >= most && most > 0:
		l.halted.Store(true) // whether the breaker opens is decided when this is written
	}
}

// run makes a connector's changes for as long as there are any.
func (s *Worker) run(ctx context.Context, f found) error {
	l := &lane{s: s, v: viewer.System(f.Tenant), id: f.Connector}
	ctx = telemetry.WithRun(ctx, f.Tenant, f.Connector)
	open, err := l.enter(ctx)
	if err != nil || !open {
		return err
	}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { // the process is stopped: calls that take too long are ended
		l.halted.Store(true)
		time.AfterFunc(farewell, cancel)
	})()
	go l.beat(calls)
	err = l.work(ctx, calls)
	leave, done := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer done()
	return errors.Join(err, l.leave(leave))
}

// enter takes the lease and opens the connector. It returns false if another process has it, or nothing may be sent.
func (l *lane) enter(ctx context.Context) (open bool, err error) {
	const take = `
		update provisioning_lane
		   set owner = $2, lease_until = now() + $3::interval
		 where connector_id = $1
		   and ` + lease.Free + `
		   and (wait_until is null or wait_until <= now())
		returning failures`
	asked := time.Now()
	err = l.s.DB.As(ctx, l.v, func(tx *pg.Tx) error {
		open = false
		var failures int64
		err := tx.QueryRow(ctx, take, l.id, l.s.me, terms.Length.String()).Scan(&failures)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("take lane: %w", err)
		}
		why, err := ability.FindWaiting(ctx, tx, l.id)
		if err != nil {
			return err
		}
		if why != nil {
			return l.postpone(ctx, tx, lookIn)
		}
		rules, err := writing.Load(ctx, tx, []string{l.id})
		if err != nil {
			return err
		}
		rule, known := rules[l.id]
		if !known || rule.WriteMode == task.ModeOff {
			return l.postpone(ctx, tx, lookIn)
		}
		l.rules = rule
		opened, err := l.s.Connectors.Open(ctx, tx, l.id)
		if err != nil {
			return l.unopened(ctx, tx, err)
		}
		l.caller = &attempt.Caller{Dispatch: l.s.Dispatch, Opened: opened, Log: l.s.Log, Limit: l.s.CallLimit}
		l.caller.Failures.Store(failures)
		if l.guard, err = breaker.NewGuard(ctx, tx, opened, rule, l.s.Now); err != nil {
			return err
		}
		open = true
		return nil
	})
	l.hold = terms.Taken(asked)
	return open, err
}

// unopened lets the lane wait for a connector that cannot be opened; a fault of our own is returned.
func (l *lane) unopened(ctx context.Context, tx *pg.Tx, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) && (f.Kind == fault.NotFound || f.Kind == fault.Conflict) {
		return l.wait(ctx, tx, lookIn, f.Message)
	}
	return err
}

// postpone gives the lane back until later. Why it is closed is reported by what closes it.
func (l *lane) postpone(ctx context.Context, tx *pg.Tx, pause time.Duration) error {
	const sql = `
		update provisioning_lane
		   set owner = null, lease_until = null, wait_until = now() + $3::interval, wait_code = null,
		       wait_reason = null, wait_since = null
		 where connector_id = $1
		   and owner = $2`
	_, err := tx.Exec(ctx, sql, l.id, l.s.me, pause.String())
	return err
}

// wait has the lane wait because the target cannot be worked with, and says so.
func (l *lane) wait(ctx context.Context, tx *pg.Tx, pause time.Duration, why string) error {
	const sql = `
		update provisioning_lane
		   set owner = null, lease_until = null, wait_until = now() + $3::interval, wait_code = 'target_unavailable',
		       wait_reason = $4, wait_since = coalesce(wait_since, now()), failures = failures + 1
		 where connector_id = $1
		   and owner = $2`
	return pg.Exec(ctx, tx, "let tasks wait", sql, l.id, l.s.me, pause.String(), why)
}

// leave gives the lease back.
func (l *lane) leave(ctx context.Context) error {
	const sql = `update provisioning_lane set owner = null, lease_until = null where connector_id = $1 and owner = $2`
	return l.s.DB.As(ctx, l.v, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, l.id, l.s.me)
		return err
	})
}

// beat renews the leases of the lane and of its tasks while the work goes on. Once another process has them, what is
// sent already ends, and its end is not written.
func (l *lane) beat(calls context.Context) {
	err := l.hold.Keep(calls, func(ctx context.Context) error {
		err := l.renew(ctx)
		if err != nil && !errors.Is(err, lease.ErrLost) && calls.Err() == nil {
			l.s.Log.WarnContext(ctx, "cannot renew a lease", "err", err)
		}
		return err
	})
	if err != nil {
		l.halted.Store(true)
	}
}

// renew extends the lease of the lane and of the tasks that run in it, in one statement: a process
// that has lost the lane keeps none of its tasks. It fails with lease.ErrLost if another process has taken the
// lane over; its tasks are then that process's to settle. Times are the database's, so that clocks
// of processes do not matter.
func (l *lane) renew(ctx context.Context) error {
	const sql = `
		with mine as (
		    update provisioning_lane
		       set lease_until = now() + $3::interval
		     where connector_id = $1
		       and owner = $2
		       and lease_until > now()
		    returning connector_id
		), tasks as (
		    update provisioning_task t
		       set lease_until = now() + $3::interval
		      from mine
		     where t.connector_id = mine.connector_id
		       and t.state = 'running'
		       and t.lease_owner = $2
		)
		select from mine`
	return l.s.DB.As(ctx, l.v, func(tx *pg.Tx) error {
		return lease.Fenced(tx.Exec(ctx, sql, l.id, l.s.me, terms.Length.String()))
	})
}

// sure says whether the lease is fresh enough to begin a change under it.
func (l *lane) sure() bool {
	return !l.halted.Load() && l.hold.Sure()
}

// work makes changes: as many at once as the target is asked to bear, the next ones at hand while those are being made.
func (l *lane) work(ctx, calls context.Context) error {
	jobs, done := make(chan attempt.Job, 32*l.s.Calls), make(chan attempt.Outcome, 32*l.s.Calls)
	defer close(jobs)
	for range l.s.Calls {
		go func() {
			for j := range jobs {
				o := l.send(calls, j)
				l.learn(o)
				done <- o
			}
		}()
	}
	inFlight := 0
	var ended []attempt.Outcome
	for {
		depth := l.depth()
		more := !l.halted.Load() && ctx.Err() == nil && inFlight-len(ended) <= depth*3/4
		if more || len(ended) > 0 {
			room := depth - (inFlight - len(ended))
			if l.caller.Failures.Load() > 0 {
				room = 1 - (inFlight - len(ended)) // one tries whether the target can be worked with again
			}
			taken, err := l.turn(calls, ended, more && room > 0, room)
			if err != nil {
				l.halted.Store(true)
				return l.abandon(done, inFlight-len(ended), err)
			}
			inFlight += len(taken) - len(ended)
			ended = ended[:0]
			for _, j := range taken {
				jobs <- j
			}
		}
		if inFlight == 0 {
			return nil
		}
		ended = append(ended, <-done)
		for again := true; again; {
			select {
			case o := <-done:
				ended = append(ended, o)
			default:
				again = false
			}
		}
	}
}

// abandon waits for the calls that go on: what became of them cannot be written, so whoever comes next asks the target.
func (l *lane) abandon(done <-chan attempt.Outcome, n int, err error) error {
	for range n {
		<-done
	}
	return err
}

// send sends a task, unless the lease is too old to begin a change under it.
func (l *lane) send(ctx context.Context, j attempt.Job) attempt.Outcome {
	if !l.sure() {
		return attempt.NotSent(j)
	}
	return l.caller.Send(ctx, j)
}
