package conclusion

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/removal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/owners"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
)

// Conclusion is what followed from the records of a run.
type Conclusion struct {
	Counted counters.PartCount
	Unknown [2]owners.Unknown // of accounts and of entitlements, whose target system names an owner who is not known
	// Limit is positive if more grants than that would be inherited. Inherited grants stay as they were then.
	Limit int64
}

// Draw makes the removals of a run true, once its records are merged, and brings up to date what depends on all
// records: managers, owners and inherited grants. It joins the transaction in which the run ends.
func Draw(ctx context.Context, tx *pg.Tx, r reconcile.Run) (c Conclusion, err error) {
	if c.Counted, err = applyRemovals(ctx, tx, r); err != nil {
		return c, err
	}
	if _, err := authority.ApplyRanks(ctx, tx); err != nil {
		return c, err
	}
	if err := resolveManagers(ctx, tx, r); err != nil {
		return c, err
	}
	if c.Counted.Counters.Linked, c.Unknown, err = findOwners(ctx, tx, r); err != nil {
		return c, err
	}
	if c.Limit, err = inherit(ctx, tx, r); err != nil {
		return c, err
	}
	if err := removal.Settle(ctx, tx, r); err != nil {
		return c, fmt.Errorf("settle: %w", err)
	}
	return c, nil
}
