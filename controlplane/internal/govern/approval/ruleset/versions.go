package ruleset

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Versions are what a rule has said, the newest first.
func (s *Service) Versions(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	page pg.Page,
) (items []ApprovalRuleVersion, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err = find(ctx, tx, id, ""); err != nil {
			return err
		}
		items, total, err = versions(ctx, tx, id, page)
		return err
	})
	return items, total, err
}

// stored are where the versions are stored.
var stored = pg.Versions{Table: "approval_rule_version", Key: "rule_id", What: "approval rule"}

// keepVersion keeps what the rule says now.
func keepVersion(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		insert into approval_rule_version (tenant_id, rule_id, version, content, changed_by)
		select current_tenant(), r.id, r.version,
		       jsonb_build_object('name', r.name, 'description', r.description, 'enabled', r.enabled, 'priority',
		           r.priority, 'applies_to', r.applies_to, 'branches', r.branches, 'labels', r.labels) || r.terms,
		       @by
		  from approval_rule r
		 where r.id = @id`
	return pg.Exec(ctx, tx, "keep version of approval rule", sql, pgx.NamedArgs{"id": id, "by": tx.Viewer.Actor()})
}

// ApprovalRuleVersion is what a rule said once.
type ApprovalRuleVersion struct {
	// Number of this version of the approval rule.
	Version int `json:"version" db:"version"`
	// Approval rule as this version defines it.
	Content rule.ApprovalRuleFields `json:"content" db:"content"`
	// The branches of this version, in words.
	Sentences []string `json:"sentences" db:"-" nullable:"false"`
	// User or service token that saved this version, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time this version was saved.
	ChangedAt time.Time `json:"changed_at" db:"changed_at"`
}

// versions reads a page of a rule's versions, the newest first, and their number.
func versions(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	page pg.Page,
) (items []ApprovalRuleVersion, total int64, err error) {
	items, total, err = pg.PageOfVersions[ApprovalRuleVersion](ctx, tx, stored, id, page)
	for i := range items {
		items[i].Content.FillLists()
		items[i].Sentences = rule.Sentences(items[i].Content.Branches)
	}
	return items, total, err
}
