package merge

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
)

// LateGrants is Grants for what pointed to records of later chunks. It counts only what it adds: the rest was counted
// when it was merged.
func LateGrants(ctx context.Context, tx *pg.Tx, s Span) (counters.PartCount, error) {
	c, err := Grants(ctx, tx, s)
	return c.Changes(), err
}
