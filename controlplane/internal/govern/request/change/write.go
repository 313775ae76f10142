package change

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Apply writes the changes, grants and ends access, and publishes events.
func (b *Set) Apply(ctx context.Context, tx *pg.Tx) error {
	if err := b.extend(ctx, tx); err != nil {
		return err
	}
	for _, r := range b.Requests {
		b.settle(r)
	}
	if err := b.write(ctx, tx); err != nil {
		return err
	}
	if err := fulfil.Assign(ctx, tx, b.orders); err != nil {
		return err
	}
	for why, items := range b.endings {
		if err := fulfil.End(ctx, tx, items, why); err != nil {
			return err
		}
		if err := showEnding(ctx, tx, items, why, b.Actor); err != nil {
			return err
		}
	}
	if err := writeTimeline(ctx, tx, b.entries); err != nil {
		return err
	}
	if err := Publish(ctx, tx, b.news); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, b.audits)
}

// write writes the requests and items of the book.
func (b *Set) write(ctx context.Context, tx *pg.Tx) error {
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
	for _, r := range b.Requests {
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
					"review_due_at":   i.Review.EscalateAt(),
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
		if err := pg.Exec(ctx, tx, "write requests", part.sql, string(text)); err != nil {
			return err
		}
	}
	return nil
}
