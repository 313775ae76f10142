package schemadiff

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const diffColumns = `d.id, d.connector_id, d.from_snapshot_id, d.to_snapshot_id, d.base_snapshot_id, d.state, d.added,
	d.removed, d.type_changed, d.decisions, d.replaced_by_id, d.version, d.created_at, d.updated_at, d.closed_at`

// Find reads a diff of a connector. Its fault is of kind NotFound where there is none.
func Find(ctx context.Context, tx *pg.Tx, connectorID, id, locking string) (SchemaDiff, error) {
	missing := fault.New(fault.NotFound, "Schema diff %s of this connector was not found.", id)
	if !listing.IsID(id) {
		return SchemaDiff{}, missing
	}
	d, err := pg.One[SchemaDiff](
		ctx,
		tx,
		"find schema diff",
		`select `+diffColumns+` from schema_diff d where d.connector_id = $1 and d.id = $2 `+locking,
		connectorID,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return SchemaDiff{}, missing
	case err != nil:
		return SchemaDiff{}, err
	}
	d.Undecided = len(d.Waiting())
	return d, nil
}

// Undecided are those of these diffs that wait for decisions.
func Undecided(ctx context.Context, tx *pg.Tx, ids []string) ([]SchemaDiff, error) {
	found, err := pg.All[SchemaDiff](
		ctx,
		tx,
		"find schema diffs",
		`select `+diffColumns+` from schema_diff d where d.id = any($1::text[]::uuid[]) and d.closed_at is null`,
		ids,
	)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Undecided = len(found[i].Waiting())
	}
	return found, nil
}

// Insert keeps a new diff.
func Insert(ctx context.Context, tx *pg.Tx, d SchemaDiff) error {
	const sql = `
		insert into schema_diff (tenant_id, id, connector_id, from_snapshot_id, to_snapshot_id, base_snapshot_id, added,
		    removed, type_changed)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8)`
	_, err := tx.Exec(
		ctx,
		sql,
		d.ID,
		d.ConnectorID,
		d.FromSnapshotID,
		d.ToSnapshotID,
		d.BaseID,
		d.Added,
		d.Removed,
		d.TypeChanged,
	)
	if err != nil {
		return fmt.Errorf("keep schema diff: %w", err)
	}
	return nil
}

// CloseOpen ends the open diff of a connector, where there is one: what was decided of it stays decided, the rest is in
// the next one.
func CloseOpen(ctx context.Context, tx *pg.Tx, connectorID string) (closed []string, err error) {
	const sql = `
		update schema_diff
		   set state = case when state = 'open' then 'dismissed' else state end, closed_at = now(), updated_at = now(),
		       version = version + 1
		 where connector_id = $1
		   and closed_at is null
		returning id::text`
	rows, err := tx.Query(ctx, sql, connectorID)
	if err != nil {
		return nil, fmt.Errorf("close schema diff: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Replace notes the later diff that took the place of closed ones.
func Replace(ctx context.Context, tx *pg.Tx, replaced []string, by string) error {
	return pg.Exec(
		ctx,
		tx,
		"note what replaces a schema diff",
		`update schema_diff set replaced_by_id = $2 where id = any($1::uuid[])`,
		replaced,
		by,
	)
}

// Update writes what has become of a diff.
func Update(ctx context.Context, tx *pg.Tx, d SchemaDiff) error {
	const sql = `
		update schema_diff
		   set state = $2, decisions = $3, base_snapshot_id = $4, closed_at = $5, updated_at = now(),
		       version = version + 1
		 where id = $1`
	return pg.Exec(ctx, tx, "keep decisions", sql, d.ID, d.State, d.Decisions, d.BaseID, d.ClosedAt)
}

// List gives a connector's diffs, the newest first.
func List(
	ctx context.Context,
	tx *pg.Tx,
	connectorID, state string,
	page pg.Page,
) (items []SchemaDiff, total int64, err error) {
	const where = ` from schema_diff d where d.connector_id = $1 and ($2 = '' or d.state = $2)`
	if err := tx.QueryRow(ctx, `select count(*)`+where, connectorID, state).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count schema diffs: %w", err)
	}
	args := []any{connectorID, state, page.Limit + 1, page.Offset, nil, nil}
	if page.After != nil {
		args[4], args[5] = page.After[0], page.After[1]
	}
	const order = `
		   and ($5::timestamptz is null or (d.created_at, d.id) < ($5, $6::uuid))
		 order by d.created_at desc, d.id desc
		 limit $3 offset $4`
	rows, err := tx.Query(ctx, `select `+diffColumns+where+order, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list schema diffs: %w", err)
	}
	items, err = pgx.CollectRows(rows, pgx.RowToStructByName[SchemaDiff])
	for i := range items {
		items[i].Undecided = len(items[i].Waiting())
	}
	return items, total, err
}
