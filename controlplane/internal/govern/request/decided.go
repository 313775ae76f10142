package request

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Decided is told by chains what became of items. What does not fit an item's status any more is passed over: it was
// withdrawn meanwhile.
func (s *Service) Decided(ctx context.Context, tx *pg.Tx, outcomes []chain.Outcome) error {
	ids := make([]string, len(outcomes))
	for i, o := range outcomes {
		ids[i] = o.ItemID
	}
	b, err := change.OpenItems(ctx, tx, ids, s.Now())
	if err != nil {
		return err
	}
	var approved []chain.Outcome
	for _, o := range outcomes {
		if o.Result == chain.Approved {
			approved = append(approved, o)
		}
	}
	if err := s.settleExceptions(ctx, tx, b, approved); err != nil {
		return err
	}
	for _, o := range outcomes {
		r, item := b.Item(o.ItemID)
		if r == nil {
			return fmt.Errorf("a chain tells of the item %s, which is none", o.ItemID)
		}
		if err := b.Take(r, item, o); err != nil {
			return err
		}
	}
	return b.Apply(ctx, tx)
}

// Moved is told by fulfilments how far items are.
func (s *Service) Moved(ctx context.Context, tx *pg.Tx, moved []fulfil.Progress) error {
	ids := make([]string, len(moved))
	for i, p := range moved {
		ids[i] = p.ItemID
	}
	b, err := change.OpenItems(ctx, tx, ids, s.Now())
	if err != nil {
		return err
	}
	for _, p := range moved {
		if r, item := b.Item(p.ItemID); r != nil && item.Given {
			b.Progress(r, item, p)
		}
		if p.State == fulfil.Closed {
			b.Finish(p.ItemID)
		}
	}
	return b.Apply(ctx, tx)
}
