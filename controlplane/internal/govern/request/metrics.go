package request

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/metrics"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Metrics are figures of the requests that were submitted in a period.
func (s *Service) Metrics(
	ctx context.Context,
	v viewer.Viewer,
	since, until time.Time,
) (m metrics.AccessRequestMetrics, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		m, err = metrics.Read(ctx, tx, since, until)
		return err
	})
	return m, err
}
