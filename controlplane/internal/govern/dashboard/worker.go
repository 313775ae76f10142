package dashboard

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	interval = 15 * time.Minute // how soon a new day is counted
	kept     = 400              // days
)

// Jobs is the periodic work: to count the findings of each tenant once a day.
func (s *Service) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  "findings",
		Title: "Daily count of findings",
		About: "Counts the findings of each tenant once a day, for the trends of the dashboard.",
		Every: interval,
		Run: func(ctx context.Context) error {
			_, err := s.Look(ctx)
			return err
		},
	}}
}

// Look counts the findings of the tenants that have not been counted today.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select t.id
		  from tenant t
		 where t.status = 'active'
		   and not exists (select from finding_day d where d.tenant_id = t.id and d.day = $1::date)`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now().UTC())
	if err != nil {
		return 0, fmt.Errorf("find tenants to count: %w", err)
	}
	return loop.EachTenant(ctx, s.Log, "cannot count the findings of a tenant; it is tried again", tenants, s.snapshot)
}

// snapshot keeps what is counted today.
func (s *Service) snapshot(ctx context.Context, tenant string) (n int, err error) {
	const sql = `
		insert into finding_day (tenant_id, day, kind, count)
		select current_tenant(), @day::date, k.kind, k.count
		  from unnest(@kinds::text[], @counts::bigint[]) k (kind, count)
		    on conflict (tenant_id, day, kind) do nothing`
	const old = `delete from finding_day where tenant_id = current_tenant() and day < @day::date - @kept::int`
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		counts, err := count(ctx, tx, findings())
		if err != nil {
			return err
		}
		var kinds []string
		var numbers []int64
		for kind, number := range counts {
			kinds, numbers = append(kinds, kind), append(numbers, number)
		}
		args := pgx.NamedArgs{"day": s.Now().UTC(), "kinds": kinds, "counts": numbers, "kept": kept}
		for _, statement := range []string{sql, old} {
			if err := pg.Exec(ctx, tx, "keep findings", statement, args); err != nil {
				return err
			}
		}
		n = len(counts)
		return nil
	})
	return n, err
}
