package conflict

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// PackConflict is where a pack and the tenant want different things of one object.
type PackConflict struct {
	ID        string `json:"id" db:"id"`
	PackKey   string `json:"pack_key" db:"pack_key"`
	Kind      string `json:"kind" db:"kind"`
	ObjectKey string `json:"object_key" db:"object_key"`
	// In which they differ.
	Fields []string `json:"fields" db:"fields" nullable:"false"`
	// What the pack wanted before; null: the tenant had the object before the pack.
	Base map[string]any `json:"base" db:"base"`
	// What the tenant has made of it.
	Mine map[string]any `json:"mine" db:"mine"`
	// What the pack wants now; null: it has the object no more.
	Theirs map[string]any `json:"theirs" db:"theirs"`
	// superseded: a later version, or the end of the installation, has overtaken it.
	State      string         `json:"state" db:"state" enum:"open,resolved,superseded"`
	Resolution *string        `json:"resolution" db:"resolution" enum:"mine,theirs,merged"`
	ResolvedBy map[string]any `json:"resolved_by" db:"resolved_by"`
	ResolvedAt *time.Time     `json:"resolved_at" db:"resolved_at"`
	CreatedAt  time.Time      `json:"created_at" db:"created_at"`
	Version    int            `json:"version" db:"version"`
	Object     string         `json:"-" db:"installation_id"`
}

const conflictColumns = `c.id::text, i.pack_key, c.kind, c.object_key, c.fields, c.base, c.mine, c.theirs, c.state,
	c.resolution, c.resolved_by, c.resolved_at, c.created_at, c.version, c.installation_id::text`

// find reads a conflict. Its fault is of kind NotFound.
func find(ctx context.Context, tx *pg.Tx, id string) (PackConflict, error) {
	missing := fault.New(fault.NotFound, "there is no conflict %s", id)
	if !listing.IsID(id) {
		return PackConflict{}, missing
	}
	rows, err := tx.Query(ctx, `
		select `+conflictColumns+`
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.tenant_id = current_tenant()
		   and c.id = $1`, id)
	if err != nil {
		return PackConflict{}, fmt.Errorf("find conflict: %w", err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[PackConflict])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, missing
	case err != nil:
		return c, fmt.Errorf("find conflict: %w", err)
	}
	return c, nil
}

// Open reads those of these conflicts that wait for a decision, in no order.
func Open(ctx context.Context, tx *pg.Tx, ids []string) ([]PackConflict, error) {
	rows, err := tx.Query(ctx, `
		select `+conflictColumns+`
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.id = any($1::text[]::uuid[])
		   and c.state = 'open'`, ids)
	if err != nil {
		return nil, fmt.Errorf("find conflicts: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[PackConflict])
	if err != nil {
		return nil, fmt.Errorf("find conflicts: %w", err)
	}
	return found, nil
}

// list reads a page of the conflicts of an installation, the oldest first.
func list(
	ctx context.Context,
	tx *pg.Tx,
	installation, state string,
	p pg.Page,
) (items []PackConflict, total int64, err error) {
	const from = `
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.tenant_id = current_tenant()
		   and c.installation_id = @installation
		   and (@state = '' or c.state = @state)`
	args := pgx.NamedArgs{
		"installation": installation,
		"state":        state,
		"rows":         p.Limit + 1,
		"skipped":      p.Offset,
		"after":        nil,
	}
	if err := tx.QueryRow(ctx, `select count(*)`+from, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count conflicts: %w", err)
	}
	if len(p.After) > 0 {
		args["after"] = p.After[0]
	}
	rows, err := tx.Query(
		ctx,
		`select `+conflictColumns+from+` and (@after::uuid is null or c.id > @after::uuid) order by c.id
			limit @rows offset @skipped`,
		args,
	)
	if err != nil {
		return nil, 0, fmt.Errorf("list conflicts: %w", err)
	}
	items, err = pgx.CollectRows(rows, pgx.RowToStructByName[PackConflict])
	if err != nil {
		return nil, 0, fmt.Errorf("list conflicts: %w", err)
	}
	return items, total, nil
}
