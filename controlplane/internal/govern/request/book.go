package request

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// book are requests that are locked, with what happens to them. Everything that changes a request changes it here, and
// close writes it, tells it and carries it out.
type book struct {
	now      time.Time
	actor    decision.Actor
	requests []*AccessRequest
	byItem   map[string]*AccessRequest

	orders     []fulfil.Order
	endings    map[string][]string // items whose access ends, by why
	extensions []extension
	entries    []timelineEntry
	audits     []audit.Entry
	news       []news
}

// timelineEntry is something that happened, on its way into the timeline.
type timelineEntry struct {
	RequestID string         `json:"request_id"`
	ItemID    *string        `json:"item_id"`
	Event     string         `json:"event"`
	By        decision.Actor `json:"by"`
	Detail    string         `json:"detail"`
}

// news is an event on its way to receivers.
type news struct {
	kind event.Kind
	of   *AccessRequest
}

// actorOf is whoever acts, as requests and timelines name them.
func actorOf(v viewer.Viewer) decision.Actor {
	if v.Kind == viewer.Machine {
		return decision.Actor{Type: "system", ID: v.ID, IdentityID: v.Identity, Display: v.Display}
	}
	return decision.ActorOf(v)
}

// open locks requests, in the order of their ids, and reads them with their items.
func open(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) (*book, error) {
	b := &book{now: now, actor: actorOf(tx.Viewer), byItem: map[string]*AccessRequest{}, endings: map[string][]string{}}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return b, nil
	}
	if _, err := tx.Exec(
		ctx,
		`select from access_request where id = any($1::text[]::uuid[]) order by id for update`,
		ids,
	); err != nil {
		return nil, fmt.Errorf("lock requests: %w", err)
	}
	found, err := readRequests(
		ctx,
		tx,
		`select `+columns+` from access_request r where r.id = any(@ids::text[]::uuid[]) order by r.id`,
		pgx.NamedArgs{"ids": ids},
	)
	if err != nil {
		return nil, err
	}
	items, err := readItems(ctx, tx, `i.request_id = any($1::text[]::uuid[])`, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]*AccessRequest{}
	for i := range found {
		found[i].Number = numberOf(found[i].Serial)
		byID[found[i].ID] = &found[i]
		b.requests = append(b.requests, &found[i])
	}
	for _, item := range items {
		r := byID[item.RequestID]
		r.Items = append(r.Items, item)
		b.byItem[item.ID] = r
	}
	return b, nil
}

// openItems is open for the requests that items belong to, and those that extend or end what they gave.
func openItems(ctx context.Context, tx *pg.Tx, itemIDs []string, now time.Time) (*book, error) {
	const sql = `
		select distinct i.request_id::text
		  from access_request_item i
		 where i.id = any($1::text[]::uuid[])
		    or i.target_item_id = any($1::text[]::uuid[]) and (i.status = 'provisioning' or i.status = 'fulfilled'
		        and i.kind = 'extend')`
	rows, err := tx.Query(ctx, sql, itemIDs)
	if err != nil {
		return nil, fmt.Errorf("find requests of items: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find requests of items: %w", err)
	}
	return open(ctx, tx, ids, now)
}

// item is one of the book's items with its request; nil when there is none.
func (b *book) item(id string) (*AccessRequest, *AccessRequestItem) {
	r := b.byItem[id]
	if r == nil {
		return nil, nil
	}
	i := slices.IndexFunc(r.Items, func(i AccessRequestItem) bool { return i.ID == id })
	return r, &r.Items[i]
}

// note enters what happened into the timeline.
func (b *book) note(r *AccessRequest, item *AccessRequestItem, what, detail string) {
	e := timelineEntry{RequestID: r.ID, Event: what, By: b.actor, Detail: detail}
	if item != nil {
		e.ItemID = &item.ID
	}
	b.entries = append(b.entries, e)
}

// audit enters what happened into the audit log.
func (b *book) audit(r *AccessRequest, action string, item *AccessRequestItem, reason string) {
	b.audits = append(b.audits, r.entry(action, item, reason))
}

// decide writes what was decided about an item that waits for it.
func (b *book) decide(r *AccessRequest, item *AccessRequestItem, what, code, reason string, by []decision.Actor) {
	item.Status, item.Decision, item.DecisionCode = what, &what, &code
	if reason != "" {
		item.DecisionReason = &reason
	}
	item.DecidedAt, item.DecidedBy = &b.now, by
	if by == nil {
		item.DecidedBy = []decision.Actor{}
	}
	item.UpdatedAt = b.now
	b.note(r, item, what, item.Display+": "+cmpText(reason, code))
	if action, is := itemActions[what]; is {
		b.audit(r, action, item, reason)
	}
}

func cmpText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// close writes everything, gives and ends what follows from it, and tells whoever wants to know.
func (b *book) close(ctx context.Context, tx *pg.Tx) error {
	if err := b.extend(ctx, tx); err != nil {
		return err
	}
	for _, r := range b.requests {
		b.settle(r)
	}
	if err := b.write(ctx, tx); err != nil {
		return err
	}
	if err := fulfil.Give(ctx, tx, b.orders); err != nil {
		return err
	}
	for why, items := range b.endings {
		if err := fulfil.End(ctx, tx, items, why); err != nil {
			return err
		}
		if err := showEnding(ctx, tx, items, why, b.actor); err != nil {
			return err
		}
	}
	if err := enterTimeline(ctx, tx, b.entries); err != nil {
		return err
	}
	if err := publish(ctx, tx, b.news); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, b.audits)
}

