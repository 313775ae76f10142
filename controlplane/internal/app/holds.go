package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// holdsInterval is how soon a hold that nobody decided about is discarded after its time.
const holdsInterval = time.Minute

// expireHolds discards what was held too long. Several processes may do it at once; the second finds nothing left.
func (a *App) expireHolds(ctx context.Context) error {
	tick := time.NewTicker(holdsInterval)
	defer tick.Stop()
	for {
		if err := reconcile.Expire(ctx, a.DB, time.Now()); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "cannot look for holds whose time has passed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
