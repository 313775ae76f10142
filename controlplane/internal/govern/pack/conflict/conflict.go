package conflict

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// find reads a conflict. Its fault is of kind NotFound.
func find(ctx context.Context, tx *pg.Tx, id string) (installation.PackConflict, error) {
	missing := fault.New(fault.NotFound, "Conflict %s was not found.", id)
	if !listing.IsID(id) {
		return installation.PackConflict{}, missing
	}
	c, err := pg.One[installation.PackConflict](ctx, tx, "find conflict", `
		select `+installation.ConflictColumns+`
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.tenant_id = current_tenant()
		   and c.id = $1`, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, missing
	case err != nil:
		return c, err
	}
	return c, nil
}

// list reads a page of the conflicts of an installation, the oldest first.
func list(
	ctx context.Context,
	tx *pg.Tx,
	of, state string,
	p pg.Page,
) (items []installation.PackConflict, total int64, err error) {
	const from = `
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.tenant_id = current_tenant()
		   and c.installation_id = @installation
		   and (@state = '' or c.state = @state)`
	args := pgx.NamedArgs{
		"installation": of,
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
	items, err = pg.All[installation.PackConflict](
		ctx,
		tx,
		"list conflicts",
		`select `+installation.ConflictColumns+from+` and (@after::uuid is null or c.id > @after::uuid) order by c.id
			limit @rows offset @skipped`,
		args,
	)
	if err != nil {
		return nil, 0, err
	}
	return items, total, nil
}
