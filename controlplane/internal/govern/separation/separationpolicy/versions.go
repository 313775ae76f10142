package separationpolicy

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// versions are where the versions are stored.
var versions = pg.Versions{Table: "separation_policy_version", Key: "policy_id", What: "separation-of-duties policy"}

// keepVersion stores the policy as its current version.
func keepVersion(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		insert into separation_policy_version (tenant_id, policy_id, version, content, changed_by)
		select current_tenant(), p.id, p.version,
		       jsonb_build_object('name', p.name, 'description', p.description, 'rationale', p.rationale,
		           'regulation_refs', p.regulation_refs, 'owner_ids', p.owner_ids, 'enabled', p.enabled,
		           'mode', p.mode, 'severity', p.severity, 'kind', p.kind, 'sides', p.sides, 'n', p.n,
		           'matrix', p.matrix, 'history_window', p.history_window, 'context', p.context,
		           'effects', p.effects, 'remediation', p.remediation,
		           'mitigation_policy_ids', p.mitigation_policy_ids, 'max_mitigation', p.max_mitigation,
		           'exemptions', p.exemptions,
		           'valid_from', p.valid_from,
		           'valid_to', p.valid_to), @by
		  from separation_policy p
		 where p.id = @id`
	return pg.Exec(
		ctx,
		tx,
		"keep version of separation-of-duties policy",
		sql,
		pgx.NamedArgs{"id": id, "by": tx.Viewer.Actor()},
	)
}

// SeparationPolicyVersion is one version of a policy.
type SeparationPolicyVersion struct {
	// Number of this version of the policy.
	Version int `json:"version" db:"version"`
	// Fields of the policy in this version.
	Content Fields `json:"content" db:"content"`
	// Actor who made this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was made.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// Versions reads a page of the versions of a policy, the latest first, and counts all of them.
func Versions(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	page pg.Page,
) (items []SeparationPolicyVersion, total int64, err error) {
	return pg.PageOfVersions[SeparationPolicyVersion](ctx, tx, versions, id, page)
}
