package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// atOnce is how many streams one process sends to at the same time, so that a slow sink does not delay the others.
const atOnce = 16

// Run sends what is due until ctx ends. A process that dies in the middle leaves its streams to the others when their
// leases run out; what it had sent without noting it is then sent again.
func (s *Service) Run(ctx context.Context) error {
	places := make(chan struct{}, atOnce)
	defer s.calls.Wait()
	return loop.Worker{
		Every:  s.pace.look,
		Log:    s.Log,
		Cannot: "cannot look for streams of the audit log",
	}.Run(
		ctx,
		func(ctx context.Context) error {
			found, err := s.due(ctx)
			for _, d := range found {
				select {
				case places <- struct{}{}:
				case <-ctx.Done():
					return nil
				}
				s.calls.Go(func() {
					defer func() { <-places }()
					s.work(ctx, d)
				})
			}
			return err
		},
	)
}

// work sends batch after batch until the stream is up to date or fails.
func (s *Service) work(ctx context.Context, d due) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = s.step(ctx, d); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(
				ctx,
				"stream of the audit log not worked on",
				"tenant",
				d.Tenant,
				"stream",
				d.ID,
				"err",
				err,
			)
			return
		}
	}
}

// step sends one batch of a stream: claim it, send it outside of any transaction, and note the
// result. more says that there is another batch at once.
func (s *Service) step(ctx context.Context, d due) (more bool, err error) {
	var b *batch
	err = s.DB.As(ctx, viewer.System(d.Tenant), func(tx *pg.Tx) (err error) {
		b, err = s.claim(ctx, tx, d.ID)
		return err
	})
	if err != nil || b == nil {
		return false, err
	}
	sent := s.deliver(ctx, d.Tenant, b)
	// What was sent is noted although the process is ending: otherwise it would be sent again.
	note, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = s.DB.As(note, viewer.System(d.Tenant), func(tx *pg.Tx) error {
		if sent != nil {
			return b.failed(note, tx, s.pause(b.stream.Attempts+1, sent), sent)
		}
		return b.delivered(note, tx)
	})
	return sent == nil && b.more, err
}

// deliver sends a batch; one that is too large for the sink goes in halves, all in order.
func (s *Service) deliver(ctx context.Context, tenant string, b *batch) error {
	if len(b.messages) == 0 {
		if b.stream.Lag == 0 {
			return s.behind(ctx, tenant, b)
		}
		return nil
	}
	return s.halves(ctx, tenant, b, b.messages)
}

// halves sends a batch, and sends it in halves if the receiver finds it too large (413).
func (s *Service) halves(ctx context.Context, tenant string, b *batch, messages []message) error {
	err := s.send(ctx, tenant, b.stream, b.keys, messages)
	var r *refusal
	if !errors.As(err, &r) || r.status != 413 || len(messages) == 1 {
		return err
	}
	half := len(messages) / 2
	if err := s.halves(ctx, tenant, b, messages[:half]); err != nil {
		return err
	}
	return s.halves(ctx, tenant, b, messages[half:])
}

// behind distinguishes a stream with nothing to send from one whose log was cut off.
func (s *Service) behind(ctx context.Context, tenant string, b *batch) error {
	var head int64
	err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select coalesce(max(seq), 0) from audit_head where tenant_id = current_tenant()`).
			Scan(&head)
	})
	if err != nil {
		return fmt.Errorf("read the log's head: %w", err)
	}
	if head < b.stream.LastSeq {
		return errBehind
	}
	return nil
}

// pause before the next attempt: it doubles from failure to failure, with jitter, and is never shorter than what the
// sink asks for.
func (s *Service) pause(attempt int, cause error) time.Duration {
	pause := s.pace.longest
	if attempt < 20 {
		pause = min(s.pace.first<<(attempt-1), s.pace.longest)
	}
	pause = pause/2 + rand.N(pause/2+1)
	var r *refusal
	if errors.As(cause, &r) {
		pause = max(pause, r.after)
	}
	return pause
}

// delivered moves the stream on, if this process still has the lease.
func (b *batch) delivered(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		update audit_stream
		   set last_seq = $3, last_checkpoint = $4, skipped = skipped + $5, attempts = 0, last_error = null,
		       last_sent_at = now(), next_at = now(), lease = null, lease_until = null
		 where tenant_id = current_tenant()
		   and id = $1
		   and lease = $2`
	return pg.Exec(ctx, tx, "note what was sent", sql, b.stream.ID, b.lease, b.lastSeq, b.checkpoint, b.skipped)
}

// failed notes the error and the next attempt, if this process still has the lease.
func (b *batch) failed(ctx context.Context, tx *pg.Tx, pause time.Duration, cause error) error {
	const sql = `
		update audit_stream
		   set attempts = attempts + 1, last_error = $3, next_at = now() + $4::interval, lease = null,
		       lease_until = null
		 where tenant_id = current_tenant()
		   and id = $1
		   and lease = $2`
	return pg.Exec(ctx, tx, "note a failure", sql, b.stream.ID, b.lease, shortError(cause), pause)
}

// checkpoint makes a message of a signed checkpoint.
func (m *message) checkpoint(line chain.Line) (err error) {
	m.action, m.outcome = "audit.checkpoint", audit.Success
	if m.line, err = json.Marshal(line); err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	return nil
}