// settle brings a request in line with its items.
func (b *book) settle(r *AccessRequest) {
	statuses := make([]string, len(r.Items))
	waiting, granted := false, false
	for i, item := range r.Items {
		statuses[i] = item.Status
		waiting, granted = waiting || item.open(), granted || item.granted()
	}
	before := r.Status
	r.Status = statusOf(statuses)
	if !waiting {
		b.tell(r, granted)
	}
	if r.Status != before {
		r.mark(b.now)
	}
	r.UpdatedAt, r.Version = b.now, r.Version+1
}

// tell notes the outcome of a request of which everything is decided, once.
func (b *book) tell(r *AccessRequest, granted bool) {
	if r.Told != "" {
		return
	}
	switch {
	case granted:
		r.Told, r.ApprovedAt, r.ReasonCode = "approved", &b.now, nil
		b.news = append(b.news, news{event.RequestApproved, r})
		b.audit(r, actApproved, nil, "")
	case r.Status == Rejected || r.Status == Expired:
		code := r.reasonCode()
		r.Told, r.RejectedAt, r.ReasonCode = "rejected", &b.now, &code
		b.news = append(b.news, news{event.RequestRejected, r})
		b.audit(r, actRejected, nil, r.why())
	case r.Status == Cancelled:
		code := Cancelled
		r.ReasonCode = &code
	}
}

// mark notes when a request reached its status.
func (r *AccessRequest) mark(now time.Time) {
	switch r.Status {
	case Fulfilled, PartiallyFulfilled:
		if r.FulfilledAt == nil {
			r.FulfilledAt = &now
		}
		r.ClosedAt = nil
	case Closed, Cancelled, Rejected, Expired:
		r.ClosedAt = &now
	}
}

// reasonCode says why a request ended without access.
func (r *AccessRequest) reasonCode() string {
	if r.Status == Expired {
		return Expired
	}
	for _, i := range r.Items {
		if i.Status == Rejected && i.DecisionCode != nil {
			return *i.DecisionCode
		}
	}
	return Rejected
}

// why is the first reason that was given for a refusal.
func (r *AccessRequest) why() string {
	for _, i := range r.Items {
		if i.DecisionReason != nil && !i.granted() {
			return *i.DecisionReason
		}
	}
	return ""
}

// write writes the requests and items of the book.
func (b *book) write(ctx context.Context, tx *pg.Tx) error {
	const heads = `
		update access_request r
		   set status = u.status, reason_code = u.reason_code, told = u.told, approved_at = u.approved_at,
		       rejected_at = u.rejected_at, fulfilled_at = u.fulfilled_at, closed_at = u.closed_at,
		           updated_at = u.updated_at, version = u.version
		  from jsonb_to_recordset($1::jsonb) u (id uuid, status text, reason_code text, told text,
		       approved_at timestamptz, rejected_at timestamptz, fulfilled_at timestamptz, closed_at timestamptz,
		           updated_at timestamptz, version int)
		 where r.id = u.id`
	const parts = `
		update access_request_item i
		   set status = u.status, duration = u.duration, starts_at = u.starts_at, ends_at = u.ends_at,
		       decision = u.decision, decision_code = u.decision_code, decision_reason = u.decision_reason,
		       decided_at = u.decided_at, decided_by = u.decided_by, given = u.given, fulfilment = u.fulfilment,
		           review = nullif(u.review, 'null'::jsonb), review_due_at = u.review_due_at,
		           extended_from = u.extended_from, updated_at = now()
		  from jsonb_to_recordset($1::jsonb) u (id uuid, status text, duration text, starts_at timestamptz,
		       ends_at timestamptz, decision text, decision_code text, decision_reason text, decided_at timestamptz,
		           decided_by jsonb, given boolean, fulfilment jsonb, review jsonb, review_due_at timestamptz,
		           extended_from timestamptz)
		 where i.id = u.id`
	requests, items := []map[string]any{}, []map[string]any{}
	for _, r := range b.requests {
		requests = append(
			requests,
			map[string]any{
				"id":           r.ID,
				"status":       r.Status,
				"reason_code":  r.ReasonCode,
				"told":         r.Told,
				"approved_at":  r.ApprovedAt,
				"rejected_at":  r.RejectedAt,
				"fulfilled_at": r.FulfilledAt,
				"closed_at":    r.ClosedAt,
				"updated_at":   r.UpdatedAt,
				"version":      r.Version,
			},
		)
		for _, i := range r.Items {
			items = append(
				items,
				map[string]any{
					"id":              i.ID,
					"status":          i.Status,
					"duration":        i.Duration,
					"starts_at":       i.StartsAt,
					"ends_at":         i.EndsAt,
					"decision":        i.Decision,
					"decision_code":   i.DecisionCode,
					"decision_reason": i.DecisionReason,
					"decided_at":      i.DecidedAt,
					"decided_by":      i.DecidedBy,
					"given":           i.Given,
					"fulfilment":      i.Fulfilment,
					"review":          i.Review,
					"review_due_at":   i.Review.due(),
					"extended_from":   i.ExtendedFrom,
				},
			)
		}
	}
	for _, part := range []struct {
		sql  string
		rows any
	}{{heads, requests}, {parts, items}} {
		text, err := json.Marshal(part.rows)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, part.sql, string(text)); err != nil {
			return fmt.Errorf("write requests: %w", err)
		}
	}
	return nil
}
