package approval

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ResolveRule resolves a subject by one rule of the tenant, whatever it applies to: an escalation names it. When there
// is no such rule, it is a fault of kind NotFound.
func ResolveRule(ctx context.Context, tx *pg.Tx, s Subject, ruleID string, at time.Time) (Plan, error) {
	b, err := loadBook(ctx, tx)
	if err != nil {
		return Plan{}, err
	}
	r := b.byID[ruleID]
	if r == nil {
		return Plan{}, fault.New(fault.NotFound, "there is no approval rule %s", ruleID)
	}
	cases, err := b.resolve(ctx, tx, []Subject{s}, r, at)
	if err != nil {
		return Plan{}, err
	}
	return cases[0].plan, nil
}
