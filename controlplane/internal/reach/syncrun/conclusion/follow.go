package conclusion

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/merge"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/owners"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
)

// resolveManagers looks at everybody after a full reading, and after one of changes at those whom the changes concern.
func resolveManagers(ctx context.Context, tx *pg.Tx, r reconcile.Run) error {
	publish, err := merge.WatchManagers(ctx, tx)
	if err != nil {
		return err
	}
	if r.Incremental {
		_, err = manager.ResolveChanged(ctx, tx, r.ID)
	} else {
		_, err = manager.Resolve(ctx, tx)
	}
	if err != nil {
		return err
	}
	return publish()
}

// findOwners links accounts and entitlements to the people who own them: by what their target systems say, and accounts
// by the rules. It reports how many accounts got an owner.
func findOwners(ctx context.Context, tx *pg.Tx, r reconcile.Run) (linked int64, unknown [2]owners.Unknown, err error) {
	if err := owners.Lock(ctx, tx); err != nil {
		return 0, unknown, err
	}
	resolver := owners.Resolver{Connector: r.Connector, Run: r.ID, Incremental: r.Incremental}
	named, accounts, err := resolver.Accounts(ctx, tx)
	if err != nil {
		return 0, unknown, err
	}
	if r.Incremental {
		linked, err = matching.RunChanges(ctx, tx, r.Connector, r.ID)
	} else {
		linked, err = matching.Run(ctx, tx, r.Connector)
	}
	if err != nil {
		return 0, unknown, err
	}
	if linked += named; linked > named {
		if named, accounts, err = resolver.Accounts(ctx, tx); err != nil {
			return 0, unknown, err
		}
		linked += named
	}
	entitlements, err := resolver.Entitlements(ctx, tx)
	return linked, [2]owners.Unknown{accounts, entitlements}, err
}

// inherit brings inherited grants up to date. If too many would follow from the nesting they stay as they are, and
// limit is how many there may be.
func inherit(ctx context.Context, tx *pg.Tx, r reconcile.Run) (limit int64, err error) {
	var n nesting.Inherited
	if r.Incremental {
		n, err = nesting.FollowRun(ctx, tx, r.Connector, r.ID)
	} else {
		n, err = nesting.Expand(ctx, tx, r.Connector)
	}
	return n.Limit, err
}
