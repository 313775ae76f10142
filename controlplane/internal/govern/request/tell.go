package request

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// What the audit log calls what happens to requests. That something expired, could be asked of nobody, or was taken
// back by its approver, chains record.
const (
	actSubmitted = "access_request.submitted"
	actApproved  = "access_request.approved"
	actRejected  = "access_request.rejected"
	actCancelled = "access_request.cancelled"
	actCommented = "access_request.commented"
	actEmergency = "access_request.emergency_granted"
	actReviewed  = "access_request.emergency_reviewed"
	actEscalated = "access_request.review_escalated"
	actExtended  = "access_request.extended"
	actReturned  = "access_request.returned"
	actFulfilled = "access_request.item_fulfilled"
	actFailed    = "access_request.item_failed"
	actClosed    = "access_request.item_closed"
	actReplayed  = "access_request.rule_replayed"
)

// itemActions are what it calls decisions about items.
var itemActions = map[string]string{
	Approved:  "access_request.item_approved",
	Rejected:  "access_request.item_rejected",
	Cancelled: "access_request.item_withdrawn",
}

// longestReason is how much of somebody's words an event carries; the rest is read where the request is.
const longestReason = 300

// told is what receivers of request.* events are sent.
type told struct {
	Number            string     `json:"number"`
	Kind              string     `json:"kind"`
	Urgency           string     `json:"urgency"`
	Status            string     `json:"status"`
	RequestedFor      string     `json:"requested_for"`
	RequestedBy       toldBy     `json:"requested_by"`
	ExternalReference *string    `json:"external_reference"`
	ReasonCode        *string    `json:"reason_code,omitempty"`
	Items             []toldItem `json:"items"`
}

type toldBy struct {
	Type       string `json:"type"`
	ID         string `json:"id"`
	IdentityID string `json:"identity_id,omitempty"`
}

type toldItem struct {
	ID            string     `json:"id"`
	RoleID        *string    `json:"role_id,omitempty"`
	EntitlementID *string    `json:"entitlement_id,omitempty"`
	Status        string     `json:"status"`
	Decision      *string    `json:"decision"`
	ReasonCode    *string    `json:"reason_code"`
	Reason        *string    `json:"reason"`
	StartsAt      *time.Time `json:"starts_at"`
	EndsAt        *time.Time `json:"ends_at"`
}

func (r *AccessRequest) told() told {
	t := told{
		Number:            r.Number,
		Kind:              r.Kind,
		Urgency:           r.Urgency,
		Status:            r.Status,
		RequestedFor:      r.RequestedForIdentityID,
		ExternalReference: r.ExternalReference,
		RequestedBy: toldBy{
			Type:       r.RequestedBy.Type,
			ID:         r.RequestedBy.ID,
			IdentityID: r.RequestedBy.IdentityID,
		},
		Items: []toldItem{},
	}
	if r.Status == Rejected || r.Status == Expired {
		t.ReasonCode = r.ReasonCode
	}
	for _, i := range r.Items {
		item := toldItem{
			ID:            i.ID,
			RoleID:        i.RoleID,
			EntitlementID: i.EntitlementID,
			Status:        i.Status,
			Decision:      i.Decision,
			ReasonCode:    i.DecisionCode,
			StartsAt:      i.StartsAt,
			EndsAt:        i.EndsAt,
		}
		if i.DecisionReason != nil {
			text := shorten(*i.DecisionReason, min(longestReason, 8000/len(r.Items)))
			item.Reason = &text
		}
		t.Items = append(t.Items, item)
	}
	return t
}

func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// publish tells receivers, in the order of what happened: of one request there may be several kinds, but one of each.
func publish(ctx context.Context, tx *pg.Tx, all []news) error {
	for _, kind := range []event.Kind{event.RequestSubmitted, event.RequestApproved, event.RequestRejected} {
		var rows []map[string]any
		for _, n := range all {
			if n.kind == kind {
				rows = append(rows, map[string]any{"id": n.of.ID, "version": n.of.Version, "data": n.of.told()})
			}
		}
		if len(rows) == 0 {
			continue
		}
		const sql = `
			select @kind, n.id, n.version, '{}'::text[], n.data
			  from jsonb_to_recordset(@news::jsonb) n (id uuid, version int, data jsonb)`
		text, err := json.Marshal(rows)
		if err != nil {
			return err
		}
		if _, err := event.PublishEach(
			ctx,
			tx,
			"request",
			sql,
			pgx.NamedArgs{"kind": string(kind), "news": string(text)},
		); err != nil {
			return err
		}
	}
	return nil
}

// entry is what the audit log keeps of something that happened to the request, or to one of its items.
func (r *AccessRequest) entry(action string, item *AccessRequestItem, reason string) audit.Entry {
	e := audit.Entry{
		Action:  action,
		Subject: audit.Subject{Type: "access_request", ID: r.ID, Display: r.Number},
		Reason:  reason,
		Objects: []audit.Subject{{Type: "identity", ID: r.RequestedForIdentityID, Display: r.RequestedFor.Display}},
		Context: map[string]any{"kind": r.Kind, "urgency": r.Urgency, "status": r.Status},
	}
	if r.ExternalReference != nil {
		e.Context["external_reference"] = *r.ExternalReference
	}
	if r.ReasonCode != nil {
		e.Context["reason_code"] = *r.ReasonCode
	}
	for _, i := range r.Items {
		if item != nil && i.ID != item.ID {
			continue
		}
		subject := audit.Subject{Type: "role", Display: i.Display}
		if i.RoleID != nil {
			subject.ID = *i.RoleID
		} else if i.EntitlementID != nil {
			subject.Type, subject.ID = "entitlement", *i.EntitlementID
		}
		if !slices.Contains(e.Objects, subject) {
			e.Objects = append(e.Objects, subject)
		}
	}
	if item != nil {
		e.Context["item_id"] = item.ID
		if item.DecisionCode != nil {
			e.Context["decision_code"] = *item.DecisionCode
		}
	}
	return e
}

func enterTimeline(ctx context.Context, tx *pg.Tx, entries []timelineEntry) error {
	if len(entries) == 0 {
		return nil
	}
	const sql = `
		insert into access_request_event (tenant_id, request_id, item_id, at, event, by, detail)
		select current_tenant(), (e ->> 'request_id')::uuid, (e ->> 'item_id')::uuid, clock_timestamp(), e ->> 'event',
		    e -> 'by', e ->> 'detail'
		  from jsonb_array_elements($1::jsonb) with ordinality x (e, n)
		 order by x.n`
	text, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, sql, string(text)); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}
