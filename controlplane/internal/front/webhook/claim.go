package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/health"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// leaseTime is how long no other process posts a delivery that was taken. It outlasts every call.
const leaseTime = 40 * time.Second

// target is whom a lane posts to, as it was when the lane began.
type target struct {
	viewer  viewer.Viewer
	hook    subscription.Row
	keys    [][]byte
	headers map[string]string
	url     string // with its hidden parts
	console string // address of the tenant's console; only for chat services
}

// job is a delivery that this process has leased.
type job struct {
	ID      string    `db:"delivery_id"`
	Purpose string    `db:"purpose"`
	Format  string    `db:"format"`
	Attempt int       `db:"attempt"` // made before
	Repeats int       `db:"repeats"`
	Offsets []int64   `db:"offsets"`
	FirstAt time.Time `db:"first_at"`
	Clock   time.Time `db:"clock"` // the database's, when it was leased
	event.Stored

	lease string
	taken time.Time     // our clock at the same moment; only its monotonic part is used
	wait  time.Duration // until it may begin
}

// now is the database's clock, by the time that has passed since the lease.
func (j job) now() time.Time { return j.Clock.Add(time.Since(j.taken)) }

func (j job) offsets() (out [retry.Attempts]time.Duration) {
	for i := range min(len(j.Offsets), retry.Attempts) {
		out[i] = time.Duration(j.Offsets[i]) * time.Millisecond
	}
	return out
}

// ready is a webhook that has something due, with the deliveries of it that are being posted.
type ready struct {
	subscription.Row
	Flying int `db:"flying"`
}

