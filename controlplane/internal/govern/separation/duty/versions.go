package duty

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// versions are where the versions are stored.
var versions = pg.Versions{Table: "duty_version", Key: "duty_id", What: "duty"}

// keepVersion stores the fields as the content of the duty's current version.
func keepVersion(ctx context.Context, tx *pg.Tx, id string, f Fields) error {
	const sql = `
		insert into duty_version (tenant_id, duty_id, version, content, changed_by)
		select current_tenant(), d.id, d.version, @content, @by
		  from duty d
		 where d.id = @id`
	return pg.Exec(ctx, tx, "keep version of duty", sql, pgx.NamedArgs{"id": id, "content": f, "by": tx.Viewer.Actor()})
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
	return pg.PageOfVersions[DutyVersion](ctx, tx, versions, id, page)
}
