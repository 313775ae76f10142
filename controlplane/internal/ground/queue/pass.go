package queue

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// isolation bounds how many parts of a batch are tried in the search for the items that fail. What is not found then
// waits together.
const isolation = 64

// pass does one pass of a kind in a tenant: a batch, or a part. It says how much was done, and whether there may be
// more. The error is that of the whole pass, or those of the items that failed, which are noted in the queue then.
func (q *Queue) pass(ctx context.Context, tenant string, k Kind) (n int, more bool, err error) {
	began := time.Now()
	defer func() { q.observe(k.Name, time.Since(began), n, err) }()
	if k.Part != nil {
		n, err = k.Part(ctx, tenant)
		return n, n > 0, err
	}
	taken, err := q.attempt(ctx, tenant, k, nil)
	switch {
	case err == nil:
		return len(taken), len(taken) >= k.Batch, nil
	case len(taken) == 0 || !blames(ctx, err):
		return 0, false, err
	}
	s := &search{q: q, tenant: tenant, kind: k}
	if err := s.split(ctx, taken, err); err != nil {
		return s.done, false, err
	}
	return s.done, true, errors.Join(s.failed...)
}

// attempt works on a batch in one transaction, or on these subjects. It gives what it took, even when it failed.
func (q *Queue) attempt(ctx context.Context, tenant string, k Kind, these []string) (taken []Item, err error) {
	for range repeats {
		err = q.DB.As(ctx, k.viewer(tenant), func(tx *pg.Tx) error {
			taken = nil
			locked, err := TryLock(ctx, tx, k.group())
			if err != nil || !locked {
				return err
			}
			if taken, err = take(ctx, tx, k, these); err != nil || len(taken) == 0 {
				return err
			}
			return k.Work(ctx, tx, taken)
		})
		if !errors.Is(err, ErrOvertaken) {
			break
		}
	}
	return taken, err
}

// search finds the items of a batch that fail by themselves, and has all others done.
type search struct {
	q      *Queue
	tenant string
	kind   Kind
	tries  int
	done   int
	failed []error
}

// split tries the halves of a batch that has failed with cause. Its own error ends the search.
func (s *search) split(ctx context.Context, batch []Item, cause error) error {
	if len(batch) == 1 {
		return s.fail(ctx, batch[0], cause)
	}
	if s.tries >= isolation {
		s.failed = append(s.failed, cause)
		return s.q.DB.As(
			ctx,
			s.kind.viewer(s.tenant),
			func(tx *pg.Tx) error { return postpone(ctx, tx, s.kind, batch) },
		)
	}
	half := len(batch) / 2
	for _, part := range [][]Item{batch[:half], batch[half:]} {
		s.tries++
		taken, err := s.q.attempt(ctx, s.tenant, s.kind, Subjects(part))
		switch {
		case err == nil:
			s.done += len(taken)
		case len(taken) == 0 || !blames(ctx, err):
			return err
		default:
			if err := s.split(ctx, taken, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *search) fail(ctx context.Context, item Item, cause error) error {
	dead := false
	err := s.q.DB.As(ctx, s.kind.viewer(s.tenant), func(tx *pg.Tx) (err error) {
		dead, err = item.fail(ctx, tx, s.kind, cause)
		return err
	})
	if err != nil {
		return err
	}
	s.failed = append(s.failed, cause)
	log := s.q.Log.With(
		"tenant",
		s.tenant,
		"kind",
		s.kind.Name,
		"subject",
		item.Subject,
		"attempts",
		item.Attempts+1,
		"err",
		cause,
	)
	if dead {
		log.ErrorContext(ctx, "work item failed for the last time; it is a dead letter now")
	} else {
		log.WarnContext(ctx, "work item failed; it is retried")
	}
	return nil
}
