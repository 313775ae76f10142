package schedule

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// Times of the work on schedules.
const (
	interval = time.Second      // how soon an occurrence is noticed
	batch    = 100              // schedules in one pass
	patience = 15 * time.Second // how soon a full run that waits for another looks again
	putOff   = time.Minute      // how soon a schedule is tried again that could not be looked at
)

// Kinds are the work on schedules: to start the sync runs that are due. Those of a suspended tenant wait, and are made
// up for by one run when it is resumed.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select distinct s.tenant_id::text
		  from connector_schedule s
		  join tenant t
		    on t.id = s.tenant_id
		   and t.status = 'active'
		 where s.due_at <= $1`
	return []queue.Kind{{
		Name:  "schedules",
		Title: "Scheduled sync runs",
		About: "Starts the sync runs of connectors when their schedules are due.",
		Part:  s.startDue,
		Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }, Every: interval},
	}}
}

// due is a schedule that has to be looked at.
type due struct {
	Tenant    string    `db:"tenant_id"`
	Connector string    `db:"connector_id"`
	At        time.Time `db:"due_at"`
}

// startDue deals with schedules of a tenant that are due, up to a batch, and says with how many. Those that another
// process deals with are left to it.
func (s *Service) startDue(ctx context.Context, tenant string) (n int, err error) {
	found, err := s.findDue(ctx, tenant)
	if err != nil {
		return 0, err
	}
	// Other processes have found the same ones: processes with different orders meet less often.
	rand.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
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

// findDue finds the schedules of a tenant that are due, those that wait longest first.
func (s *Service) findDue(ctx context.Context, tenant string) (found []due, err error) {
	const sql = `
		select s.tenant_id, s.connector_id, s.due_at
		  from connector_schedule s
		 where s.tenant_id = current_tenant()
		   and s.due_at <= $1
		 order by s.due_at
		 limit $2`
	err = s.DB.As(ctx, acting(tenant), func(tx *pg.Tx) (err error) {
		found, err = pg.All[due](ctx, tx, "find schedules that are due", sql, s.Now(), batch)
		return err
	})
	return found, err
}
