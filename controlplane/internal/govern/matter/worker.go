package matter

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
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
	var announced loop.Bell
	line := pg.Line{DB: s.DB, Channel: channel, Again: putOff, Log: s.Log, Lost: "cannot listen for matters"}
	go line.Listen(ctx, announced.Ring)
	return loop.Worker{Every: interval, Wake: &announced, Log: s.Log, Cannot: "cannot look what people have to decide"}.Drain(ctx, s.Look)
}

// Look finds tenants with something to do, does one part in each, and says how much was done in all.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select t.id
		  from tenant t
		 where t.status = 'active'
		   and (exists (select from matter_turn n where n.tenant_id = t.id and n.not_before <= now())
		        or not exists (select from matter_sweep w where w.tenant_id = t.id and w.looked_at > $1))`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now().Add(-sweeping))
	if err != nil {
		return 0, fmt.Errorf("find tenants with matters: %w", err)
	}
	return loop.EachTenant(ctx, s.Log, "cannot look at a tenant's matters; it is tried again", tenants, s.Part)
}
