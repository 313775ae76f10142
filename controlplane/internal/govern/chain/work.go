package chain

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// resolveAtOnce is how many stages are opened by whoever decides: for each it has to be found anew who is asked. The
// stages that many decisions at once open beyond these are left to the worker, which is told of them as the decisions
// are committed.
const resolveAtOnce = 20

// work is what one transaction does to chains. It is gathered in memory and done at the end, in a few statements
// however many chains there are.
type work struct {
	*batch.Batch

	s        *Service
	resolved int // stages that were opened
	clock    Clock
	holders  map[string][]string // of roles of the tenant: the people, or users, who have them
	outcomes []Outcome
}

func (s *Service) work(tx *pg.Tx) *work { return &work{s: s, Batch: batch.New(tx, s.Now())} }

func (w *work) report(f *state.Flow, result, code, reason string) {
	w.outcomes = append(
		w.outcomes,
		Outcome{
			ItemID:       f.ItemID,
			Result:       result,
			ReasonCode:   code,
			Reason:       reason,
			By:           f.Deciders(),
			ByRequesting: f.Requesters(),
			StartsAt:     f.StartsAt,
			EndsAt:       f.EndsAt,
			Exceptions:   f.AllowedExceptions(),
		},
	)
}

// working counts working time from now. The calendars are read once.
func (w *work) working(ctx context.Context, within time.Duration, calendar string) (time.Time, error) {
	if w.clock == nil {
		clock, err := w.s.approvers().Clock(ctx, w.Tx)
		if err != nil {
			return time.Time{}, err
		}
		w.clock = clock
	}
	return w.clock.Due(w.Now, within, calendar).UTC(), nil
}

// finish writes what was gathered, and tells whoever waits for the outcomes.
func (w *work) finish(ctx context.Context) error {
	if err := w.Commit(ctx); err != nil || len(w.outcomes) == 0 {
		return err
	}
	return w.s.Decided(ctx, w.Tx, w.outcomes)
}
