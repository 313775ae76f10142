package lease

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Free is the condition, in SQL, that the lease of a row is free. The row's table is the only one in its FROM
// clause with a column lease_until.
const Free = `(lease_until is null or lease_until < now())`

// ErrLost says that another process has the lease, or may have it soon: the holder stops, and writes nothing more.
var ErrLost = errors.New("the lease was lost to another process")

// Fenced takes the result of a statement that names the holder of a lease. The error is ErrLost when it has changed no
// row.
func Fenced(tag pgconn.CommandTag, err error) error {
	if err == nil && tag.RowsAffected() == 0 {
		return ErrLost
	}
	return err
}

// Terms are the times of a lease.
type Terms struct {
	Length time.Duration // how long a row belongs to a holder that says nothing more
	Every  time.Duration // between two renewals; one may take a third of Length
	Doubt  time.Duration // since the last renewal that succeeded: the holder acts as if it had lost the lease
}

// Hold is a lease in the hands of this process. Its methods may be called at the same time.
type Hold struct {
	terms Terms

	mu      sync.Mutex
	renewed time.Time // when the last renewal began that succeeded, by our clock
	lost    bool
}

// Taken is a lease that was taken by a statement which was sent at an instant of time.Now.
func (t Terms) Taken(sent time.Time) *Hold { return &Hold{terms: t, renewed: sent} }

// Keep renews the lease until ctx ends, and returns nil then. renew extends lease_until by Length, and fails with
// ErrLost when the lease is another's, as Fenced does; the context that it gets ends after a third of Length. A
// renewal that fails otherwise is tried again. Keep returns ErrLost when renew does, or when no renewal has succeeded
// for Doubt.
func (h *Hold) Keep(ctx context.Context, renew func(ctx context.Context) error) error {
	tick := time.NewTicker(h.terms.Every)
	defer tick.Stop()
	for {
		doubt := time.NewTimer(time.Until(h.last().Add(h.terms.Doubt)))
		select {
		case <-ctx.Done():
			doubt.Stop()
			return nil
		case <-doubt.C:
			return h.lose()
		case <-tick.C:
			doubt.Stop()
		}
		if err := h.renew(ctx, renew); err != nil {
			return err
		}
	}
}

// renew renews once, and gives up when there is doubt.
func (h *Hold) renew(ctx context.Context, renew func(ctx context.Context) error) error {
	sent := time.Now()
	deadline := sent.Add(h.terms.Length / 3)
	if doubt := h.last().Add(h.terms.Doubt); doubt.Before(deadline) {
		deadline = doubt
	}
	short, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	switch err := renew(short); {
	case errors.Is(err, ErrLost) && ctx.Err() == nil:
		return h.lose()
	case err != nil || ctx.Err() != nil:
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.renewed = sent
	return nil
}

func (h *Hold) last() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.renewed
}

func (h *Hold) lose() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = true
	return ErrLost
}

// Sure reports whether the lease is fresh enough to begin something under it that cannot be taken back.
func (h *Hold) Sure() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.lost && time.Since(h.renewed) < h.terms.Doubt
}
