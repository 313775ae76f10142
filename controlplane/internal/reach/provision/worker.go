package provision

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// channel is where it is announced that there is something to do.
const channel = "provisioning"

// Times of the work.
const (
	interval = time.Second      // how soon work is noticed that nobody announced
	upkeep   = 15 * time.Second // how often what depends on the time, or on settings, is looked at
)

// Run plans and makes changes until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.group.Wait()
	line := pg.Line{DB: s.DB, Channel: channel, Again: 2 * time.Second, Log: s.Log, Lost: "lost the line on which changes are announced; looking every second"}
	go line.Listen(ctx, s.wake.Ring)
	var kept time.Time
	return loop.Worker{Every: interval, Wake: &s.wake}.Drain(ctx, func(ctx context.Context) (int, error) {
		if time.Since(kept) >= upkeep {
			kept = time.Now()
			s.complain(ctx, "cannot look after what is due", s.Keep(ctx))
			s.readInBackground(ctx)
		}
		planned, err := s.PlanAll(ctx)
		s.complain(ctx, "cannot plan changes", err)
		_, err = s.start(ctx)
		s.complain(ctx, "cannot look for changes to make", err)
		return planned, nil // what has failed in one tenant keeps the others from nothing
	})
}

// readInBackground reads back what was not seen, one pass at a time: a target that answers slowly holds up nothing else.
func (s *Service) readInBackground(ctx context.Context) {
	if !s.reading.CompareAndSwap(false, true) {
		return
	}
	s.group.Go(func() {
		defer s.reading.Store(false)
		s.complain(ctx, "cannot read back changes", s.ReadBack(ctx))
	})
}

func (s *Service) complain(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, what, "err", err)
	}
}

// PlanAll plans for people whose access has changed, of each tenant a thousand at most, and says for how many.
func (s *Service) PlanAll(ctx context.Context) (int, error) {
	const sql = `
		select t.id::text
		  from tenant t
		 where t.status = 'active'
		   and exists (select from access_turn w where w.tenant_id = t.id)
		 order by (select min(w.since) from access_turn w where w.tenant_id = t.id and w.urgent) nulls last`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql)
	if err != nil {
		return 0, fmt.Errorf("find people to plan for: %w", err)
	}
	sum := 0
	var failed error
	for _, tenant := range tenants {
		n, err := s.planTenant(ctx, tenant)
		sum += n
		failed = errors.Join(failed, err)
	}
	return sum, failed
}

// attemptsToPlan is how often a plan is made anew that workers have overtaken.
const attemptsToPlan = 5

