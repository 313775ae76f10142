package callback

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Sender sends callbacks.
type Sender struct {
	DB   *pg.DB
	Runs *syncrun.Service
	HTTP *http.Client // reaches public addresses only, within Timeout
	Log  *slog.Logger
	Now  func() time.Time

	group sync.WaitGroup
}

// Wait waits until the deliveries that have begun are over.
func (s *Sender) Wait() { s.group.Wait() }

// Callbacks tell a run's progress to the address given when it was started: at most one a second while it runs, each
// only tried once, and one at the end that is tried again until it arrives or its tries are used up. They are signed
// like webhooks (Standard Webhooks 1.0.0) with a secret of the connector.

// Timeout bounds one callback, with its answer.
const Timeout = 10 * time.Second

// pauses follow the attempts at the last callback: five attempts, at 0, 80 s, 560 s, 3440 s and 20700 s from the first,
// all within six hours.
var pauses = []time.Duration{80 * time.Second, 480 * time.Second, 2880 * time.Second, 17260 * time.Second}

// Follow sends a run's progress to url while the run goes on, at most once a second. The returned function stops it.
// A receiver that is slow or away never holds up the run: what it misses is in the last callback.
func (s *Sender) Follow(ctx context.Context, v viewer.Viewer, connector, id, url string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		var sent int64 = -1
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			run, err := s.Runs.Find(ctx, v, connector, id)
			if err != nil || run.ProgressSeq == sent || run.Status.Ended() {
				continue
			}
			sent = run.ProgressSeq
			if err := s.post(ctx, v.Tenant, url, run.Progress(s.Now())); err != nil && ctx.Err() == nil {
				s.Log.DebugContext(ctx, "progress callback not taken", "run", id, "err", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// DeliverDue sends the last callbacks that are due, of all tenants, in the background; Wait waits for them. A row is
// put off before it is tried, so that two processes never try it at once and one that dies in between is followed by
// another.
func (s *Sender) DeliverDue(ctx context.Context) {
	const sql = `
		select r.tenant_id, r.id, r.connector_id
		  from sync_run r
		  join tenant t
		    on t.id = r.tenant_id
		   and t.status = 'active'
		 where r.callback_state = 'pending'
		   and r.callback_next_at <= now()
		 order by r.callback_next_at
		 limit 20`
	type due struct {
		Tenant    string `db:"tenant_id"`
		ID        string `db:"id"`
		Connector string `db:"connector_id"`
	}
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[due], sql)
	if err != nil {
		return
	}
	for _, d := range found {
		s.group.Add(1)
		go func() {
			defer s.group.Done()
			if err := s.deliver(ctx, viewer.System(d.Tenant), d.Connector, d.ID); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "last callback of a run not delivered", "run", d.ID, "err", err)
			}
		}()
	}
}

// deliver sends the callback of a run that has ended. Taking it and sending it are two steps: the
// taking moves callback_next_at a minute ahead, so that no other process sends at the same time,
// and one that dies in between costs a minute. After the last pause the callback has failed.
func (s *Sender) deliver(ctx context.Context, v viewer.Viewer, connector, id string) error {
	var attempt int
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set callback_attempts = callback_attempts + 1, callback_next_at = now() + interval '1 minute'
			 where tenant_id = current_tenant() and id = $1 and callback_state = 'pending' and callback_next_at <= now()
			returning callback_attempts`
		return tx.QueryRow(ctx, sql, id).Scan(&attempt)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // another process was quicker
	}
	if err != nil {
		return fmt.Errorf("take callback: %w", err)
	}
	run, err := s.Runs.Find(ctx, v, connector, id)
	if err != nil {
		return err
	}
	sent := s.post(ctx, v.Tenant, *run.CallbackURL, run.Progress(s.Now()))
	state, note, next := "delivered", "", time.Duration(0)
	if sent != nil {
		state, note = "pending", reason(sent)
		if attempt > len(pauses) {
			state = "failed"
		} else {
			next = jitter(pauses[attempt-1])
		}
	}
	err = s.DB.As(context.WithoutCancel(ctx), v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set callback_state = $2, callback_error = nullif($3, ''), callback_next_at = now() + $4::interval
			 where tenant_id = current_tenant() and id = $1`
		_, err := tx.Exec(ctx, sql, id, state, note, next.String())
		return err
	})
	if err != nil {
		return err
	}
	return sent
}

// jitter shifts a pause by up to 4 per cent, so that many receivers are not called at one moment.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()*2-1)*0.04*float64(d))
}