// claimTenant leases what a tenant's webhooks have due, as far as there is room, and starts it. One process at a time
// does so for a tenant, so that the bounds hold over all of them.
func (s *Service) claimTenant(ctx context.Context, tenant string) error {
	room := s.reserve(perTenant)
	defer func() { s.giveBack(room) }()
	if room == 0 {
		return nil
	}
	v := viewer.System(tenant)
	type lane struct {
		target
		first job
	}
	var lanes []lane
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		lanes = nil
		hooks, flying, err := s.readyHooks(ctx, tx)
		if err != nil {
			return err
		}
		for i, n := range share(hooks, min(room, perTenant-flying)) {
			if n == 0 {
				continue
			}
			t, err := s.target(ctx, tx, v, hooks[i].Row)
			if err != nil {
				return err
			}
			jobs, err := s.claim(ctx, tx, t.hook, n)
			if err != nil {
				return err
			}
			for _, j := range jobs {
				lanes = append(lanes, lane{t, j})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	room -= len(lanes) // they give their room back themselves
	for _, l := range lanes {
		s.lanes.Go(func() {
			defer s.Wake()
			defer s.giveBack(1)
			s.run(ctx, l.target, l.first)
		})
	}
	return nil
}

// readyHooks lists the tenant's webhooks that have something due, in no order, and how many deliveries of the tenant
// are being posted. There are none while another process looks.
func (s *Service) readyHooks(ctx context.Context, tx *pg.Tx) (hooks []ready, flying int, err error) {
	const turn = `select pg_try_advisory_xact_lock(hashtextextended('webhook ' || current_tenant()::text, 0))`
	var mine bool
	if err := tx.QueryRow(ctx, turn).Scan(&mine); err != nil || !mine {
		return nil, 0, err
	}
	const list = `
		select ` + subscription.Columns + `,
		       (select count(*) from webhook_delivery d
		         where d.tenant_id = current_tenant() and d.webhook_id = w.id and d.lease_until > now()) as flying
		  from webhook w
		 where w.tenant_id = current_tenant()
		   and w.state = 'enabled'
		   and (w.probe_at is null or w.probe_at <= now())
		   and exists (select from webhook_delivery d
		                where d.tenant_id = current_tenant() and d.webhook_id = w.id and d.state = 'pending'
		                    and d.due_at <= now())
		 order by random()`
	if hooks, err = pg.All[ready](ctx, tx, "list webhooks", list); err != nil {
		return nil, 0, err
	}
	const all = `select count(*) from webhook_delivery where tenant_id = current_tenant() and lease_until > now()`
	if err := tx.QueryRow(ctx, all).Scan(&flying); err != nil {
		return nil, 0, fmt.Errorf("count deliveries: %w", err)
	}
	return hooks, flying, nil
}

// share divides room among webhooks, one delivery at a time in turn. One that keeps failing gets one alone.
func share(hooks []ready, room int) []int {
	shares := make([]int, len(hooks))
	for given := true; given && room > 0; {
		given = false
		for i, h := range hooks {
			most := perWebhook
			if h.Failures >= health.BreakAfter {
				most = 1
			}
			if room > 0 && h.Flying+shares[i] < most {
				shares[i]++
				room--
				given = true
			}
		}
	}
	return shares
}

// target reads what is needed to post to a webhook.
func (s *Service) target(ctx context.Context, tx *pg.Tx, v viewer.Viewer, r subscription.Row) (t target, err error) {
	t = target{viewer: v, hook: r}
	if t.keys, err = subscription.Keys(ctx, tx, s.Seal, r.ID); err != nil {
		return t, err
	}
	if t.headers, err = subscription.Headers(ctx, tx, s.Seal, r); err != nil {
		return t, err
	}
	if t.url, err = subscription.FullURL(ctx, tx, s.Seal, r); err != nil || !subscription.IsChat(r.Format) {
		return t, err
	}
	slug, err := pg.One[string](ctx, tx, "read the tenant", `select slug from tenant where id = current_tenant()`)
	t.console = s.BaseURL(slug)
	return t, err
}

// claim leases up to n deliveries of a webhook. A delivery waits for those before it about the same resource: until
// they have been tried, or where the webhook wants strict order, until they have ended.
func (s *Service) claim(ctx context.Context, tx *pg.Tx, r subscription.Row, n int) ([]job, error) {
	if err := putOffMissed(ctx, tx, r.ID); err != nil {
		return nil, err
	}
	waits, err := pace(ctx, tx, r, n)
	if err != nil || len(waits) == 0 {
		return nil, err
	}
	jobs, err := leaseUpTo(ctx, tx, r, len(waits))
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		jobs[i].wait = waits[i]
	}
	if len(jobs) > 0 && r.Failures >= health.BreakAfter {
		const probe = `update webhook set probe_at = now() + make_interval(secs => $2),
			probes = probes + 1 where tenant_id = current_tenant() and id = $1`
		if err := pg.Exec(ctx, tx, "note probe", probe, r.ID, health.Pause(r.Probes).Seconds()); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// missed holds for a delivery d whose next attempt was missed, because nothing was delivered then, and not put off yet.
const missed = `(d.attempt > 0 and not d.overdue and d.due_at < now() - interval '60 seconds')`

// putOffMissed spreads attempts that were missed over the next minute, once, so that they do not come all at one
// moment.
func putOffMissed(ctx context.Context, tx *pg.Tx, webhook string) error {
	const sql = `
		update webhook_delivery d
		   set due_at = now() + random() * make_interval(secs => $2), overdue = true
		 where d.tenant_id = current_tenant()
		   and d.webhook_id = $1
		   and d.state = 'pending'
		   and ` + lease.Free + `
		   and d.due_at < now() - interval '60 seconds'
		   and ` + missed
	return pg.Exec(ctx, tx, "put off missed attempts", sql, webhook, retry.CatchUp.Seconds())
}

// pace says how long each of up to n deliveries that begin now has to wait, so that no second sees more than max_rps.
func pace(ctx context.Context, tx *pg.Tx, r subscription.Row, n int) ([]time.Duration, error) {
	waits := make([]time.Duration, n)
	if r.MaxRPS == nil {
		return waits, nil
	}
	var now time.Time
	if err := tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return nil, fmt.Errorf("read clock: %w", err)
	}
	next, step := now, time.Second/time.Duration(*r.MaxRPS)
	if r.PacedUntil != nil && r.PacedUntil.After(now) {
		next = *r.PacedUntil
	}
	for i := range waits {
		if waits[i] = next.Sub(now); waits[i] > lookEvery {
			waits = waits[:i]
			break
		}
		next = next.Add(step)
	}
	_, err := tx.Exec(
		ctx,
		`update webhook set paced_until = $2 where tenant_id = current_tenant() and id = $1`,
		r.ID,
		next,
	)
	if err != nil {
		return nil, fmt.Errorf("note pace: %w", err)
	}
	return waits, nil
}

// leaseSQL takes deliveries that are due. One that was leased before and not given back is counted as begun again.
const leaseSQL = `
	with next as (
		select d.id
		  from webhook_delivery d
		 where d.tenant_id = current_tenant()
		   and d.webhook_id = @webhook
		   and d.state = 'pending'
		   and d.due_at <= now()
		   and ` + lease.Free + `
		   and (d.first_at is null or d.first_at > now() - make_interval(secs => @deadline))
		   and not ` + missed + `
		   and not exists (select from webhook_delivery p
		                    where p.tenant_id = current_tenant() and p.webhook_id = d.webhook_id
		                        and p.resource_id = d.resource_id
		                      and p.sequence < d.sequence and p.state = 'pending' and p.purpose = d.purpose
		                          and (@ordered or p.attempt = 0))
		 order by d.due_at
		 limit @n
		   for update of d skip locked),
	leased as (
		update webhook_delivery d
		   set lease_owner = @lease, lease_until = clock_timestamp() + make_interval(secs => @seconds),
		       repeats = d.repeats + (d.lease_owner is not null)::int,
		           first_at = coalesce(d.first_at, clock_timestamp())
		  from next
		 where d.tenant_id = current_tenant() and d.id = next.id
		returning d.*)
	select d.id::text as delivery_id, d.purpose, d.format, d.attempt, d.repeats, d.offsets::bigint[], d.first_at,
	    clock_timestamp() as clock, ` +
	event.Columns + `
	  from leased d
	  join event e
	    on e.tenant_id = current_tenant()
	   and e.id = d.event_id
	 order by d.due_at`

func leaseArgs(r subscription.Row, n int, token string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"webhook":  r.ID,
		"n":        n,
		"lease":    token,
		"seconds":  leaseTime.Seconds(),
		"ordered":  r.Ordered,
		"deadline": retry.Deadline.Seconds(),
	}
}

func leased(rows pgx.Rows, token string) ([]job, error) {
	jobs, err := pgx.CollectRows(rows, pgx.RowToStructByName[job])
	if err != nil {
		return nil, fmt.Errorf("lease deliveries: %w", err)
	}
	for i := range jobs {
		jobs[i].lease, jobs[i].taken = token, time.Now()
	}
	return jobs, nil
}

// leaseUpTo leases up to n deliveries of a webhook.
func leaseUpTo(ctx context.Context, tx *pg.Tx, r subscription.Row, n int) ([]job, error) {
	token := subscription.NewID()
	rows, err := tx.Query(ctx, leaseSQL, leaseArgs(r, n, token))
	if err != nil {
		return nil, fmt.Errorf("lease deliveries: %w", err)
	}
	return leased(rows, token)
}
