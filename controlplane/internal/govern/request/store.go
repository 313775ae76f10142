package request

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const columns = `r.id::text, r.number, r.requested_for::text,
	(select jsonb_build_object('id', b.id, 'display', b.display_name) from identity b
	where b.id = r.requested_for) as beneficiary, r.requested_by, r.requester_id::text, r.requester_actor::text,
	r.justification, r.external_reference, r.kind, r.urgency, r.form_answers, r.approvers::text[], r.status,
	r.reason_code, r.told, r.preview, r.expires_at, r.submitted_at, r.approved_at, r.rejected_at, r.fulfilled_at,
	    r.closed_at, r.updated_at, r.version`

const itemColumns = `i.id::text, i.request_id::text, i.beneficiary_id::text, i.kind, i.role_id::text,
	i.entitlement_id::text, i.account_id::text, i.display, i.risk_level, i.privileged, i.parameters, i.status,
	i.duration, i.starts_at, i.ends_at, i.longest, i.limits, i.plan, i.decision, i.decision_code, i.decision_reason,
	    i.decided_at, i.decided_by, i.target_item_id::text, i.extended_from, i.given, i.fulfilment, i.review,
	    i.updated_at`

// seen is what requests are read from by a viewer: all of them, or those that they may see.
func seen(v viewer.Viewer) string {
	if v.SeesAll() {
		return "(select * from access_request where (select sees_all())) r"
	}
	return "visible_request(nullif(@actor, '')::uuid) r"
}

// find reads a request that the viewer may see, with its items and comments.
func find(ctx context.Context, tx *pg.Tx, id string) (AccessRequest, error) {
	missing := fault.New(fault.NotFound, "there is no request %s", id)
	if !listing.IsID(id) {
		return AccessRequest{}, missing
	}
	found, err := readRequests(
		ctx,
		tx,
		`select `+columns+` from `+seen(tx.Viewer)+` where r.id = @id`,
		pgx.NamedArgs{"id": id, "actor": tx.Viewer.ID},
	)
	if err != nil {
		return AccessRequest{}, err
	}
	if len(found) == 0 {
		return AccessRequest{}, missing
	}
	if err := fill(ctx, tx, found); err != nil {
		return AccessRequest{}, err
	}
	found[0].Comments, err = comments(ctx, tx, &found[0])
	return found[0], err
}

func readRequests(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]AccessRequest, error) {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[AccessRequest])
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	return found, nil
}

func readItems(ctx context.Context, tx *pg.Tx, where string, args ...any) ([]AccessRequestItem, error) {
	rows, err := tx.Query(
		ctx,
		`select `+itemColumns+` from access_request_item i where `+where+` order by i.request_id, i.position`,
		args...)
	if err != nil {
		return nil, fmt.Errorf("read items of requests: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByName[AccessRequestItem])
	if err != nil {
		return nil, fmt.Errorf("read items of requests: %w", err)
	}
	return items, nil
}

// record is a request on its way into the table.
type record struct {
	ID          string                 `json:"id"`
	Serial      int64                  `json:"number"`
	For         string                 `json:"requested_for"`
	By          decision.Actor         `json:"requested_by"`
	RequesterID *string                `json:"requester_id"`
	ActorID     *string                `json:"requester_actor"`
	Kind        string                 `json:"kind"`
	Urgency     string                 `json:"urgency"`
	Why         string                 `json:"justification"`
	Reference   *string                `json:"external_reference"`
	Answers     map[string]any         `json:"form_answers"`
	Approvers   []string               `json:"approvers"`
	Preview     AccessRequestForesight `json:"preview"`
	Searched    string                 `json:"searched"`
	ExpiresAt   any                    `json:"expires_at"`
}

// itemRecord is an item on its way into the table.
type itemRecord struct {
	ID          string         `json:"id"`
	RequestID   string         `json:"request_id"`
	Position    int            `json:"position"`
	Beneficiary string         `json:"beneficiary_id"`
	Kind        string         `json:"kind"`
	RoleID      *string        `json:"role_id"`
	Entitlement *string        `json:"entitlement_id"`
	AccountID   *string        `json:"account_id"`
	Display     string         `json:"display"`
	RiskLevel   *string        `json:"risk_level"`
	Privileged  bool           `json:"privileged"`
	Parameters  map[string]any `json:"parameters"`
	Duration    *string        `json:"duration"`
	StartsAt    any            `json:"starts_at"`
	EndsAt      any            `json:"ends_at"`
	Longest     *string        `json:"longest"`
	Limits      []string       `json:"limits"`
	Plan        approval.Plan  `json:"plan"`
	Target      *string        `json:"target_item_id"`
}

// insert writes requests with their items.
func insert(ctx context.Context, tx *pg.Tx, requests []record, items []itemRecord) error {
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

// numbers takes the next n numbers, and gives the first of them.
func numbers(ctx context.Context, tx *pg.Tx, n int) (first int64, err error) {
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
