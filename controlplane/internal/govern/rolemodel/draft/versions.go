package draft

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleVersion is what a role said once.
type RoleVersion struct {
	// Number of this version of the role.
	Version int `json:"version" db:"version"`
	// Fields of the role in this version.
	Content role.RoleFields `json:"content" db:"content"`
	// Actor who made this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was made.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// RoleDiff is what is different between two versions of a role.
type RoleDiff struct {
	// Number of the first version that is compared.
	From int `json:"from"`
	// Number of the second version that is compared.
	To int `json:"to"`
	// Fields that differ between the two versions.
	Changes []RoleChange `json:"changes" nullable:"false"`
}

// findVersion reads one version of a role. The fault of one that is not kept is not_found.
func findVersion(ctx context.Context, tx *pg.Tx, id string, version int) (RoleVersion, error) {
	const sql = `
		select v.version, v.content, v.changed_by, v.changed_at
		  from role_version v
		 where v.role_id = $1
		   and v.version = $2`
	found, err := pg.One[RoleVersion](ctx, tx, "find version of role", sql, id, version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found, fault.New(fault.NotFound, "Version %d of this role was not found.", version)
	case err != nil:
		return found, err
	}
	return found, nil
}

// versions are where the versions are stored.
var versions = pg.Versions{Table: "role_version", Key: "role_id", What: "role"}

// Versions gives a page of what a role has said, the newest first.
func (s *Service) Versions(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	page pg.Page,
) (items []RoleVersion, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := role.Seen(ctx, tx, v, id, ""); err != nil {
			return err
		}
		items, total, err = pg.PageOfVersions[RoleVersion](ctx, tx, versions, id, page)
		return err
	})
	return items, total, err
}

// Diff compares two versions of a role. Without to it is the newest, without from the one before to.
func (s *Service) Diff(ctx context.Context, v viewer.Viewer, id string, from, to int) (out RoleDiff, err error) {
	const before = `select coalesce(max(version), $2) from role_version where role_id = $1 and version < $2`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := role.Seen(ctx, tx, v, id, "")
		if err != nil {
			return err
		}
		if to == 0 {
			to = r.Version
		}
		if from == 0 {
			if err := tx.QueryRow(ctx, before, id, to).Scan(&from); err != nil {
				return fmt.Errorf("find version of role: %w", err)
			}
		}
		a, err := findVersion(ctx, tx, id, from)
		if err != nil {
			return err
		}
		b, err := findVersion(ctx, tx, id, to)
		if err != nil {
			return err
		}
		out.From, out.To = from, to
		out.Changes, err = Differences(a.Content, b.Content)
		return err
	})
	return out, err
}
