package ruleset

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Find reads a rule; when there is none, it is a fault of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (rule.ApprovalRule, error) {
	return find(ctx, tx, id, "")
}

// find reads a rule; the fault of one that does not exist is not_found. locking is empty or a
// locking clause.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (rule.ApprovalRule, error) {
	found, err := check.FindOne[rule.ApprovalRule](
		ctx,
		tx,
		"approval rule",
		`select `+columns+` from approval_rule r where r.id = $1`+locking,
		id,
	)
	if err != nil {
		return rule.ApprovalRule{}, err
	}
	found.Shown()
	return found, nil
}
