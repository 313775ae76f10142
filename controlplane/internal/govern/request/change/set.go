package change

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Set is a set of locked requests with the changes to them. Everything that changes a request uses a Set; Apply writes
// the changes and carries them out.
type Set struct {
	// Now is the time of all changes, Actor who makes them.
	Now      time.Time
	Actor    decision.Actor
	Requests []*accessrequest.AccessRequest
	// byItem finds the request of an item.
	byItem map[string]*accessrequest.AccessRequest

	// orders are approved items to be fulfilled, and extensions approved requests for more time.
	orders     []fulfil.Order
	endings    map[string][]string // items whose access ends, by why
	extensions []Extension
	// entries, audits and news are written by Apply, after the rows.
	entries []timelineEntry
	audits  []audit.Entry
	news    []Event
}

// Event is an event of a request to be published.
type Event struct {
	Kind event.Kind
	Of   *accessrequest.AccessRequest
}

// Note adds an event to the timeline. item is nil for an event of the request as a whole.
func (b *Set) Note(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, what, detail string) {
	e := timelineEntry{RequestID: r.ID, Event: what, By: b.Actor, Detail: detail}
	if item != nil {
		e.ItemID = &item.ID
	}
	b.entries = append(b.entries, e)
}

// Audit adds an entry to the audit log.
func (b *Set) Audit(r *accessrequest.AccessRequest, action string, item *accessrequest.AccessRequestItem,
	reason string) {
	b.audits = append(b.audits, r.AuditEntry(action, item, reason))
}
