package bearer

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lru"
)

// what a service token did that is worth a line in the database.
type what string

const (
	used     what = "used"
	fellIdle what = "fell_idle" // it came back after it had not been used for too long
	strayed  what = "strayed"   // it came from a network that it may not be used from
)

// noteEvery is how often the same is written about a token: uses are for people to look at, not to count.
const noteEvery = time.Minute

// note is what a service token did.
type note struct {
	what          what
	tenant, token string
	ip            string
	at            time.Time
}

// subject is what one note a minute is taken of.
type subject struct {
	what          what
	tenant, token string
}

// notes wait to be written. They are few, since the same is taken once a minute, and when the database is slow they are
// dropped: no request waits for them.
type notes struct {
	taken *lru.Cache[subject, time.Time]
	queue chan note
}

// newNotes makes the queue. It has room for 256 notes.
func newNotes() notes {
	return notes{taken: lru.New[subject, time.Time](10_000), queue: make(chan note, 256)}
}

// take queues a note, unless the same was taken a moment ago or the queue is full.
func (w notes) take(n note) {
	about := subject{n.what, n.tenant, n.token}
	if last, ok := w.taken.Get(about); ok && n.at.Sub(last).Abs() < noteEvery {
		return
	}
	select {
	case w.queue <- n:
		w.taken.Put(about, n.at)
	default:
	}
}

// RecordUses writes down when and from where service tokens are used, until ctx ends.
func (s *Authenticator) RecordUses(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case n := <-s.integrations.queue:
			if err := s.write(ctx, n); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(
					ctx,
					"use of a service token could not be recorded",
					"tenant",
					n.tenant,
					"token",
					n.token,
					"what",
					n.what,
					"err",
					err,
				)
			}
		}
	}
}

// write stores a note within five seconds.
func (s *Authenticator) write(ctx context.Context, n note) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.DB.As(ctx, viewer.System(n.tenant), func(tx *pg.Tx) error {
		switch n.what {
		case fellIdle:
			return disableIdle(ctx, tx, n)
		case strayed:
			return recordStray(ctx, tx, n)
		}
		return recordUse(ctx, tx, n)
	})
}

// recordUse notes the latest use of a token. Notes may come out of order.
func recordUse(ctx context.Context, tx *pg.Tx, n note) error {
	const sql = `
		update api_token
		   set last_used_at = $2, last_used_ip = $3
		 where id = $1
		   and (last_used_at is null or last_used_at < $2)`
	return pg.Exec(ctx, tx, "record the use", sql, n.token, n.at, n.ip)
}

// disableIdle disables the token unless somebody has enabled it meanwhile, or it had come to its end before.
func disableIdle(ctx context.Context, tx *pg.Tx, n note) error {
	const sql = `
		update api_token
		   set disabled_at = $2, disabled_reason = 'idle', updated_at = now(), version = version + 1
		 where id = $1
		   and disabled_at is null
		   and revoked_at is null
		   and greatest(last_used_at, awake_since) + idle_after <= least($2, expires_at, rotation_overlap_until)`
	done, err := tx.Exec(ctx, sql, n.token, n.at)
	if err != nil {
		return fmt.Errorf("disable the idle token: %w", err)
	}
	if done.RowsAffected() == 0 {
		return nil
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "api_token.disabled", Subject: audit.Subject{Type: "api_token", ID: n.token},
			Context: map[string]any{"reason": "idle"}},
	)
}

// recordStray records that a token was refused because of the network it came from.
func recordStray(ctx context.Context, tx *pg.Tx, n note) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "api_token.refused",
			Outcome: audit.Denied,
			Subject: audit.Subject{Type: "api_token", ID: n.token},
			Context: map[string]any{"reason": "network_not_allowed", "ip": n.ip},
		},
	)
}
