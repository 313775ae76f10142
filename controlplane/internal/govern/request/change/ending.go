package change

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// EndAccess orders the end of the access of an item, for the reason why.
func (b *Set) EndAccess(why, itemID string) { b.endings[why] = append(b.endings[why], itemID) }

// showEnding shows at the items that gave it that access is on its way out, before fulfilment has looked.
func showEnding(ctx context.Context, tx *pg.Tx, itemIDs []string, why string, by decision.Actor) error {
	const sql = `
		with ending as (
		    update access_request_item i
		       set fulfilment = i.fulfilment || '{"state": "ending"}', updated_at = now()
		     where i.id = any($1::text[]::uuid[])
		       and i.given
		    returning i.request_id, i.id, i.display
		)
		insert into access_request_event (tenant_id, request_id, item_id, event, by, detail)
		select current_tenant(), e.request_id, e.id, 'ending', $2, e.display || ': ' || $3
		  from ending e`
	return pg.Exec(ctx, tx, "show what ends", sql, itemIDs, by, why)
}

// LockFulfilments locks the fulfilments of items before their requests are locked, as package fulfil does.
func LockFulfilments(ctx context.Context, tx *pg.Tx, itemIDs []string) error {
	const sql = `select from fulfilment f where f.item_id = any($1::text[]::uuid[]) order by f.item_id for update`
	return pg.Exec(ctx, tx, "lock what was given", sql, itemIDs)
}
