package change

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// longestReason is how much of somebody's words an event carries; the rest is read where the request is.
const longestReason = 300

// payload is what receivers of request.* events are sent.
type payload struct {
	// Number of the request, such as REQ-000123.
	Number string `json:"number"`
	// Kind of request: grant, extend, revoke or return.
	Kind string `json:"kind"`
	// Urgency: normal or emergency.
	Urgency string `json:"urgency"`
	// Status of the request after the event.
	Status string `json:"status"`
	// ID of the identity whose access is requested.
	RequestedFor string `json:"requested_for"`
	// Requester.
	RequestedBy payloadActor `json:"requested_by"`
	// Number of a ticket in another system. Null: none.
	ExternalReference *string `json:"external_reference"`
	// Code of the reason. Present only if the request was rejected or has expired.
	ReasonCode *string `json:"reason_code,omitempty"`
	// Items of the request.
	Items []payloadItem `json:"items"`
}

// payloadActor is the requester in an event.
type payloadActor struct {
	// Type of the requester, such as user or service.
	Type string `json:"type"`
	// ID of the user or service token.
	ID string `json:"id"`
	// ID of the requester's identity. Absent for an integration.
	IdentityID string `json:"identity_id,omitempty"`
}

// payloadItem is an item in an event.
type payloadItem struct {
	// ID of the item.
	ID string `json:"id"`
	// ID of the requested role. Absent for an entitlement.
	RoleID *string `json:"role_id,omitempty"`
	// ID of the requested entitlement. Absent for a role.
	EntitlementID *string `json:"entitlement_id,omitempty"`
	// Status of the item after the event.
	Status string `json:"status"`
	// Decision about the item. Null: not decided yet.
	Decision *string `json:"decision"`
	// Code of the decision. Null: none.
	ReasonCode *string `json:"reason_code"`
	// Reason for the decision, cut to at most 300 characters. Null: none.
	Reason *string `json:"reason"`
	// Beginning of the access. Null: not decided yet.
	StartsAt *time.Time `json:"starts_at"`
	// End of the access. Null: it has no end.
	EndsAt *time.Time `json:"ends_at"`
}

// payloadOf is the event's data. A code for the whole request is sent only with its rejection or
// expiry. Reasons are cut so that all of them together stay below about 8,000 characters.
func payloadOf(r *accessrequest.AccessRequest) payload {
	t := payload{
		Number:            r.Number,
		Kind:              r.Kind,
		Urgency:           r.Urgency,
		Status:            r.Status,
		RequestedFor:      r.RequestedForIdentityID,
		ExternalReference: r.ExternalReference,
		RequestedBy: payloadActor{
			Type:       r.RequestedBy.Type,
			ID:         r.RequestedBy.ID,
			IdentityID: r.RequestedBy.IdentityID,
		},
		Items: []payloadItem{},
	}
	if r.Status == accessrequest.Rejected || r.Status == accessrequest.Expired {
		t.ReasonCode = r.ReasonCode
	}
	for _, i := range r.Items {
		item := payloadItem{
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

// shorten cuts a text to a number of characters, the last of which then is an ellipsis.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// Publish publishes events of requests, in the order of their kinds.
func Publish(ctx context.Context, tx *pg.Tx, all []Event) error {
	for _, kind := range []event.Kind{event.RequestSubmitted, event.RequestApproved, event.RequestRejected} {
		var rows []map[string]any
		for _, n := range all {
			if n.Kind == kind {
				rows = append(rows, map[string]any{"id": n.Of.ID, "version": n.Of.Version, "data": payloadOf(n.Of)})
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
