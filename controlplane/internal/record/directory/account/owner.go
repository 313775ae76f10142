package account

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// storeOwner writes a decision about an account's owner. From whom it takes the account, the rules do not give it
// back to; to whom they give it, they no longer refuse.
func storeOwner(ctx context.Context, tx *pg.Tx, id, state string, owner *string, why map[string]any,
	now time.Time) error {
	const sql = `
		update account
		   set identity_id = @owner, correlation_state = @state, correlation = @why, correlation_keys = null,
		       correlation_rules = null, correlation_rejected = case when @state = 'uncorrelated'
		           and identity_id is not null
		                                   then array_append(array_remove(correlation_rejected, identity_id),
		                                       identity_id)
		                                   else array_remove(correlation_rejected, @owner::uuid) end,
		       unowned_since = case when @owner::uuid is not null then null
		                            when identity_id is null then unowned_since
		                            else @now end,
		       updated_at = @now, version = version + 1
		 where id = @id`
	_, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id, "owner": owner, "state": state, "why": why, "now": now})
	if err != nil {
		return fmt.Errorf("write account owner: %w", err)
	}
	return nil
}

// storeRejected writes that an account belongs to none of its candidates.
func storeRejected(ctx context.Context, tx *pg.Tx, id string, why map[string]any, now time.Time) error {
	const sql = `
		update account a
		   set correlation_state = 'uncorrelated', correlation = @why, correlation_keys = null,
		       correlation_rules = null, correlation_rejected = array(select x from unnest(a.correlation_rejected) x
		                                     union
		                                    select (c ->> 'identity_id')::uuid
		                                        from jsonb_array_elements(coalesce(a.correlation -> 'candidates',
		                                        '[]')) c),
		       updated_at = @now, version = version + 1
		 where id = @id`
	return pg.Exec(ctx, tx, "reject candidates", sql, pgx.NamedArgs{"id": id, "why": why, "now": now})
}

// Lock is Find that keeps others from changing the account until the transaction ends.
func Lock(ctx context.Context, tx *pg.Tx, id string) (Account, error) {
	return find(ctx, tx, id, " for update of a")
}

// ForgetOwner makes an account as if there had been no decision about its owner.
func ForgetOwner(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		update account
		   set identity_id = null, correlation_state = 'uncorrelated', correlation = '{}', correlation_keys = null,
		       correlation_rules = null, correlation_rejected = '{}',
		           unowned_since = case when identity_id is null then unowned_since else now() end,
		       updated_at = now(), version = version + 1
		 where id = $1`
	return pg.Exec(ctx, tx, "forget account owner", sql, id)
}

// RecordOwner audits who an account belongs to, before and after.
func RecordOwner(ctx context.Context, tx *pg.Tx, action string, before, after Account) error {
	return record(ctx, tx, action, after, []audit.Change{
		{Field: "correlation_state", From: before.State(), To: after.State()},
		{Field: "identity_id", From: before.IdentityID, To: after.IdentityID},
	})
}
