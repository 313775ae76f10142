package accesspolicy

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// versions are where the versions are stored.
var versions = pg.Versions{Table: "access_policy_version", Key: "policy_id", What: "policy"}

// keepVersion keeps what the policy says now.
func keepVersion(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		insert into access_policy_version (tenant_id, policy_id, version, content, changed_by)
		select current_tenant(), p.id, p.version,
		       jsonb_build_object('name', p.name, 'description', p.description, 'enabled', p.enabled, 'mode', p.mode,
		           'effect', p.effect, 'birthright', p.birthright, 'priority', p.priority, 'owner_ids', p.owner_ids,
		           'subject', p.subject, 'resources', p.resources, 'companion', p.companion, 'lifecycle', p.lifecycle,
		           'constraints', p.constraints, 'schedule', p.schedule, 'circuit_breaker', p.breaker,
		           'table', p.decision_table), @by
		  from access_policy p
		 where p.id = @id`
	return pg.Exec(ctx, tx, "keep version of policy", sql, pgx.NamedArgs{"id": id, "by": tx.Viewer.Actor()})
}

// PolicyVersion is what a policy said once.
type PolicyVersion struct {
	// Number of this version of the policy.
	Version int `json:"version" db:"version"`
	// Fields of the policy in this version.
	Content Fields `json:"content" db:"content"`
	// Number of rows of the decision table in this version. 0 without one.
	RowCount int `json:"row_count" db:"-"`
	// Who the policy applied to in this version, in words.
	Sentence string `json:"sentence" db:"-"`
	// Actor who made this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was made.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// Versions reads a page of the versions of a policy, the latest first, and counts all of them.
func Versions(ctx context.Context, tx *pg.Tx, id string, page pg.Page) (items []PolicyVersion, total int64, err error) {
	items, total, err = pg.PageOfVersions[PolicyVersion](ctx, tx, versions, id, page)
	for i := range items {
		parsed, _ := items[i].Content.Subject.Parse()
		items[i].Sentence = parsed.Sentence()
		items[i].Content.Resources.Tags = Distinct(items[i].Content.Resources.Tags) // older versions have none
		if t := items[i].Content.Table; t != nil {
			items[i].RowCount = len(t.Rows)
			t.Rows = nil // a page of versions would be many megabytes
		}
	}
	return items, total, err
}
