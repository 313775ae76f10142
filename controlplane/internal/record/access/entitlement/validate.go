package entitlement

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// levels of risk, the lowest first.
var levels = []string{"low", "medium", "high", "critical"}

// described are the members that the owners of an entitlement may write. Risk they may only raise, and durations only
// shorten.
var described = []string{
	"business_description",
	"permission_summary",
	"compliance_tags",
	"duty_tags",
	"data_classes",
	"requestable",
	"risk_level",
	"max_duration",
	"default_duration",
	"extension_max",
}

// complete defaults and checks what is to be stored. description is the target system's own.
func (f *EntitlementFields) complete(description *string) error {
	for _, list := range []*[]string{&f.OwnerIDs, &f.BackupOwnerIDs, &f.PermissionSummary, &f.ComplianceTags,
		&f.DutyTags, &f.DataClasses} {
		*list = tidy(*list)
	}
	if f.RiskLevel == "" {
		f.RiskLevel = "low"
	}
	if f.Lifecycle == "" {
		f.Lifecycle = "active"
	}
	if f.Requestable && blank(f.BusinessDescription) && blank(description) {
		return fault.Coded(fault.Invalid, "description_required", "This entitlement has no business description, so "+
			"it cannot be requestable. Describe it first.").
			With(fault.Field{Pointer: "#/business_description", Code: "required", Detail: "describe its purpose"})
	}
	if wrong := append(f.wrongTexts(), f.wrongDurations()...); len(wrong) > 0 {
		return fault.New(fault.Invalid, "%s", wrong[0].Detail).With(wrong...)
	}
	return nil
}

