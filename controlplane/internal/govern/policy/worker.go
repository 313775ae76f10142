package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Times and sizes of the work.
const (
	interval = 2 * time.Second // how soon is noticed what nobody announced
	putOff   = 5 * time.Second // how long is waited before listening again
)

// batch is how many people are looked at in one transaction. Tests take fewer.
var batch = 2000

// Run looks at people until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	var announced loop.Bell
	line := pg.Line{DB: s.DB, Channel: channel, Again: putOff, Log: s.Log, Lost: "cannot listen for turns of people"}
	go line.Listen(ctx, announced.Ring)
	return loop.Worker{Every: interval, Wake: &announced, Log: s.Log, Cannot: "cannot look whose rules have to be evaluated"}.Drain(ctx, s.Look)
}

// Look finds tenants with something to do, does one part in each, and says how many people were looked at, and parts done, in all.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select t.id
		  from tenant t
		 where t.status = 'active'
		   and (exists (select from identity_turn n where n.tenant_id = t.id)
		        or exists (select from policy_sweep p where p.tenant_id = t.id)
		        or exists (select from role_assignment a where a.tenant_id = t.id and a.state = 'scheduled' and a.starts_at <= $1)
		        or exists (select from role_assignment a where a.tenant_id = t.id and a.state <> 'ended' and a.ends_at <= $1)
		        or exists (select from policy_walk w
		                    where w.tenant_id = t.id
		                      and (w.started_at is not null and w.finished_at is null
		                           or w.fresh_until <= $1)))`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now())
	if err != nil {
		return 0, fmt.Errorf("find tenants with people to look at: %w", err)
	}
	return loop.EachTenant(ctx, s.Log, "cannot evaluate the policies of a tenant; it is tried again", tenants, s.Part)
}

// Part does one part of what there is to do in a tenant: people whose turn it is, and a piece of the way through everybody. It gives how
// much was done; 0 when there is nothing, or somebody else is at it.
func (s *Service) Part(ctx context.Context, tenant string) (n int, err error) {
	turns, err := s.turns(ctx, tenant)
	if err != nil {
		return 0, err
	}
	steps, err := s.walk(ctx, tenant)
	return turns + steps, err
}

// alone makes the transaction the tenant's only evaluator. Whoever is not waits for nothing: the other one does the work.
func alone(ctx context.Context, tx *pg.Tx) (got bool, err error) {
	err = tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(2601, hashtext(current_tenant()::text))`).Scan(&got)
	if err != nil {
		return false, fmt.Errorf("lock evaluation: %w", err)
	}
	return got, nil
}

// turns looks at people whose turn it is.
func (s *Service) turns(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		if got, err := alone(ctx, tx); err != nil || !got {
			return err
		}
		if n, err = role.SettleAssignments(ctx, tx, s.Now()); err != nil {
			return err
		}
		taken, err := takeTurns(ctx, tx)
		if err != nil || len(taken.ids) == 0 {
			return err
		}
		b, err := loadBook(ctx, tx, s.Now())
		if err != nil {
			return err
		}
		if len(taken.moved) > 0 && len(b.needs.Managers) > 0 {
			if err := followBeneath(ctx, tx, taken.moved); err != nil {
				return err
			}
		}
		t, err := b.evaluate(ctx, tx, taken.ids, taken.urgent, false)
		n = max(t.people, 1)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("evaluate turns: %w", err)
	}
	return n, nil
}

// turn are people whose turn it was.
type turn struct {
	ids    []string
	urgent map[string]bool
	moved  []string // whose manager is another one
}

// takeTurns takes the turns of a batch of people, urgent ones first, all of each of them. Rows that are not seen yet stay for the next
// time; whatever is read afterwards is as new as those that were taken.
func takeTurns(ctx context.Context, tx *pg.Tx) (t turn, err error) {
	const sql = `
		with next as (
		    (select n.id from identity_turn n where n.urgent order by n.id limit @batch)
		     union
		    (select n.id from identity_turn n order by n.id limit @batch)
		), taken as (
		    delete from identity_turn n
		     using next
		     where n.tenant_id = current_tenant()
		       and n.id = next.id
		    returning n.identity_id, n.urgent, n.tree
		)
		select identity_id::text, bool_or(urgent), bool_or(tree)
		  from taken
		 group by identity_id
		 order by identity_id`
	t.urgent = map[string]bool{}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"batch": batch})
	if err != nil {
		return t, fmt.Errorf("take turns: %w", err)
	}
	var id string
	var urgent, tree bool
	_, err = pgx.ForEachRow(rows, []any{&id, &urgent, &tree}, func() error {
		t.ids = append(t.ids, id)
		if urgent {
			t.urgent[id] = true
		}
		if tree {
			t.moved = append(t.moved, id)
		}
		return nil
	})
	if err != nil {
		return t, fmt.Errorf("take turns: %w", err)
	}
	return t, nil
}

// followBeneath gives a turn to everybody beneath those whose manager is another one.
func followBeneath(ctx context.Context, tx *pg.Tx, moved []string) error {
	const sql = `
		with recursive beneath (id) as (
		    select i.id
		      from identity i
		     where i.manager_id = any(@moved::text[]::uuid[])
		     union
		    select i.id
		      from beneath b
		      join identity i on i.manager_id = b.id
		)
		insert into identity_turn (tenant_id, identity_id)
		select current_tenant(), b.id
		  from beneath b
		 where b.id <> all(@moved::text[]::uuid[])
		   and not exists (select from identity_turn n where n.identity_id = b.id)`
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"moved": moved}); err != nil {
		return fmt.Errorf("follow a change of manager: %w", err)
	}
	return nil
}

// walk goes a piece of the way through everybody, or begins to.
func (s *Service) walk(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		if got, err := alone(ctx, tx); err != nil || !got {
			return err
		}
		w, err := findWalk(ctx, tx)
		if err != nil {
			return err
		}
		if w.idle(s.Now()) {
			return nil
		}
		b, err := loadBook(ctx, tx, s.Now())
		if err != nil {
			return err
		}
		if !w.running {
			begun, err := w.begin(ctx, tx, b)
			if begun {
				n = 1
			}
			return err
		}
		n, err = w.step(ctx, tx, b)
		n = max(n, 1)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("evaluate everybody: %w", err)
	}
	return n, nil
}
