package control

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// versions are where the versions are stored.
var versions = pg.Versions{Table: "mitigating_control_version", Key: "control_id", What: "mitigating control"}

// keepVersion stores the fields as the current version of the control.
func keepVersion(ctx context.Context, tx *pg.Tx, id string, f Fields) error {
	const sql = `
		insert into mitigating_control_version (tenant_id, control_id, version, content, changed_by)
		select current_tenant(), c.id, c.version, @content, @by
		  from mitigating_control c
		 where c.id = @id`
	return pg.Exec(ctx, tx, "keep version of mitigating control", sql,
		pgx.NamedArgs{"id": id, "content": f, "by": tx.Viewer.Actor()})
}

// MitigatingControlVersion is one version of a control.
type MitigatingControlVersion struct {
	// Number of this version of the control.
	Version int `json:"version" db:"version"`
	// Fields of the control in this version.
	Content Fields `json:"content" db:"content"`
	// Actor who made this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was made.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// Versions reads a page of the versions of a control, the latest first, and counts all of them.
func Versions(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	page pg.Page,
) (items []MitigatingControlVersion, total int64, err error) {
	return pg.PageOfVersions[MitigatingControlVersion](ctx, tx, versions, id, page)
}