// planTenant takes the turns of people of a tenant and plans for them, in one transaction: when it dies, nothing has happened.
func (s *Service) planTenant(ctx context.Context, tenant string) (n int, err error) {
	for range attemptsToPlan {
		n = 0
		err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
			var mine bool
			if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(`+planner+`)`).Scan(&mine); err != nil || !mine {
				return err // another process plans for this tenant
			}
			hurried, others, err := turns(ctx, tx)
			if n = len(hurried) + len(others); err != nil || n == 0 {
				return err
			}
			if err := s.refresh(ctx, tx); err != nil {
				return err
			}
			if _, err := Plan(ctx, tx, hurried, true); err != nil {
				return err
			}
			_, err = Plan(ctx, tx, others, false)
			return err
		})
		if !errors.Is(err, errOvertaken) {
			return n, err
		}
	}
	return s.planEach(ctx, tenant)
}

// planEach plans for people one by one, after a plan of many could not be written: whoever it fails for keeps nobody else from theirs,
// and comes last the next time.
func (s *Service) planEach(ctx context.Context, tenant string) (n int, failed error) {
	v := viewer.System(tenant)
	urgent := map[string]bool{}
	var people []string
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		clear(urgent)
		hurried, others, err := turns(ctx, tx)
		if err != nil {
			return err
		}
		for _, id := range hurried {
			urgent[id] = true
		}
		people = slices.Concat(hurried, others)
		const back = `insert into access_turn (tenant_id, identity_id, urgent) select current_tenant(), p::uuid, coalesce(p = any($2::text[]), false) from unnest($1::text[]) p`
		_, err = tx.Exec(ctx, back, people, hurried)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("put back turns: %w", err)
	}
	for _, id := range people {
		err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
			if _, err := tx.Exec(ctx, `delete from access_turn where identity_id = $1`, id); err != nil {
				return fmt.Errorf("take turn: %w", err)
			}
			_, err := Plan(ctx, tx, []string{id}, urgent[id])
			return err
		})
		if err == nil {
			n++
		} else {
			failed = errors.Join(failed, fmt.Errorf("plan for %s: %w", id, err))
		}
	}
	return n, failed
}

// turns takes the turns of a thousand people at most, those that hurry first, and gives the people.
func turns(ctx context.Context, tx *pg.Tx) (hurried, others []string, err error) {
	const sql = `
		with taken as (
		    delete from access_turn
		     where id in (select id from access_turn order by urgent desc, id limit $1)
		       and tenant_id = current_tenant()
		    returning identity_id, urgent
		)
		select identity_id::text, bool_or(urgent) from taken group by identity_id order by identity_id`
	rows, err := tx.Query(ctx, sql, most)
	if err != nil {
		return nil, nil, fmt.Errorf("take turns: %w", err)
	}
	var id string
	var urgent bool
	_, err = pgx.ForEachRow(rows, []any{&id, &urgent}, func() error {
		if urgent {
			hurried = append(hurried, id)
		} else {
			others = append(others, id)
		}
		return nil
	})
	return hurried, others, err
}

// found is a connector with changes to make that nobody is at.
type found struct {
	Tenant    string `db:"tenant_id"`
	Connector string `db:"connector_id"`
}

// start begins the work on connectors that nobody is at, and says on how many.
func (s *Service) start(ctx context.Context) (n int, err error) {
	s.mu.Lock()
	room := s.Lanes - len(s.active)
	s.mu.Unlock()
	if room <= 0 || ctx.Err() != nil {
		return 0, nil
	}
	const sql = `
		select l.tenant_id::text, l.connector_id::text
		  from provisioning_lane l
		  join tenant n
		    on n.id = l.tenant_id
		   and n.status = 'active'
		 where (l.lease_until is null or l.lease_until < now())
		   and (l.wait_until is null or l.wait_until <= now())
		   and (exists (select from provisioning_task t
		                 where t.tenant_id = l.tenant_id and t.connector_id = l.connector_id
		                   and t.state in ('queued', 'retrying') and t.mode <> 'manual' and t.next_attempt_at <= now())
		     or exists (select from provisioning_task t
		                 where t.tenant_id = l.tenant_id and t.connector_id = l.connector_id and t.state = 'running' and t.lease_until < now()))
		 order by exists (select from provisioning_task t
		                   where t.tenant_id = l.tenant_id and t.connector_id = l.connector_id
		                     and t.state in ('queued', 'retrying') and t.mode <> 'manual' and t.lane = 'urgent') desc
		 limit 100`
	all, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[found], sql)
	if err != nil {
		return 0, fmt.Errorf("find changes to make: %w", err)
	}
	for _, f := range all {
		if n == room {
			break
		}
		if s.begin(ctx, f) {
			n++
		}
	}
	return n, nil
}

// begin works on a connector in the background, unless this process is at it already.
func (s *Service) begin(ctx context.Context, f found) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[f.Connector] {
		return false
	}
	s.active[f.Connector] = true
	s.group.Add(1)
	go func() {
		defer s.group.Done()
		defer s.wake.Ring()
		defer func() {
			s.mu.Lock()
			delete(s.active, f.Connector)
			s.mu.Unlock()
		}()
		if err := s.lane(ctx, f); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot make changes; it is tried again", "connector", f.Connector, "err", err)
			// Others may have what this process lacks: it does not come back at once.
			time.Sleep(time.Duration(500+rand.IntN(500)) * time.Millisecond)
		}
	}()
	return true
}
