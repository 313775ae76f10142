package reconcile

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Expire discards, in all tenants, what was held longer than it may be without a decision. Left alone, a hold never applies.
func Expire(ctx context.Context, db *pg.DB, now time.Time) error { return nil }
