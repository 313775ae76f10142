package loop

import (
	"context"
	"log/slog"
	"math/rand/v2"
)

// EachTenant does a part of the work of each tenant, and says how much was done in all. What fails in one is logged as
// cannot, and keeps the others from nothing; an error is only returned when ctx has ended. It shuffles tenants: other
// processes have found the same ones, and processes with different orders meet less often.
func EachTenant(
	ctx context.Context,
	log *slog.Logger,
	cannot string,
	tenants []string,
	part func(ctx context.Context, tenant string) (int, error),
) (int, error) {
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	sum := 0
	for _, tenant := range tenants {
		n, err := part(ctx, tenant)
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, cannot, "tenant", tenant, "err", err)
		}
		sum += n
	}
	return sum, ctx.Err()
}
