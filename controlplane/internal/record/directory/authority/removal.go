package authority

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
)

// sourceRemoved is the reason of a state that came about because no source knows a person any more.
const sourceRemoved = "source_removed"

// DeactivateRemoved deactivates those of the identities that no source has any longer, and returns how many. A state
// that was set by hand stays, and so does an identity that did not come from a source. It is for large numbers: the
// caller audits them together.
func DeactivateRemoved(ctx context.Context, tx *pg.Tx, ids []string) (int64, error) {
	const sql = `
		update identity i
		   set status = 'deactivated', standing = 'deactivated', status_reason = $2, status_source = 'hr',
		       status_changed_at = now(), updated_at = now(), version = i.version + 1
		  from unnest($1::text[]::uuid[]) gone (id)
		 where i.tenant_id = current_tenant()
		   and i.id = gone.id
		   and not exists (select
		                     from identity_source s
		                     left join connector c on c.tenant_id = current_tenant() and c.id = s.connector_id
		                    where s.tenant_id = current_tenant()
		                      and s.identity_id = gone.id
		                      and s.removed_at is null
		                      and c.deleted_at is null)
		   and i.source_connector_id is not null
		   and i.status not in ('deactivated', 'archived')
		   and i.status_source <> 'manual'`
	tag, err := tx.Exec(ctx, sql, ids, sourceRemoved)
	if err != nil {
		return 0, fmt.Errorf("deactivate identities that are missing in all sources: %w", err)
	}
	return tag.RowsAffected(), nil
}

// ReactivateReturned activates those of the identities that were deactivated because no source had them. still are the
// identities that the source itself reports as inactive.
func ReactivateReturned(ctx context.Context, tx *pg.Tx, ids, still []string) (int64, error) {
	const sql = `
		update identity i
		   set status = case when i.status = 'deactivated' then 'active' else i.status end, standing = 'active',
		       status_reason = null, status_changed_at = case when i.status = 'deactivated' then now()
		           else i.status_changed_at end,
		       updated_at = now(), version = i.version + 1
		  from (select id from unnest($1::text[]::uuid[]) back (id) except select id
		      from unnest($2::text[]::uuid[]) still (id)) back
		 where i.tenant_id = current_tenant()
		   and i.id = back.id
		   and i.status_reason = $3
		   and i.status <> 'archived'`
	tag, err := tx.Exec(ctx, sql, ids, still, sourceRemoved)
	if err != nil {
		return 0, fmt.Errorf("reactivate identities that are in a source again: %w", err)
	}
	_, err = lifecycle.ApplyDates(ctx, tx, "hr", `select unnest(@back::text[]::uuid[])`, pgx.NamedArgs{"back": ids})
	return tag.RowsAffected(), err
}
