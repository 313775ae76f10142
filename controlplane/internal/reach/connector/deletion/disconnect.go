package deletion

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// Restorable is how long what was read of a deleted connector is kept, so that the connector can be restored.
const Restorable = 30 * 24 * time.Hour

// Disconnected is how much of a connector's target was affected by a deletion or a restoration.
type Disconnected struct {
	// Number of accounts.
	Accounts int64 `json:"accounts"`
	// Number of entitlements.
	Entitlements int64 `json:"entitlements"`
	// Number of grants.
	Grants int64 `json:"grants"`
}

// patient lets a transaction of a person's request touch everything that was read of a large target.
const patient = `set local statement_timeout = '120s'; set local lock_timeout = '10s'`

// disputedAgain has the accounts looked at whose owner is disputed: their question ends, or is asked again.
const disputedAgain = `
	insert into work_item (tenant_id, kind, subject)
	select a.tenant_id, 'inbox_account_correlation', a.id
	  from account a
	 where a.tenant_id = current_tenant()
	   and a.connector_id = $1
	   and a.correlation_state = 'disputed'`

// Disconnect takes what was read of a connector out of lists, figures and effective access. Accounts that are deleted
// and grants that are revoked stay as they are.
func Disconnect(ctx context.Context, tx *pg.Tx, id string) (Disconnected, error) {
	return touch(ctx, tx, id, disputedAgain+` and a.status <> 'deleted'`,
		`update access_grant
		    set status_before = status, status = 'disconnected', updated_at = now(), version = version + 1
		  where tenant_id = current_tenant() and connector_id = $1 and status not in ('revoked', 'disconnected')`,
		`update account
		    set status_before = status, status = 'disconnected', updated_at = now(), version = version + 1
		  where tenant_id = current_tenant() and connector_id = $1 and status not in ('deleted', 'disconnected')`,
		`update entitlement
		    set lifecycle_before = lifecycle, lifecycle = 'disconnected', removed_at = now(), updated_at = now(),
		        version = version + 1
		  where tenant_id = current_tenant() and connector_id = $1 and removed_at is null`)
}

// Reconnect brings back what disconnect took out. Whose access it is has their access looked at again.
func Reconnect(ctx context.Context, tx *pg.Tx, id string) (Disconnected, error) {
	const owners = `
		insert into work_item (tenant_id, kind, subject)
		select distinct a.tenant_id, 'provisioning', a.identity_id
		  from account a
		 where a.tenant_id = current_tenant() and a.connector_id = $1 and a.status = 'disconnected'
		     and a.identity_id is not null`
	if err := pg.Exec(ctx, tx, "have access looked at", owners, id); err != nil {
		return Disconnected{}, err
	}
	return touch(ctx, tx, id, disputedAgain,
		`update access_grant
		    set status = status_before, status_before = null, updated_at = now(), version = version + 1
		  where tenant_id = current_tenant() and connector_id = $1 and status = 'disconnected'`,
		`update account
		    set status = status_before, status_before = null, updated_at = now(), version = version + 1
		  where tenant_id = current_tenant() and connector_id = $1 and status = 'disconnected'`,
		`update entitlement
		    set lifecycle = lifecycle_before, lifecycle_before = null, removed_at = null, updated_at = now(),
		        version = version + 1
		  where tenant_id = current_tenant() and connector_id = $1 and lifecycle = 'disconnected'`)
}

func touch(
	ctx context.Context,
	tx *pg.Tx,
	id, disputed, grants, accounts, entitlements string,
) (d Disconnected, err error) {
	if err := pg.Exec(ctx, tx, "take time", patient); err != nil {
		return d, err
	}
	// Questions about the connector, its runs and its tasks end, or are asked again.
	if err := queue.Enqueue(ctx, tx, queue.Work{Kind: "inbox_sweep", Cause: "connector"}); err != nil {
		return d, err
	}
	for _, each := range []struct {
		sql  string
		rows *int64
	}{{disputed, nil}, {grants, &d.Grants}, {accounts, &d.Accounts}, {entitlements, &d.Entitlements}} {
		tag, err := tx.Exec(ctx, each.sql, id)
		if err != nil {
			return d, fmt.Errorf("change the synced records of connector %s: %w", id, err)
		}
		if each.rows != nil {
			*each.rows = tag.RowsAffected()
		}
	}
	return d, nil
}

// AuditContext is what an audit entry says of it.
func (d Disconnected) AuditContext() map[string]any {
	return map[string]any{"accounts": d.Accounts, "entitlements": d.Entitlements, "grants": d.Grants}
}
