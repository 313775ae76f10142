package decisionkind

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// sweep enqueues whatever needs a decision and was not asked about, and whatever was asked about and needs none.
func (s *Service) sweep(ctx context.Context, tx *pg.Tx) error {
	for _, k := range s.kinds() {
		if err := k.EnqueueDifferences(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
