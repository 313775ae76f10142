package separation

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// AdmitGrant refuses a direct grant that would violate an enforced policy that blocks, see check.Admit.
func AdmitGrant(ctx context.Context, tx *pg.Tx, identityID, entitlementID string) error {
	added := effective.Addition{ID: entitlementID, EntitlementID: entitlementID}
	return check.Admit(ctx, tx, identityID, added, time.Now())
}