// tidy takes away what stands in a list twice, or is empty.
func tidy(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (f *EntitlementFields) wrongTexts() (wrong []fault.Field) {
	for member, most := range map[string]int{"permission_summary": 500, "compliance_tags": 100, "duty_tags": 100,
		"data_classes": 100} {
		list := map[string][]string{"permission_summary": f.PermissionSummary, "compliance_tags": f.ComplianceTags,
			"duty_tags": f.DutyTags, "data_classes": f.DataClasses}[member]
		for i, s := range list {
			if len(s) > most {
				wrong = append(
					wrong,
					fault.Field{
						Pointer: fmt.Sprintf("#/%s/%d", member, i),
						Code:    "too_long",
						Detail:  fmt.Sprintf("at most %d bytes", most),
					},
				)
			}
		}
	}
	return wrong
}

// wrongDurations checks lengths of time. It is no length that lasts no time.
func (f *EntitlementFields) wrongDurations() (wrong []fault.Field) {
	lengths := map[string]time.Duration{}
	for _, d := range []struct {
		member string
		text   *string
	}{{"max_duration", f.MaxDuration}, {"default_duration", f.DefaultDuration}, {"extension_max", f.ExtensionMax}} {
		if d.text == nil {
			continue
		}
		length, err := span.Parse(*d.text)
		if err == nil && length <= 0 {
			err = fmt.Errorf("a duration longer than nothing")
		}
		if err != nil {
			wrong = append(wrong, fault.Field{Pointer: "#/" + d.member, Code: "invalid_duration", Detail: err.Error()})
			continue
		}
		lengths[d.member] = length
	}
	if most, limited := lengths["max_duration"]; limited && lengths["default_duration"] > most {
		wrong = append(
			wrong,
			fault.Field{
				Pointer: "#/default_duration",
				Code:    "invalid_duration",
				Detail:  "it is longer than max_duration",
			},
		)
	}
	return wrong
}

// mayWrite is a fault of kind Forbidden when an owner writes what is for administrators.
func (f EntitlementFields) mayWrite(v viewer.Viewer, after EntitlementFields, members []string) error {
	if v.Kind == viewer.Machine || v.Has(viewer.Admin) {
		return nil
	}
	for _, member := range members {
		if !slices.Contains(described, member) {
			return fault.New(
				fault.Forbidden,
				"the owner of an entitlement may write %s; %s is for administrators",
				strings.Join(described, ", "),
				member,
			)
		}
	}
	if slices.Index(levels, after.RiskLevel) < slices.Index(levels, f.RiskLevel) {
		return fault.New(
			fault.Forbidden,
			"the owner of an entitlement may raise its risk above %s; to lower it is for administrators",
			f.RiskLevel,
		)
	}
	for member, lists := range map[string][2][]string{"compliance_tags": {f.ComplianceTags, after.ComplianceTags},
		"duty_tags":    {f.DutyTags, after.DutyTags},
		"data_classes": {f.DataClasses, after.DataClasses}} {
		if gone := fresh(lists[1], lists[0]); len(gone) > 0 {
			return fault.Coded(fault.Forbidden, "tags_only_added", "The owner of an entitlement may add %s. Only "+
				"administrators remove them, since rules may depend on %s.",
				member, strings.Join(gone, ", ")).
				With(fault.Field{Pointer: "#/" + member, Code: "tags_only_added", Detail: "keep " +
					strings.Join(gone, ", ")})
		}
	}
	for _, d := range []struct {
		member      string
		was, is     *string
		lastsAtMost bool
	}{{"max_duration", f.MaxDuration, after.MaxDuration, true},
		{"default_duration", f.DefaultDuration, after.DefaultDuration, false},
		{"extension_max", f.ExtensionMax, after.ExtensionMax, true}} {
		if longer(d.was, d.is, d.lastsAtMost) {
			return fault.New(
				fault.Forbidden,
				"the owner of an entitlement may shorten its %s; to lengthen it is for administrators",
				d.member,
			)
		}
	}
	return nil
}

// longer says whether a duration has become longer. A limit that is gone is longer than any.
func longer(was, is *string, limit bool) bool {
	if is == nil {
		return was != nil && limit
	}
	if was == nil {
		return false
	}
	before, _ := span.Parse(*was)
	after, _ := span.Parse(*is)
	return after > before
}

// check holds what an entitlement names against what there is. What before named may stay.
func (f EntitlementFields) check(ctx context.Context, tx *pg.Tx, id string, before EntitlementFields) error {
	if (before.Lifecycle == disconnected) != (f.Lifecycle == disconnected) {
		return fault.New(fault.Invalid, "The lifecycle %s follows from the connector of an entitlement and cannot be "+
			"written.", disconnected).
			With(fault.Field{Pointer: "#/lifecycle", Code: "invalid", Detail: "Leave the lifecycle as it is, or " +
				"restore the connector."})
	}
	for member, ids := range map[string][]string{"owner_ids": fresh(before.OwnerIDs, f.OwnerIDs),
		"backup_owner_ids": fresh(before.BackupOwnerIDs, f.BackupOwnerIDs)} {
		if err := identity.CheckExist(ctx, tx, member, ids...); err != nil {
			return err
		}
	}
	if err := f.checkNamed(
		ctx,
		tx,
		"approval_rule_id",
		"there is no approval rule",
		`select exists (select from approval_rule where id = $1)`,
		before.ApprovalRuleID,
		f.ApprovalRuleID,
	); err != nil {
		return err
	}
	if f.ReplacementID != nil && *f.ReplacementID == id {
		return fault.New(fault.Invalid, "an entitlement cannot replace itself").
			With(fault.Field{Pointer: "#/replacement_id", Code: "invalid", Detail: "name another one"})
	}
	return f.checkNamed(
		ctx,
		tx,
		"replacement_id",
		"there is no active entitlement",
		`select exists (select from entitlement where id = $1 and lifecycle = 'active' and removed_at is null)`,
		before.ReplacementID,
		f.ReplacementID,
	)
}

func fresh(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(id string) bool { return slices.Contains(before, id) })
}

func (f EntitlementFields) checkNamed(
	ctx context.Context,
	tx *pg.Tx,
	member, missing, sql string,
	before, after *string,
) error {
	if after == nil || before != nil && *before == *after {
		return nil
	}
	there := listing.IsID(*after)
	if there {
		if err := tx.QueryRow(ctx, sql, *after).Scan(&there); err != nil {
			return fmt.Errorf("look for %s: %w", member, err)
		}
	}
	if !there {
		return fault.New(fault.Invalid, "%s %s", missing, *after).
			With(fault.Field{Pointer: "#/" + member, Code: "unknown_" + strings.TrimSuffix(member, "_id"),
				Detail: missing + " " + *after})
	}
	return nil
}

// written is one entitlement as it is to be stored.
type written struct {
	ID string
	EntitlementFields
	human bool // whether somebody says now if it is privileged
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
