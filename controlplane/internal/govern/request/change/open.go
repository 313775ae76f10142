package change

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Open locks requests in the order of their ids, and reads them with their items.
func Open(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) (*Set, error) {
	b := &Set{
		Now:     now,
		Actor:   accessrequest.ActorOf(tx.Viewer),
		byItem:  map[string]*accessrequest.AccessRequest{},
		endings: map[string][]string{},
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return b, nil
	}
	if err := pg.Exec(
		ctx,
		tx,
		"lock requests",
		`select from access_request where id = any($1::text[]::uuid[]) order by id for update`,
		ids,
	); err != nil {
		return nil, err
	}
	found, err := accessrequest.ReadRequests(
		ctx,
		tx,
		`select `+accessrequest.Columns+` from access_request r where r.id = any(@ids::text[]::uuid[]) order by r.id`,
		pgx.NamedArgs{"ids": ids},
	)
	if err != nil {
		return nil, err
	}
	items, err := accessrequest.ReadItems(ctx, tx, `i.request_id = any($1::text[]::uuid[])`, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]*accessrequest.AccessRequest{}
	for i := range found {
		found[i].Number = accessrequest.Number(found[i].Serial)
		byID[found[i].ID] = &found[i]
		b.Requests = append(b.Requests, &found[i])
	}
	for _, item := range items {
		r := byID[item.RequestID]
		r.Items = append(r.Items, item)
		b.byItem[item.ID] = r
	}
	return b, nil
}

// OpenItems opens the requests of items, and those that extend or end the access of these items.
func OpenItems(ctx context.Context, tx *pg.Tx, itemIDs []string, now time.Time) (*Set, error) {
	const sql = `
		select distinct i.request_id::text
		  from access_request_item i
		 where i.id = any($1::text[]::uuid[])
		    or i.target_item_id = any($1::text[]::uuid[]) and (i.status = 'provisioning' or i.status = 'fulfilled'
		        and i.kind = 'extend')`
	ids, err := pg.All[string](ctx, tx, "find requests of items", sql, itemIDs)
	if err != nil {
		return nil, err
	}
	return Open(ctx, tx, ids, now)
}

// Item returns an item with its request; nil if the set does not hold it.
func (b *Set) Item(id string) (*accessrequest.AccessRequest, *accessrequest.AccessRequestItem) {
	r := b.byItem[id]
	if r == nil {
		return nil, nil
	}
	i := slices.IndexFunc(r.Items, func(i accessrequest.AccessRequestItem) bool { return i.ID == id })
	return r, &r.Items[i]
}
