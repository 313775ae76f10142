package matter

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// sweep enqueues whatever needs a decision and was not asked about, and whatever was asked about and needs none.
func (s *Service) sweep(ctx context.Context, tx *pg.Tx) error {
	for _, k := range s.kinds() {
		if err := k.differing(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// differing enqueues the conditions of a kind that differ from the inbox.
func (k kind) differing(ctx context.Context, tx *pg.Tx) error {
	sql := `
		with asked as materialized (
		    select t.key::uuid as id
		      from decision_task t
		     where t.kind = @kind
		       and (t.state in ('open', 'claimed') or t.apply_at is not null)
		), needed as materialized (
		    select n.id from (` + k.needed + `) n (id)
		)
		insert into work_item (tenant_id, kind, subject)
		select current_tenant(), @work, coalesce(n.id, a.id)
		  from needed n
		  full join asked a on a.id = n.id
		 where n.id is null
		    or a.id is null`
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"kind": k.name, "work": workOn(k.name)}); err != nil {
		return fmt.Errorf("compare with the inbox: %s: %w", k.name, err)
	}
	return nil
}
