package ruleset

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// InUse says whether a role, an entitlement or another rule names the rule.
func InUse(ctx context.Context, tx *pg.Tx, id string) (bool, error) {
	by, err := check.UsersOf(ctx, tx, id)
	return len(by) > 0, err
}

// Delete takes a rule away within a transaction, unless something uses it.
func Delete(ctx context.Context, tx *pg.Tx, id string) error {
	before, err := find(ctx, tx, id, " for update of r")
	if err != nil {
		return err
	}
	return remove(ctx, tx, before)
}

// Delete takes a rule away that nothing uses.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return remove(ctx, tx, before)
	})
}

// remove deletes a rule that nothing uses, and records it. Requests keep the plan that the rule
// made.
func remove(ctx context.Context, tx *pg.Tx, before rule.ApprovalRule) error {
	if err := check.CheckUnused(ctx, tx, before.ID, "approval_rule_in_use", "rule"); err != nil {
		return err
	}
	if err := pg.Exec(
		ctx,
		tx,
		"delete approval rule",
		`delete from approval_rule where id = $1`,
		before.ID,
	); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "approval_rule.deleted", Subject: before.Subject()})
}
