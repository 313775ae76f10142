package fulfil

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// End ends what items gave, at once: it was returned or revoked. The state becomes Ending, and Closed when the targets
// are seen to have it no more, or other reasons keep it. Of an item that gave nothing, or has ended, nothing changes.
func End(ctx context.Context, tx *pg.Tx, itemIDs []string, why string) error {
	ended, err := mark(ctx, tx, itemIDs, why)
	if err != nil || len(ended) == 0 {
		return err
	}
	var items, assignments []string
	for _, f := range ended {
		if f.AssignmentID != nil {
			assignments = append(assignments, *f.AssignmentID)
		} else {
			items = append(items, f.ItemID)
		}
	}
	if len(assignments) > 0 {
		if _, err := assignment.Unassign(ctx, tx, assignments, time.Time{}, why, false); err != nil {
			return err
		}
	}
	return endReasons(ctx, tx, items, why)
}

// mark writes that items are ending, and gives those that were not yet.
func mark(ctx context.Context, tx *pg.Tx, itemIDs []string, why string) ([]row, error) {
	const sql = `
		update fulfilment f
		   set state = 'ending', ended_reason = $2, due_at = now(), updated_at = now()
		  from unnest($1::text[]::uuid[]) asked (id)
		 where f.item_id = asked.id
		   and f.state not in ('ending', 'closed')
		returning ` + columns
	return pg.All[row](ctx, tx, "end fulfilments", sql, itemIDs, why)
}

// endReasons ends the reasons of single entitlements.
func endReasons(ctx context.Context, tx *pg.Tx, itemIDs []string, why string) error {
	if len(itemIDs) == 0 {
		return nil
	}
	const sql = `
		select r.id::text
		  from unnest($1::text[]::uuid[]) asked (id)
		  join access_reason r
		    on r.source_id = asked.id
		   and r.state <> 'ended'
		   and r.source_type = 'access_request'`
	ids, err := texts(ctx, tx, sql, itemIDs)
	if err != nil || len(ids) == 0 {
		return err
	}
	_, err = ledger.End(ctx, tx, ledger.Which{ReasonIDs: ids}, time.Time{}, why, false)
	return err
}

// texts reads a column of texts.
func texts(ctx context.Context, tx *pg.Tx, sql string, args ...any) ([]string, error) {
	return pg.All[string](ctx, tx, "read reasons of fulfilments", sql, args...)
}

// Extend moves the end of what an item gave, for access that is there or about to be. It is a fault of kind Conflict
// when it has ended, or has no end.
func Extend(ctx context.Context, tx *pg.Tx, itemID string, until time.Time) error {
	const sql = `select ` + columns + ` from fulfilment f where f.item_id = $1 for update`
	found, err := pg.All[row](ctx, tx, "extend fulfilment", sql, itemID)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return fault.New(fault.NotFound, "The request item %s has not granted any access.", itemID)
	}
	f := found[0]
	switch {
	case f.State == Ending || f.State == Closed:
		return fault.Coded(fault.Conflict, "invalid_transition", "the access has ended: request it again").
			Also("allowed", []string{})
	case f.EndsAt == nil && f.Lasts == nil:
		return fault.Coded(fault.Conflict, "invalid_transition", "the access has no end: there is nothing to extend").
			Also("allowed", []string{"return"})
	}
	return f.limit(ctx, tx, until)
}

// limit has what an item gave end at an instant.
func (f row) limit(ctx context.Context, tx *pg.Tx, until time.Time) error {
	const sql = `update fulfilment set ends_at = $2, lasts = null, due_at = now(),
		updated_at = now() where item_id = $1`
	if err := pg.Exec(ctx, tx, "limit fulfilment", sql, f.ItemID, until); err != nil {
		return err
	}
	if f.AssignmentID != nil {
		return assignment.Extend(ctx, tx, *f.AssignmentID, &until)
	}
	const own = `select r.id::text from access_reason r where r.source_id = $1 and r.state <> 'ended'
		and r.source_type = 'access_request'`
	ids, err := texts(ctx, tx, own, f.ItemID)
	if err != nil {
		return err
	}
	for _, id := range ids { // an item has one reason
		if err := ledger.Extend(ctx, tx, id, until); err != nil {
			return err
		}
	}
	return nil
}
