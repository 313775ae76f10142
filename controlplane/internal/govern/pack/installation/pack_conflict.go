package installation

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PackConflict is where a pack and the tenant want different things of one object.
type PackConflict struct {
	// ID of the conflict.
	ID string `json:"id" db:"id"`
	// Key of the sector pack.
	PackKey string `json:"pack_key" db:"pack_key"`
	// Kind of the object in conflict, such as role, birthright, access_grant_policy or approval_rule.
	Kind string `json:"kind" db:"kind"`
	// Key of the object in conflict, unique within its kind in the sector pack.
	ObjectKey string `json:"object_key" db:"object_key"`
	// In which they differ.
	Fields []string `json:"fields" db:"fields" nullable:"false"`
	// What the pack wanted before; null: the tenant had the object before the pack.
	Base map[string]any `json:"base" db:"base"`
	// What the tenant has made of it.
	Mine map[string]any `json:"mine" db:"mine"`
	// What the pack wants now; null: it has the object no more.
	Theirs map[string]any `json:"theirs" db:"theirs"`
	// State of the conflict. It is superseded by a later version or by uninstalling the sector pack.
	State string `json:"state" db:"state" enum:"open,resolved,superseded"`
	// Resolution: mine kept the values of the tenant, theirs applied those of the sector pack, merged applied other
	// values. Null unless resolved.
	Resolution *string `json:"resolution" db:"resolution" enum:"mine,theirs,merged"`
	// Actor who resolved the conflict, with type, id and display. Null unless resolved.
	ResolvedBy map[string]any `json:"resolved_by" db:"resolved_by"`
	// Time the conflict was resolved. Null unless resolved.
	ResolvedAt *time.Time `json:"resolved_at" db:"resolved_at"`
	// Time the conflict was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Version number of the conflict, for If-Match.
	Version int    `json:"version" db:"version"`
	Object  string `json:"-" db:"installation_id"`
}

// ConflictColumns are what a PackConflict is read from: a conflict c, and its installation i.
const ConflictColumns = `c.id::text, i.pack_key, c.kind, c.object_key, c.fields, c.base, c.mine, c.theirs, c.state,
	c.resolution, c.resolved_by, c.resolved_at, c.created_at, c.version, c.installation_id::text`

// OpenConflicts reads those of these conflicts that wait for a decision, in no order.
func OpenConflicts(ctx context.Context, tx *pg.Tx, ids []string) ([]PackConflict, error) {
	return pg.All[PackConflict](ctx, tx, "find conflicts", `
		select `+ConflictColumns+`
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.id = any($1::text[]::uuid[])
		   and c.state = 'open'`, ids)
}
