package matter

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// sweeping is how often everything is looked over: what comes with time alone is counted in days.
const sweeping = time.Hour

// sweep gives a turn to everything that waits and was not asked, and to everything that was asked and does not wait, when it is time to.
func (s *Service) sweep(ctx context.Context, tx *pg.Tx) (n int, err error) {
	const due = `
		insert into matter_sweep as w (tenant_id, looked_at)
		values (current_tenant(), @now)
		    on conflict (tenant_id) do update
		   set looked_at = excluded.looked_at
		 where w.looked_at <= @until`
	tag, err := tx.Exec(ctx, due, pgx.NamedArgs{"now": s.Now(), "until": s.Now().Add(-sweeping)})
	if err != nil {
		return 0, fmt.Errorf("look everything over: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return 0, nil
	}
	for _, k := range s.kinds() {
		found, err := k.differing(ctx, tx)
		if err != nil {
			return 0, err
		}
		n += found
	}
	return n, nil
}

// differing gives a turn to what waits and was not asked, or was asked and does not wait.
func (k kind) differing(ctx context.Context, tx *pg.Tx) (int, error) {
	sql := `
		with asked as materialized (
		    select t.key::uuid as id
		      from decision_task t
		     where t.kind = @kind
		       and (t.state in ('open', 'claimed') or t.apply_at is not null)
		), needed as materialized (
		    select n.id from (` + k.needed + `) n (id)
		)
		insert into matter_turn (tenant_id, kind, source_id)
		select current_tenant(), @kind, coalesce(n.id, a.id)
		  from needed n
		  full join asked a on a.id = n.id
		 where n.id is null
		    or a.id is null`
	tag, err := tx.Exec(ctx, sql, pgx.NamedArgs{"kind": k.name})
	if err != nil {
		return 0, fmt.Errorf("compare with the inbox: %s: %w", k.name, err)
	}
	return int(tag.RowsAffected()), nil
}
