package duty

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// keepVersion stores the fields as the content of the duty's current version.
func keepVersion(ctx context.Context, tx *pg.Tx, id string, f Fields) error {
	const sql = `
		insert into duty_version (tenant_id, duty_id, version, content, changed_by)
		select current_tenant(), d.id, d.version, @content, @by
		  from duty d
		 where d.id = @id`
	by := map[string]any{"type": string(tx.Viewer.Kind), "id": tx.Viewer.ID, "display": tx.Viewer.Display}
	return pg.Exec(ctx, tx, "keep version of duty", sql, pgx.NamedArgs{"id": id, "content": f, "by": by})
}

// DutyVersion is one version of a duty.
type DutyVersion struct {
	// Number of this version of the duty.
	Version int `json:"version" db:"version"`
	// Fields of the duty in this version.
	Content Fields `json:"content" db:"content"`
	// Actor who made this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was made.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// Versions reads a page of the versions of a duty, the latest first, and counts all of them.
func Versions(ctx context.Context, tx *pg.Tx, id string, page pg.Page) (items []DutyVersion, total int64, err error) {
	const sql = `
		select v.version, v.content, v.changed_by, v.changed_at
		  from duty_version v
		 where v.duty_id = @id
		   and v.version < @before
		 order by v.version desc
		 limit @rows offset @skipped`
	before := 1 << 30
	if len(page.After) > 0 {
		if before, err = strconv.Atoi(page.After[0]); err != nil {
			return nil, 0, fmt.Errorf("position in versions: %w", err)
		}
	}
	if items, err = pg.All[DutyVersion](ctx, tx, "list versions of duty", sql,
		pgx.NamedArgs{"id": id, "before": before, "rows": page.Limit + 1, "skipped": page.Offset}); err != nil {
		return nil, 0, err
	}
	total, err = pg.One[int64](ctx, tx, "count versions of duty",
		`select count(*) from duty_version where duty_id = $1`, id)
	return items, total, err
}
