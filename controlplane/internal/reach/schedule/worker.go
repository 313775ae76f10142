package schedule

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Times of the work on schedules.
const (
	interval = time.Second      // how soon an occurrence is noticed
	batch    = 100              // schedules that are taken at once
	patience = 15 * time.Second // how soon a full run that waits for another looks again
	putOff   = time.Minute      // how soon a schedule is tried again that could not be looked at
)

// Run starts what is due until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	return loop.Worker{Every: interval, Log: s.Log, Cannot: "cannot look for schedules that are due"}.Drain(ctx, s.Look)
}

// due is a schedule that has to be looked at.
type due struct {
	Tenant    string    `db:"tenant_id"`
	Connector string    `db:"connector_id"`
	At        time.Time `db:"due_at"`
}

// Look deals with schedules that are due, a hundred at most, and tells with how many: those that somebody else is at
// are theirs. Those of tenants in which nothing happens stay as they are; they are made up for when the tenant goes on.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select s.tenant_id, s.connector_id, s.due_at
		  from connector_schedule s
		  join tenant t
		    on t.id = s.tenant_id
		   and t.status = 'active'
		 where s.due_at <= $1
		 order by s.due_at
		 limit $2`
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[due], sql, s.Now(), batch)
	if err != nil {
		return 0, fmt.Errorf("find schedules: %w", err)
	}
	// Other processes have found the same ones: whoever goes another way meets them less often.
	rand.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	n := 0
	for _, d := range found {
		dealt, err := s.deal(ctx, d)
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(
				ctx,
				"cannot keep a schedule; it is tried again later",
				"tenant",
				d.Tenant,
				"connector",
				d.Connector,
				"err",
				err,
			)
			s.postpone(ctx, d)
		}
		if dealt {
			n++
		}
	}
	return n, ctx.Err()
}
