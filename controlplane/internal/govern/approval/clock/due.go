package clock

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Due counts working time from an instant, in a calendar; with an empty id in the tenant's usual one. Each 24 hours are
// a working day, and the rest is hours of work.
func Due(ctx context.Context, tx *pg.Tx, from time.Time, within time.Duration, calendarID string) (time.Time, error) {
	clock, err := Load(ctx, tx)
	if err != nil {
		return time.Time{}, err
	}
	return clock.Due(from, within, calendarID), nil
}
