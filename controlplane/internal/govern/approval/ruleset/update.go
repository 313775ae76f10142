package ruleset

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Update changes a rule within a transaction. Requests that were submitted by it keep what it said.
func Update(ctx context.Context, tx *pg.Tx, id string, f rule.ApprovalRuleFields) (rule.ApprovalRule, error) {
	before, err := find(ctx, tx, id, " for update of r")
	if err != nil {
		return before, err
	}
	return rewrite(ctx, tx, before, f, "approval_rule.updated")
}

// SetOrigin writes where a rule is from. Its version stays: it says nothing else than before.
func SetOrigin(ctx context.Context, tx *pg.Tx, id string, origin map[string]any) error {
	return pg.Exec(
		ctx,
		tx,
		"write origin of approval rule",
		`update approval_rule set origin = $2 where id = $1`,
		id,
		origin,
	)
}

// Patch applies a merge patch. Lists, such as branches, are replaced as a whole.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (rule.ApprovalRule, error) {
	if err := mergepatch.Keep(
		body,
		"name",
		"enabled",
		"priority",
		"applies_to",
		"branches",
		"grant",
		"emergency",
	); err != nil {
		return rule.ApprovalRule{}, err
	}
	return s.alter(
		ctx,
		v,
		id,
		match,
		"approval_rule.updated",
		func(f rule.ApprovalRuleFields) (rule.ApprovalRuleFields, error) {
			after, err := mergepatch.Apply(f, body)
			if err != nil {
				return f, err
			}
			return after, permanent(body, &after)
		},
	)
}

// Enable switches a rule on.
func (s *Service) Enable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (rule.ApprovalRule, error) {
	return s.alter(
		ctx,
		v,
		id,
		match,
		"approval_rule.enabled",
		func(f rule.ApprovalRuleFields) (rule.ApprovalRuleFields, error) {
			f.Enabled = true
			return f, nil
		},
	)
}

// Disable switches a rule off: it is chosen for nothing any more. Requests that were submitted by it go on.
func (s *Service) Disable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (rule.ApprovalRule, error) {
	return s.alter(
		ctx,
		v,
		id,
		match,
		"approval_rule.disabled",
		func(f rule.ApprovalRuleFields) (rule.ApprovalRuleFields, error) {
			f.Enabled = false
			return f, nil
		},
	)
}

// alter changes a rule in a transaction of its own: locked, after If-Match, by how. The result has
// warnings about today's organization.
func (s *Service) alter(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, action string,
	how func(rule.ApprovalRuleFields) (rule.ApprovalRuleFields, error)) (changed rule.ApprovalRule, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err := how(before.ApprovalRuleFields)
		if err != nil {
			return err
		}
		if changed, err = rewrite(ctx, tx, before, after, action); err != nil {
			return err
		}
		return s.warn(ctx, tx, &changed)
	})
	return changed, err
}

// rewrite checks and stores changed fields and records the difference. Equal fields write nothing.
func rewrite(
	ctx context.Context,
	tx *pg.Tx,
	before rule.ApprovalRule,
	after rule.ApprovalRuleFields,
	action string,
) (rule.ApprovalRule, error) {
	if err := after.Check(ctx, tx, before.ID); err != nil {
		return before, err
	}
	if before.Enabled && !after.Enabled {
		if err := check.CheckNamedByPolicies(ctx, tx, before.ID); err != nil {
			return before, err
		}
	}
	changes, err := audit.Diff(before.ApprovalRuleFields, after)
	if err != nil || len(changes) == 0 {
		return before, err
	}
	if err := update(ctx, tx, before.ID, after); err != nil {
		return before, err
	}
	changed, err := Find(ctx, tx, before.ID)
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(ctx, tx, audit.Entry{Action: action, Subject: changed.Subject(), Changes: changes})
}

// sent are the fields of a body. A rule is switched on unless it says otherwise.
func sent(f rule.ApprovalRuleFields, raw []byte) rule.ApprovalRuleFields {
	var given struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(raw, &given) == nil && given.Enabled == nil {
		f.Enabled = true
	}
	return f
}

// permanent follows a limit of time that is set or taken, unless the patch says what it is to be.
func permanent(body []byte, f *rule.ApprovalRuleFields) error {
	var given struct {
		Grant map[string]json.RawMessage `json:"grant"`
	}
	if err := json.Unmarshal(body, &given); err != nil {
		return fault.Coded(fault.Malformed, "malformed_json", "grant is an object")
	}
	_, limited := given.Grant["max_duration"]
	if _, said := given.Grant["allow_permanent"]; limited && !said {
		f.Grant.AllowPermanent = nil
	}
	return nil
}

// update writes the fields and keeps the new version.
func update(ctx context.Context, tx *pg.Tx, id string, f rule.ApprovalRuleFields) error {
	const sql = `
		update approval_rule
		   set name = @name, description = @description, enabled = @enabled, priority = @priority,
		       applies_to = @applies_to, branches = @branches, terms = @terms, labels = @labels, updated_at = now(),
		           version = version + 1
		 where id = @id`
	if _, err := tx.Exec(ctx, sql, arguments(f, id)); err != nil {
		return check.NameTaken(err, "approval_rule_name_unique", "an approval rule", f.Name)
	}
	return keepVersion(ctx, tx, id)
}
