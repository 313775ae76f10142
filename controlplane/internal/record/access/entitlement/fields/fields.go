package fields

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// disconnected is the lifecycle of an entitlement whose connector was deleted.
const disconnected = "disconnected"

// EntitlementCondition is a condition as it is sent and stored.
type EntitlementCondition map[string]any

// EntitlementFields are what may be written of an entitlement: by administrators all of it, by its owners what
// describes it.
type EntitlementFields struct {
	// What it is for, in words for those who ask for it.
	BusinessDescription *string `json:"business_description" db:"business_description" required:"false" maxLength:"4000"`
	// What it allows, point by point.
	PermissionSummary []string `json:"permission_summary" db:"permission_summary" required:"false" nullable:"false" maxItems:"50"`
	// Identities who own it; as resource owners they see who holds it.
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// People who replace the owners if an approval needs an owner. This does not extend what they can see.
	BackupOwnerIDs []string `json:"backup_owner_ids" db:"backup_owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// True if the entitlement gives elevated rights, such as those of an administrator.
	Privileged bool `json:"privileged" db:"privileged" required:"false"`
	// Risk of the entitlement. The default is low.
	RiskLevel string `json:"risk_level" db:"risk_level" required:"false" enum:"low,medium,high,critical"`
	// Such as SOX or HIPAA.
	ComplianceTags []string `json:"compliance_tags" db:"compliance_tags" required:"false" nullable:"false" maxItems:"50"`
	// Functions of the business, for the separation of duties.
	DutyTags []string `json:"duty_tags" db:"duty_tags" required:"false" nullable:"false" maxItems:"50"`
	// The kinds of data that it opens.
	DataClasses []string `json:"data_classes" db:"data_classes" required:"false" nullable:"false" maxItems:"50"`
	// Needs a business_description or description.
	Requestable bool `json:"requestable" db:"requestable" required:"false"`
	// The people who can request it, as a condition. Null: everyone.
	VisibleTo EntitlementCondition `json:"visible_to" db:"visible_to" required:"false" nullable:"true"`
	// The longest that it can be asked for, in ISO 8601.
	MaxDuration *string `json:"max_duration" db:"max_duration" required:"false" maxLength:"40" example:"P90D"`
	// The duration of a request that names none, at most max_duration.
	DefaultDuration *string `json:"default_duration" db:"default_duration" required:"false" maxLength:"40" example:"P30D"`
	// The longest that one extension adds.
	ExtensionMax *string `json:"extension_max" db:"extension_max" required:"false" maxLength:"40" example:"P30D"`
	// Its approval rule; null: the tenant's rules apply.
	ApprovalRuleID *string `json:"approval_rule_id" db:"approval_rule_id" required:"false" format:"uuid"`
	// State of the entitlement. deprecated: no new grants. retired: it is out of use. disconnected: its connector was
	// deleted; it is not written.
	Lifecycle string `json:"lifecycle" db:"lifecycle" required:"false" enum:"active,deprecated,retired,disconnected"`
	// What to ask for instead of it.
	ReplacementID *string `json:"replacement_id" db:"replacement_id" required:"false" format:"uuid"`
}

func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

// levels of risk, the lowest first.
var levels = []string{"low", "medium", "high", "critical"}

// Described are the members that the owners of an entitlement may write. Risk they may only raise, and durations only
// shorten.
var Described = []string{
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

// Complete defaults and checks what is to be stored. description is the target system's own.
func (f *EntitlementFields) Complete(description *string) error {
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

// MayWrite is a fault of kind Forbidden when an owner writes what is for administrators.
func (f EntitlementFields) MayWrite(v viewer.Viewer, after EntitlementFields, members []string) error {
	if v.Kind == viewer.Machine || v.Has(viewer.Admin) {
		return nil
	}
	for _, member := range members {
		if !slices.Contains(Described, member) {
			return fault.New(
				fault.Forbidden,
				"the owner of an entitlement may write %s; %s is for administrators",
				strings.Join(Described, ", "),
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

// Check holds what an entitlement names against what there is. What before named may stay.
func (f EntitlementFields) Check(ctx context.Context, tx *pg.Tx, id string, before EntitlementFields) error {
	if (before.Lifecycle == disconnected) != (f.Lifecycle == disconnected) {
		return fault.New(fault.Invalid, "The lifecycle %s follows from the connector of an entitlement and cannot be "+
			"written.", disconnected).
			With(fault.Field{Pointer: "#/lifecycle", Code: "invalid", Detail: "Leave the lifecycle as it is, or " +
				"restore the connector."})
	}
	for member, ids := range map[string][]string{"owner_ids": fresh(before.OwnerIDs, f.OwnerIDs),
		"backup_owner_ids": fresh(before.BackupOwnerIDs, f.BackupOwnerIDs)} {
		if err := reference.CheckExist(ctx, tx, member, ids...); err != nil {
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
