package matter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Times of the work.
const (
	interval = 5 * time.Second // how soon is noticed what nobody announced
	putOff   = 5 * time.Second // how long is waited before listening again
)

// channel is where turns are announced.
const channel = "matter_turn"

// Run looks until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	go s.listen(ctx)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		for ctx.Err() == nil {
			n, err := s.Look(ctx)
			if err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "cannot look what people have to decide", "err", err)
			}
			if n == 0 {
				break
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-s.woken():
		}
	}
}

// listen wakes the work when turns are announced. Without a connection it looks at intervals alone.
func (s *Service) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := pg.Listen(ctx, s.DB, channel, s.Wake); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot listen for matters", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(putOff):
		}
	}
}

// Look finds tenants with something to do, does one part in each, and says how much was done in all.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select t.id
		  from tenant t
		 where t.status = 'active'
		   and (exists (select from matter_turn n where n.tenant_id = t.id and n.not_before <= now())
		        or not exists (select from matter_sweep w where w.tenant_id = t.id and w.looked_at > $1))`
	var tenants []string
	err := s.DB.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, s.Now().Add(-sweeping))
		if err != nil {
			return err
		}
		tenants, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("find tenants with matters: %w", err)
	}
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	sum := 0
	for _, tenant := range tenants {
		n, err := s.Part(ctx, tenant)
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot look at a tenant's matters; it is tried again", "tenant", tenant, "err", err)
		}
		sum += n
	}
	return sum, ctx.Err()
}
