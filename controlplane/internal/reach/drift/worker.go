package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Times and sizes of the work.
const (
	interval = time.Second     // how soon a change is noticed
	batch    = 250             // accounts that are compared in one transaction
	runs     = 5 * time.Second // how soon an account is looked for again whose connector is being read
)

// Run compares what has changed until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	return loop.Worker{Every: interval, Log: s.Log, Cannot: "cannot compare accounts with their templates; they are looked at again"}.Drain(ctx, s.Look)
}

// Look compares up to a batch of accounts of each tenant that has some to compare, and tells how many they were.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select distinct q.tenant_id
		  from shape_turn q
		  join tenant t
		    on t.id = q.tenant_id
		   and t.status = 'active'
		 where q.not_before <= now()`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql)
	if err != nil {
		return 0, fmt.Errorf("find accounts to compare: %w", err)
	}
	// Other processes have found the same ones: whoever goes another way meets them less often.
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	sum := 0
	for _, tenant := range tenants {
		n, err := s.lookAt(ctx, tenant)
		sum += n
		if err != nil {
			return sum, fmt.Errorf("tenant %s: %w", tenant, err)
		}
	}
	return sum, nil
}

// acting is on whose behalf drift is written.
func acting(tenant string) viewer.Viewer {
	v := viewer.System(tenant)
	v.Display = "drift"
	return v
}

// lookAt takes notes and compares their accounts, in one transaction: what cannot commit is noted still. One process at a time works
// for a tenant, so that an account is never compared twice at once.
func (s *Service) lookAt(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, acting(tenant), func(tx *pg.Tx) error {
		const alone = `select pg_try_advisory_xact_lock(hashtextextended('drift|' || current_tenant()::text, 0))`
		mine := false
		if err := tx.QueryRow(ctx, alone).Scan(&mine); err != nil || !mine {
			return err
		}
		why, err := take(ctx, tx)
		if n = len(why); err != nil || n == 0 {
			return err
		}
		_, err = s.look(ctx, tx, why, nil, AcceptedDrift{})
		return err
	})
	return n, err
}

// take takes the notes of a batch of accounts. Accounts of a connector that is being read, be it the one that their owner comes
// from too, are half old and half new, and wait for its end.
func take(ctx context.Context, tx *pg.Tx) (map[string][]string, error) {
	const sql = `
		with due as (
			select q.account_id, min(q.id) as first
			  from shape_turn q
			 where q.tenant_id = current_tenant()
			   and q.not_before <= now()
			 group by q.account_id
			 order by first
			 limit $1),
		busy as (
			select d.account_id
			  from due d
			  join account a
			    on a.tenant_id = current_tenant()
			   and a.id = d.account_id
			  join sync_run r
			    on r.tenant_id = a.tenant_id
			   and r.connector_id = a.connector_id
			   and r.status in ('running', 'evaluating', 'applying')),
		off as (
			update shape_turn q
			   set not_before = now() + make_interval(secs => $2)
			  from busy b
			 where q.tenant_id = current_tenant()
			   and q.account_id = b.account_id
			   and q.not_before <= now()),
		taken as (
			delete from shape_turn q
			 using due d
			 where q.tenant_id = current_tenant()
			   and q.account_id = d.account_id
			   and q.account_id not in (select account_id from busy)
			returning q.account_id, q.why)
		select account_id::text, array_agg(distinct why) from taken group by account_id`
	rows, err := tx.Query(ctx, sql, batch, runs.Seconds())
	if err != nil {
		return nil, fmt.Errorf("take accounts to compare: %w", err)
	}
	why := map[string][]string{}
	var id string
	var all []string
	_, err = pgx.ForEachRow(rows, []any{&id, &all}, func() error {
		why[id], all = all, nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("take accounts to compare: %w", err)
	}
	return why, nil
}
