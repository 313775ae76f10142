package ruleset

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// New is a rule to be made. Without Origin it is made by hand.
type New struct {
	rule.ApprovalRuleFields
	Origin map[string]any
}

// Create makes a rule, for whoever joins the transaction.
func Create(ctx context.Context, tx *pg.Tx, n New) (rule.ApprovalRule, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := n.Check(ctx, tx, ""); err != nil {
		return rule.ApprovalRule{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n); err != nil {
		return rule.ApprovalRule{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := audit.Initial(made.ApprovalRuleFields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "approval_rule.created", Subject: made.Subject(), Changes: changes},
	)
}

// Create makes a rule.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New) (made rule.ApprovalRule, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if made, err = Create(ctx, tx, n); err != nil {
			return err
		}
		return s.warn(ctx, tx, &made)
	})
	return made, err
}

// arguments are the columns of a rule as named arguments.
func arguments(f rule.ApprovalRuleFields, id string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":          id,
		"name":        f.Name,
		"description": f.Description,
		"enabled":     f.Enabled,
		"priority":    f.Priority,
		"applies_to":  f.AppliesTo,
		"branches":    f.Branches,
		"terms":       f.ApprovalTerms,
		"labels":      f.Labels,
	}
}

// insert writes a new rule and its first version. A taken name is a conflict.
func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into approval_rule (tenant_id, id, name, description, enabled, priority, applies_to, branches, terms,
		    labels, origin)
		values (current_tenant(), @id, @name, @description, @enabled, @priority, @applies_to, @branches, @terms,
		    @labels, @origin)`
	args := arguments(n.ApprovalRuleFields, id)
	args["origin"] = n.Origin
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return check.NameTaken(err, "approval_rule_name_unique", "an approval rule", n.Name)
	}
	return keepVersion(ctx, tx, id)
}
