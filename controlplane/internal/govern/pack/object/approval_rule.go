package object

import (
	"context"

	approvalrule "github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// intoApproval writes the fields over those of an approval rule, which has some of them deeper within.
func intoApproval(f merge.Fields, to *approvalrule.ApprovalRuleFields) error {
	if _, ok := f["branches"]; ok {
		to.Branches = nil
	}
	for _, part := range []any{to, &to.AppliesTo} {
		if err := f.Into(part); err != nil {
			return err
		}
	}
	return nil
}

// createApprovalRule makes an enabled rule of the desired fields and gives its ID.
func createApprovalRule(ctx context.Context, tx *pg.Tx, f merge.Fields, origin map[string]any) (string, error) {
	of := approvalrule.ApprovalRuleFields{Enabled: true}
	if err := intoApproval(f, &of); err != nil {
		return "", err
	}
	made, err := ruleset.Create(ctx, tx, ruleset.New{ApprovalRuleFields: of, Origin: origin})
	return made.ID, err
}

// updateApprovalRule changes the desired fields; the others keep the tenant's values.
func updateApprovalRule(ctx context.Context, tx *pg.Tx, id string, f merge.Fields) error {
	now, err := ruleset.Find(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := intoApproval(f, &now.ApprovalRuleFields); err != nil {
		return err
	}
	_, err = ruleset.Update(ctx, tx, id, now.ApprovalRuleFields)
	return err
}

// RetireApprovalRule deletes a rule. If something names it, it stays and becomes the tenant's own: what names it would
// otherwise fall to another rule.
func RetireApprovalRule(ctx context.Context, tx *pg.Tx, id string) error {
	used, err := ruleset.InUse(ctx, tx, id)
	switch {
	case err != nil:
		return err
	case used:
		return ruleset.SetOrigin(ctx, tx, id, map[string]any{"kind": "manual"})
	}
	return ruleset.Delete(ctx, tx, id)
}
