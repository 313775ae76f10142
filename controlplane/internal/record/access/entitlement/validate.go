package entitlement

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
)

// written is one entitlement as it is to be stored.
type written struct {
	ID string
	fields.EntitlementFields
	human bool // whether the request says now if it is privileged
}

// store writes entitlements.
func store(ctx context.Context, tx *pg.Tx, all []written, now time.Time) error {
	const sql = `
		update entitlement
		   set business_description = @business_description, permission_summary = @permission_summary,
		       owner_ids = @owner_ids::text[]::uuid[], owners_decided = owners_decided
		       or owner_ids <> @owner_ids::text[]::uuid[], source_owner_ids = array(select o
		       from unnest(source_owner_ids) o where o = any(@owner_ids::text[]::uuid[])),
		       backup_owner_ids = @backup_owner_ids::text[]::uuid[], privileged = @privileged,
		       privileged_source = case when @human then 'human' else privileged_source end, risk_level = @risk_level,
		       compliance_tags = @compliance_tags, duty_tags = @duty_tags, data_classes = @data_classes,
		       requestable = @requestable, visible_to = @visible_to, max_duration = @max_duration,
		           default_duration = @default_duration, extension_max = @extension_max,
		           approval_rule_id = @approval_rule_id, lifecycle = @lifecycle, replacement_id = @replacement_id,
		           updated_at = @now, version = version + 1
		 where id = @id`
	var b pgx.Batch
	for _, w := range all {
		var visible any
		if len(w.VisibleTo) > 0 {
			visible = w.VisibleTo
		}
		b.Queue(
			sql,
			pgx.NamedArgs{
				"id":                   w.ID,
				"business_description": w.BusinessDescription,
				"permission_summary":   w.PermissionSummary,
				"owner_ids":            w.OwnerIDs,
				"backup_owner_ids":     w.BackupOwnerIDs,
				"privileged":           w.Privileged,
				"human":                w.human,
				"risk_level":           w.RiskLevel,
				"compliance_tags":      w.ComplianceTags,
				"duty_tags":            w.DutyTags,
				"data_classes":         w.DataClasses,
				"requestable":          w.Requestable,
				"visible_to":           visible,
				"max_duration":         w.MaxDuration,
				"default_duration":     w.DefaultDuration,
				"extension_max":        w.ExtensionMax,
				"approval_rule_id":     w.ApprovalRuleID,
				"lifecycle":            w.Lifecycle,
				"replacement_id":       w.ReplacementID,
				"now":                  now,
			},
		)
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("write entitlements: %w", err)
	}
	return nil
}
