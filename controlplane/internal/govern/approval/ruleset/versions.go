package ruleset

import (
	"context"
	"fmt"
	"strconv"
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
	by := map[string]any{"type": string(tx.Viewer.Kind), "id": tx.Viewer.ID, "display": tx.Viewer.Display}
	return pg.Exec(ctx, tx, "keep version of approval rule", sql, pgx.NamedArgs{"id": id, "by": by})
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
	const sql = `
		select v.version, v.content, v.changed_by, v.changed_at
		  from approval_rule_version v
		 where v.rule_id = @id
		   and v.version < @before
		 order by v.version desc
		 limit @rows offset @skipped`
	before := 1 << 30
	if len(page.After) > 0 {
		if before, err = strconv.Atoi(page.After[0]); err != nil {
			return nil, 0, fmt.Errorf("position in versions: %w", err)
		}
	}
	if items, err = pg.All[ApprovalRuleVersion](
		ctx,
		tx,
		"list versions of approval rule",
		sql,
		pgx.NamedArgs{"id": id, "before": before, "rows": page.Limit + 1, "skipped": page.Offset},
	); err != nil {
		return nil, 0, err
	}
	for i := range items {
		items[i].Content.FillLists()
		items[i].Sentences = rule.Sentences(items[i].Content.Branches)
	}
	if err := tx.QueryRow(ctx, `select count(*) from approval_rule_version where rule_id = $1`, id).
		Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count versions of approval rule: %w", err)
	}
	return items, total, nil
}
