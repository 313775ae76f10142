package taskcheck

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
)

// Review holds the grants of people that must not be made, also those that a person makes by hand, and resumes those
// that nothing holds any more. Grants that are being made are left to Admit.
func Review(ctx context.Context, tx *pg.Tx, b *rulebook.Book, people []string, now time.Time) error {
	const sql = `
		select ` + grantColumns + `
		  from provisioning_task t
		 where t.identity_id = any($1::text[]::uuid[])
		   and t.entitlement_id is not null
		   and t.operation = 'grant'
		   and t.mode <> 'simulate'
		   and (t.state in ('queued', 'retrying', 'manual') and not t.unsure
		        or t.state = 'blocked' and t.held_at is not null)
		   and ($2 or t.held_at is not null)
		 order by t.id
		   for update of t skip locked`
	grants, err := pg.AllBy(ctx, tx, "read grants to be made", pgx.RowToStructByPos[grant], sql, people, b.Any(holds))
	if err != nil || len(grants) == 0 {
		return err
	}
	violating, err := refused(ctx, tx, b, grants, now)
	if err != nil {
		return err
	}
	var fresh []taskstore.Held
	var over []string
	for _, g := range grants {
		i := slices.IndexFunc(violating, func(h taskstore.Held) bool { return h.ID == g.ID })
		switch {
		case i >= 0 && !g.Held:
			fresh = append(fresh, violating[i])
		case i < 0 && g.Held:
			over = append(over, g.ID)
		}
	}
	if err := taskstore.Hold(ctx, tx, fresh); err != nil {
		return err
	}
	return taskstore.Resume(ctx, tx, over)
}
