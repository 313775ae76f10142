package accesspolicy

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// keepVersion keeps what the policy says now.
func keepVersion(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		insert into access_policy_version (tenant_id, policy_id, version, content, changed_by)
		select current_tenant(), p.id, p.version,
		       jsonb_build_object('name', p.name, 'description', p.description, 'enabled', p.enabled, 'mode', p.mode,
		           'effect', p.effect, 'birthright', p.birthright, 'priority', p.priority, 'owner_ids', p.owner_ids,
		           'subject', p.subject, 'resources', p.resources, 'lifecycle', p.lifecycle, 'circuit_breaker',
		       p.breaker), @by
		  from access_policy p
		 where p.id = @id`
	by := map[string]any{"type": string(tx.Viewer.Kind), "id": tx.Viewer.ID, "display": tx.Viewer.Display}
	return pg.Exec(ctx, tx, "keep version of policy", sql, pgx.NamedArgs{"id": id, "by": by})
}

// PolicyVersion is what a policy said once.
type PolicyVersion struct {
	// Number of this version of the policy.
	Version int `json:"version" db:"version"`
	// Fields of the policy in this version.
	Content Fields `json:"content" db:"content"`
	// Who the policy applied to in this version, in words.
	Sentence string `json:"sentence" db:"-"`
	// Actor who made this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was made.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// Versions reads a page of the versions of a policy, the latest first, and counts all of them.
func Versions(ctx context.Context, tx *pg.Tx, id string, page pg.Page) (items []PolicyVersion, total int64, err error) {
	const sql = `
		select v.version, v.content, v.changed_by, v.changed_at
		  from access_policy_version v
		 where v.policy_id = @id
		   and v.version < @before
		 order by v.version desc
		 limit @rows offset @skipped`
	before := 1 << 30
	if len(page.After) > 0 {
		if before, err = strconv.Atoi(page.After[0]); err != nil {
			return nil, 0, fmt.Errorf("position in versions: %w", err)
		}
	}
	if items, err = pg.All[PolicyVersion](
		ctx,
		tx,
		"list versions of policy",
		sql,
		pgx.NamedArgs{"id": id, "before": before, "rows": page.Limit + 1, "skipped": page.Offset},
	); err != nil {
		return nil, 0, err
	}
	for i := range items {
		parsed, _ := items[i].Content.Subject.Parse()
		items[i].Sentence = parsed.Sentence()
	}
	if err := tx.QueryRow(ctx, `select count(*) from access_policy_version where policy_id = $1`, id).
		Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count versions of policy: %w", err)
	}
	return items, total, nil
}
