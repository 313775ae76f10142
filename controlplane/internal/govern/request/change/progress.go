package change

import (
	"cmp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
)

// follows is the status of an item whose access is in a state. What is ending is still there.
var follows = map[string]string{
	fulfil.Scheduled:    accessrequest.Scheduled,
	fulfil.Provisioning: accessrequest.Provisioning,
	fulfil.Fulfilled:    accessrequest.Fulfilled,
	fulfil.Failed:       accessrequest.Failed,
	fulfil.Closed:       accessrequest.Closed,
}

// Progress applies the progress of provisioning to an item.
func (b *Set) Progress(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, p fulfil.Progress) {
	before := item.Fulfilment.State
	item.Fulfilment = p
	if p.EndsAt != nil {
		item.EndsAt = p.EndsAt
	}
	if status, is := follows[p.State]; is {
		item.Status = status
	}
	item.UpdatedAt = b.Now
	if p.State == before {
		return
	}
	switch p.State {
	case fulfil.Fulfilled:
		b.Note(r, item, accessrequest.Fulfilled, item.Display+": the target has it")
		b.Audit(r, accessrequest.AuditFulfilled, item, "")
	case fulfil.Failed:
		b.Note(r, item, accessrequest.Failed, item.Display+": the target did not take it; it stays wanted")
		b.Audit(r, accessrequest.AuditFailed, item, "")
	case fulfil.Closed:
		b.Note(
			r,
			item,
			accessrequest.Closed,
			item.Display+": it has ended, "+cmp.Or(p.Reason, "and is in the target no more"),
		)
		b.Audit(r, accessrequest.AuditClosed, item, p.Reason)
	case fulfil.Ending:
		b.Note(r, item, "ending", item.Display+": it ends, "+cmp.Or(p.Reason, "and the target follows"))
	default:
		b.Note(r, item, p.State, item.Display)
	}
}

// Finish ends the requests that extended or ended the access of an item: it is gone.
func (b *Set) Finish(itemID string) {
	for _, r := range b.Requests {
		for i := range r.Items {
			item := &r.Items[i]
			if item.TargetItemID == nil || *item.TargetItemID != itemID {
				continue
			}
			switch {
			case item.Kind == accessrequest.Extend && item.Status == accessrequest.Fulfilled:
				item.Status = accessrequest.Closed
				b.Note(r, item, accessrequest.Closed, item.Display+": the access that was extended has ended")
				b.Audit(r, accessrequest.AuditClosed, item, "the access that was extended has ended")
			case item.Kind != accessrequest.Extend && item.Status == accessrequest.Provisioning:
				item.Status = accessrequest.Fulfilled
				b.Note(r, item, accessrequest.Fulfilled, item.Display+": the access is gone")
			}
		}
	}
}
