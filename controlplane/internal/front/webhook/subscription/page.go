package subscription

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Page reads a page of what a query finds, with one row more if there is one, and counts all of it. The order is by
// created_at and id; query begins with "from", and args are named.
func Page[T any](
	ctx context.Context,
	tx *pg.Tx,
	columns, query, alias, direction string,
	args pgx.NamedArgs,
	p pg.Page,
) (items []T, total int64, err error) {
	if err := tx.QueryRow(ctx, "select count(*) "+query, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count: %w", err)
	}
	all := pgx.NamedArgs{"page_rows": p.Limit + 1, "page_offset": p.Offset}
	for name, value := range args {
		all[name] = value
	}
	if len(p.After) == 2 {
		beyond := map[string]string{"": ">", "desc": "<"}[direction]
		query += fmt.Sprintf(
			" and (%[1]s.created_at, %[1]s.id) %[2]s (@page_at::timestamptz, @page_id::uuid)",
			alias,
			beyond,
		)
		all["page_at"], all["page_id"] = p.After[0], p.After[1]
	}
	sql := fmt.Sprintf(
		"select %[1]s %[2]s order by %[3]s.created_at %[4]s, %[3]s.id %[4]s limit @page_rows offset @page_offset",
		columns,
		query,
		alias,
		direction,
	)
	if items, err = pg.All[T](ctx, tx, "list", sql, all); err != nil {
		return nil, 0, err
	}
	return items, total, nil
}
