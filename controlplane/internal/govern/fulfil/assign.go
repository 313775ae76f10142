package fulfil

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// unseen is how much longer than requested access can last whose beginning is never seen: the clock starts when
// the target is seen to have it, and a target that never shows it must not keep it for ever.
const unseen = 7 * 24 * time.Hour

// sourceType is that of the reasons of single entitlements; their source is the item.
const sourceType = "access_request"

// Assign enters the reasons of the orders in the caller's transaction; provisioning follows from them. An item can be
// assigned again after its access has ended or is ending. Before that, the error is a fault of kind Conflict.
func Assign(ctx context.Context, tx *pg.Tx, orders []Order) error {
	if len(orders) == 0 {
		return nil
	}
	assigned, err := assign(ctx, tx, orders)
	if err != nil {
		return err
	}
	if err := enter(ctx, tx, orders, assigned); err != nil {
		return err
	}
	return giveReasons(ctx, tx, orders)
}

// assign gives the roles that are ordered, and the ids of their assignments by item.
func assign(ctx context.Context, tx *pg.Tx, orders []Order) (map[string]string, error) {
	var all []assignment.Assignment
	ids := map[string]string{}
	for _, o := range orders {
		if o.RoleID == nil {
			continue
		}
		a := assignment.Assignment{
			ID:         newID(),
			RoleID:     *o.RoleID,
			IdentityID: o.IdentityID,
			Kind:       o.Kind,
			Reason:     o.Justification,
			RequestID:  &o.RequestID,
			Parameters: o.Parameters,
			Details:    o.details(),
			EndsAt:     o.end(time.Now()),
		}
		if o.StartsAt != nil {
			a.StartsAt = *o.StartsAt
		}
		ids[o.ItemID] = a.ID
		all = append(all, a)
	}
	if len(all) == 0 {
		return ids, nil
	}
	_, err := assignment.Assign(ctx, tx, all)
	return ids, err
}

// newID is a new UUID whose order is that of time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// end is when the access ends at the latest, as far as is known before the target was seen to have it.
func (o Order) end(now time.Time) *time.Time {
	if o.Duration == 0 {
		return o.EndsAt
	}
	from := now
	if o.StartsAt != nil && o.StartsAt.After(now) {
		from = *o.StartsAt
	}
	last := from.Add(o.Duration + unseen)
	return &last
}

// details stand at the reasons: what the access was asked for by.
func (o Order) details() map[string]any {
	d := map[string]any{
		"source":      "request " + o.Number,
		"request_id":  o.RequestID,
		"item_id":     o.ItemID,
		"number":      o.Number,
		"approved_by": o.ApprovedBy,
	}
	if o.ApprovedBy == nil {
		d["approved_by"] = []map[string]any{}
	}
	if o.ExternalReference != "" {
		d["external_reference"] = o.ExternalReference
	}
	return d
}

// enter writes the fulfilments, each item once.
func enter(ctx context.Context, tx *pg.Tx, orders []Order, assigned map[string]string) error {
	const sql = `
		insert into fulfilment (tenant_id, item_id, request_id, identity_id, role_id, entitlement_id, account_id,
		    assignment_id, kind, state, starts_at, lasts, ends_at, due_at)
		select current_tenant(), o.item, o.request, o.identity, o.role, o.entitlement, o.account, o.assignment, o.kind,
		       case when o.starts_at > now() then 'scheduled' else 'provisioning' end, o.starts_at,
		       make_interval(secs => o.lasts), o.ends_at, coalesce(greatest(o.starts_at, now()), now())
		  from jsonb_to_recordset($1::jsonb) o (item uuid, request uuid, identity uuid, role uuid, entitlement uuid,
		       account uuid, assignment uuid, kind text, starts_at timestamptz, lasts float8, ends_at timestamptz)
		    on conflict (tenant_id, item_id) do update
		   set assignment_id = excluded.assignment_id, state = excluded.state, starts_at = excluded.starts_at,
		       lasts = excluded.lasts, ends_at = excluded.ends_at, due_at = excluded.due_at, verified_at = null,
		           told = '{}', ended_reason = null, created_at = now(), updated_at = now()
		 where fulfilment.state in ('ending', 'closed')`
	rows := make([]map[string]any, len(orders))
	for i, o := range orders {
		rows[i] = map[string]any{
			"item":        o.ItemID,
			"request":     o.RequestID,
			"identity":    o.IdentityID,
			"role":        o.RoleID,
			"entitlement": o.EntitlementID,
			"account":     o.AccountID,
			"kind":        o.Kind,
			"starts_at":   o.StartsAt,
			"ends_at":     o.EndsAt,
		}
		if id, ok := assigned[o.ItemID]; ok {
			rows[i]["assignment"] = id
		}
		if o.Duration > 0 {
			rows[i]["lasts"], rows[i]["ends_at"] = o.Duration.Seconds(), nil
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	entered, err := tx.Exec(ctx, sql, string(text))
	if err != nil {
		return fmt.Errorf("enter fulfilments: %w", err)
	}
	if int(entered.RowsAffected()) != len(orders) {
		return fault.Coded(
			fault.Conflict,
			"already_given",
			"One of these items has already granted access that has not ended.",
		)
	}
	return nil
}

// giveReasons enters the reasons of the entitlements that are ordered one by one.
func giveReasons(ctx context.Context, tx *pg.Tx, orders []Order) error {
	systems, err := systemsOf(ctx, tx, orders)
	if err != nil {
		return err
	}
	var reasons []ledger.Reason
	for _, o := range orders {
		if o.EntitlementID == nil {
			continue
		}
		system, there := systems[*o.EntitlementID]
		if !there {
			return fault.Coded(
				fault.Conflict,
				"not_grantable",
				"Entitlement %s does not belong to a system in which it can be granted.",
				*o.EntitlementID,
			)
		}
		note := o.Justification
		r := ledger.Reason{
			IdentityID:    o.IdentityID,
			ConnectorID:   system,
			EntitlementID: o.EntitlementID,
			AccountID:     o.AccountID,
			Kind:          o.Kind,
			SourceType:    sourceType,
			SourceID:      o.ItemID,
			Note:          &note,
			EndsAt:        o.end(time.Now()),
			Details:       o.details(),
		}
		if o.StartsAt != nil {
			r.StartsAt = *o.StartsAt
		}
		reasons = append(reasons, r)
	}
	_, err = ledger.Add(ctx, tx, reasons)
	return err
}

// systemsOf are the connectors of the ordered entitlements.
func systemsOf(ctx context.Context, tx *pg.Tx, orders []Order) (map[string]string, error) {
	var ids []string
	for _, o := range orders {
		if o.EntitlementID != nil {
			ids = append(ids, *o.EntitlementID)
		}
	}
	const sql = `
		select e.id::text, e.connector_id::text
		  from unnest($1::text[]::uuid[]) asked (id)
		  join entitlement e on e.id = asked.id
		 where e.connector_id is not null`
	systems := map[string]string{}
	var id, system string
	if err := pg.Each(
		ctx,
		tx,
		"systems of what is ordered",
		[]any{&id, &system},
		func() error { systems[id] = system; return nil },
		sql,
		ids,
	); err != nil {
		return nil, err
	}
	return systems, nil
}
