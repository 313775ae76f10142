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
	Now      time.Time
	Actor    decision.Actor
	Requests []*accessrequest.AccessRequest
	byItem   map[string]*accessrequest.AccessRequest

	orders     []fulfil.Order
	endings    map[string][]string // items whose access ends, by why
	extensions []Extension
	entries    []timelineEntry
	audits     []audit.Entry
	news       []Event
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
