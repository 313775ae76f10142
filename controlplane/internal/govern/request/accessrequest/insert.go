package accessrequest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Record is a request to be inserted.
type Record struct {
	// ID of the request, chosen by the caller.
	ID string `json:"id"`
	// Number within the tenant, from which the displayed number is formed.
	Serial int64 `json:"number"`
	// Person whose access is requested.
	For string `json:"requested_for"`
	// User or service token that submits the request.
	By decision.Actor `json:"requested_by"`
	// Identity of the requester. Nil: an integration.
	RequesterID *string `json:"requester_id"`
	// User or service token by ID. Nil: the system.
	ActorID *string `json:"requester_actor"`
	// Kind of request: grant, extend, revoke or return.
	Kind string `json:"kind"`
	// Urgency: normal or emergency.
	Urgency string `json:"urgency"`
	// Justification that the requester gave.
	Why string `json:"justification"`
	// Number of a ticket in another system. Nil: none.
	Reference *string `json:"external_reference"`
	// Answers to the questions of the form.
	Answers map[string]any `json:"form_answers"`
	// IDs of the approvers that the requester chose. Never nil.
	Approvers []string `json:"approvers"`
	// Expected approvals, as they were when the request was submitted.
	Preview AccessRequestForesight `json:"preview"`
	// Text that search compares words with: numbers, names, justification, reference.
	Searched string `json:"searched"`
	// When the request expires if it is not decided. Nil: never.
	ExpiresAt any `json:"expires_at"`
}

// ItemRecord is an item to be inserted.
type ItemRecord struct {
	// ID of the item, chosen by the caller.
	ID string `json:"id"`
	// ID of its request.
	RequestID string `json:"request_id"`
	// Place among the items of the request, from 0.
	Position int `json:"position"`
	// Person whose access is requested.
	Beneficiary string `json:"beneficiary_id"`
	// Kind of request: grant, extend, revoke or return.
	Kind string `json:"kind"`
	// Requested role. Nil: an entitlement.
	RoleID *string `json:"role_id"`
	// Requested entitlement. Nil: a role.
	Entitlement *string `json:"entitlement_id"`
	// Account to use. Nil: the person's main account of the system.
	AccountID *string `json:"account_id"`
	// Name of the role or entitlement at that time.
	Display string `json:"display"`
	// Risk level of the role or entitlement at that time.
	RiskLevel *string `json:"risk_level"`
	// Whether the role or entitlement was privileged at that time.
	Privileged bool `json:"privileged"`
	// Values of the role's parameters.
	Parameters map[string]any `json:"parameters"`
	// Requested ISO 8601 duration. Nil: none was given.
	Duration *string `json:"duration"`
	// Requested beginning. Nil: as soon as it is approved.
	StartsAt any `json:"starts_at"`
	// Requested end. Nil: by the duration, or none.
	EndsAt any `json:"ends_at"`
	// Longest allowed ISO 8601 duration. Nil: no limit.
	Longest *string `json:"longest"`
	// Reasons for the limit, for people. Never nil.
	Limits []string `json:"limits"`
	// Approval steps of the item.
	Plan approval.Plan `json:"plan"`
	// Item of an earlier request that this one extends, revokes or returns. Nil: none.
	Target *string `json:"target_item_id"`
}

// Insert writes requests with their items. The same access requested at the same time is a fault with the code
// duplicate_request.
func Insert(ctx context.Context, tx *pg.Tx, requests []Record, items []ItemRecord) error {
	const head = `
		insert into access_request (tenant_id, id, number, requested_for, requested_by, requester_id, requester_actor,
		       kind, urgency, justification, external_reference, form_answers, approvers, preview, searched, expires_at)
		select current_tenant(), q.id, q.number, q.requested_for, q.requested_by, q.requester_id, q.requester_actor,
		       q.kind, q.urgency, q.justification, q.external_reference, q.form_answers, q.approvers, q.preview,
		           q.searched, q.expires_at
		  from jsonb_to_recordset($1::jsonb) q (id uuid, number bigint, requested_for uuid, requested_by jsonb,
		       requester_id uuid, requester_actor uuid, kind text, urgency text, justification text,
		           external_reference text, form_answers jsonb, approvers uuid[], preview jsonb, searched text,
		           expires_at timestamptz)`
	const parts = `
		insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, role_id,
		       entitlement_id, account_id, display, risk_level, privileged, parameters, duration, starts_at, ends_at,
		           longest, limits, plan, target_item_id)
		select current_tenant(), i.id, i.request_id, i.position, i.beneficiary_id, i.kind, i.role_id, i.entitlement_id,
		       i.account_id, i.display, i.risk_level, i.privileged, i.parameters, i.duration, i.starts_at, i.ends_at,
		           i.longest, i.limits, i.plan, i.target_item_id
		  from jsonb_to_recordset($1::jsonb) i (id uuid, request_id uuid, position int, beneficiary_id uuid, kind text,
		       role_id uuid, entitlement_id uuid, account_id uuid, display text, risk_level text, privileged boolean,
		       parameters jsonb, duration text, starts_at timestamptz, ends_at timestamptz, longest text, limits jsonb,
		           plan jsonb, target_item_id uuid)`
	for _, part := range []struct {
		sql  string
		rows any
	}{{head, requests}, {parts, items}} {
		text, err := json.Marshal(part.rows)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, part.sql, string(text)); err != nil {
			return duplicateFault(err)
		}
	}
	return nil
}

// duplicateFault names what the locks should have kept from happening.
func duplicateFault(err error) error {
	for _, index := range []string{"access_request_item_open_role", "access_request_item_open_entitlement",
		"access_request_item_open_extension"} {
		if pg.Violates(err, index) {
			return fault.Coded(fault.Conflict, "duplicate_request", "the same access was requested at the same time")
		}
	}
	return fmt.Errorf("write requests: %w", err)
}

// NextNumbers reserves n numbers of the tenant, and returns the first of them.
func NextNumbers(ctx context.Context, tx *pg.Tx, n int) (first int64, err error) {
	const sql = `
		insert into access_request_number as c (tenant_id, last)
		values (current_tenant(), $1)
		    on conflict (tenant_id) do update set last = c.last + $1
		returning last - $1 + 1`
	if err := tx.QueryRow(ctx, sql, n).Scan(&first); err != nil {
		return 0, fmt.Errorf("number requests: %w", err)
	}
	return first, nil
}
