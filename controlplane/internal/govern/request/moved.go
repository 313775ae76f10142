package request

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Moved is told by fulfilments how far items are.
func (s *Service) Moved(ctx context.Context, tx *pg.Tx, moved []fulfil.Progress) error {
	ids := make([]string, len(moved))
	for i, p := range moved {
		ids[i] = p.ItemID
	}
	b, err := openItems(ctx, tx, ids, s.Now())
	if err != nil {
		return err
	}
	for _, p := range moved {
		if r, item := b.item(p.ItemID); r != nil && item.Given {
			b.move(r, item, p)
		}
		if p.State == fulfil.Closed {
			b.finish(p.ItemID)
		}
	}
	return b.close(ctx, tx)
}

// follows is the status of an item whose access is in a state. What is ending is still there.
var follows = map[string]string{
	fulfil.Scheduled:    Scheduled,
	fulfil.Provisioning: Provisioning,
	fulfil.Fulfilled:    Fulfilled,
	fulfil.Failed:       Failed,
	fulfil.Closed:       Closed,
}

// move brings an item in line with its access.
func (b *book) move(r *AccessRequest, item *AccessRequestItem, p fulfil.Progress) {
	before := item.Fulfilment.State
	item.Fulfilment = p
	if p.EndsAt != nil {
		item.EndsAt = p.EndsAt
	}
	if status, is := follows[p.State]; is {
		item.Status = status
	}
	item.UpdatedAt = b.now
	if p.State == before {
		return
	}
	switch p.State {
	case fulfil.Fulfilled:
		b.note(r, item, Fulfilled, item.Display+": the target has it")
		b.audit(r, actFulfilled, item, "")
	case fulfil.Failed:
		b.note(r, item, Failed, item.Display+": the target did not take it; it stays wanted")
		b.audit(r, actFailed, item, "")
	case fulfil.Closed:
		b.note(r, item, Closed, item.Display+": it has ended, "+cmpText(p.Reason, "and is in the target no more"))
		b.audit(r, actClosed, item, p.Reason)
	case fulfil.Ending:
		b.note(r, item, "ending", item.Display+": it ends, "+cmpText(p.Reason, "and the target follows"))
	default:
		b.note(r, item, p.State, item.Display)
	}
}

// finish ends the requests that had an item's access ended, and those that extended it: it is gone.
func (b *book) finish(itemID string) {
	for _, r := range b.requests {
		for i := range r.Items {
			item := &r.Items[i]
			if item.TargetItemID == nil || *item.TargetItemID != itemID {
				continue
			}
			switch {
			case item.Kind == Extend && item.Status == Fulfilled:
				item.Status = Closed
				b.note(r, item, Closed, item.Display+": the access that was extended has ended")
				b.audit(r, actClosed, item, "the access that was extended has ended")
			case item.Kind != Extend && item.Status == Provisioning:
				item.Status = Fulfilled
				b.note(r, item, Fulfilled, item.Display+": the access is gone")
			}
		}
	}
}
