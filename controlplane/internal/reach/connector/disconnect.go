package connector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// restorable is how long what was read of a deleted connector is kept, so that the connector can be restored.
const restorable = 30 * 24 * time.Hour

// Disconnected is how much of a connector's target was affected by a deletion or a restoration.
type Disconnected struct {
	Accounts     int64 `json:"accounts"`
	Entitlements int64 `json:"entitlements"`
	Grants       int64 `json:"grants"`
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

// disconnect takes what was read of a connector out of lists, figures and effective access. Accounts that are deleted
// and grants that are revoked stay as they are.
func disconnect(ctx context.Context, tx *pg.Tx, id string) (Disconnected, error) {
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

// reconnect brings back what disconnect took out. Whose access it is has their access looked at again.
func reconnect(ctx context.Context, tx *pg.Tx, id string) (Disconnected, error) {
	const owners = `
		insert into work_item (tenant_id, kind, subject)
		select distinct a.tenant_id, 'provisioning', a.identity_id
		  from account a
		 where a.tenant_id = current_tenant() and a.connector_id = $1 and a.status = 'disconnected'
		     and a.identity_id is not null`
	if _, err := tx.Exec(ctx, owners, id); err != nil {
		return Disconnected{}, fmt.Errorf("have access looked at: %w", err)
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
	if _, err := tx.Exec(ctx, patient); err != nil {
		return d, fmt.Errorf("take time: %w", err)
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

// Restore brings a deleted connector back within 30 days, with what was read of it. Its secrets were erased with its
// deletion: a connector that had some is a draft until they are given again. It is a fault of kind NotFound when there
// is no such deleted connector, or its 30 days are over, and Conflict when another connector has taken its business_id.
func (s *Service) Restore(ctx context.Context, v viewer.Viewer, id string) (c Connector, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := revive(ctx, tx, id, s.Now().Add(-restorable)); err != nil {
			return err
		}
		back, err := reconnect(ctx, tx, id)
		if err != nil {
			return err
		}
		const full = `update sync_position set full_due = 'restored' where tenant_id = current_tenant()
			and connector_id = $1`
		if _, err := tx.Exec(ctx, full, id); err != nil {
			return fmt.Errorf("restore connector: %w", err)
		}
		if c, err = Find(ctx, tx, id); err != nil {
			return err
		}
		return recordRestored(ctx, tx, c, back)
	})
	var business string
	if c.BusinessID != "" {
		business = c.BusinessID
	}
	return c, taken(err, business)
}

func revive(ctx context.Context, tx *pg.Tx, id string, since time.Time) error {
	const sql = `
		update connector
		   set status = case when had_credentials then 'draft' else 'ready' end, deleted_at = null, updated_at = now(),
		       version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1
		   and deleted_at > $2
		   and purged_at is null
		returning id::text`
	missing := fault.New(
		fault.NotFound,
		"Deleted connector %s was not found, or was deleted more than 30 days ago.",
		id,
	)
	if !listing.IsID(id) {
		return missing
	}
	err := tx.QueryRow(ctx, sql, id, since).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return missing
	}
	if err != nil {
		return fmt.Errorf("restore connector: %w", err)
	}
	return nil
}

func (s *Service) restore(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Connector], error) {
	return shownOne(s.Restore(ctx, v, in.ID))
}

// purgedAtOnce bounds what one transaction erases.
const purgedAtOnce = 5000

// Purge erases what was read of connectors that were deleted more than 30 days ago, some thousand rows a call; more is
// true when there is more to erase. Accounts and grants stay as deleted and revoked, without the attributes of their
// target, because the audit log and the history name them.
func Purge(ctx context.Context, tx *pg.Tx, now time.Time) (more bool, err error) {
	const due = `
		select id::text, business_id
		  from connector
		 where tenant_id = current_tenant() and deleted_at <= $1 and purged_at is null
		 order by deleted_at
		 limit 1
		   for update skip locked`
	var c Connector
	err = tx.QueryRow(ctx, due, now.Add(-restorable)).Scan(&c.ID, &c.BusinessID)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find a connector to purge: %w", err)
	}
	for _, sql := range []string{purgeGrants, purgeAccounts, purgeEntitlements} {
		tag, err := tx.Exec(ctx, sql, c.ID, purgedAtOnce)
		if err != nil {
			return false, fmt.Errorf("purge connector %s: %w", c.ID, err)
		}
		if tag.RowsAffected() == purgedAtOnce {
			return true, nil
		}
	}
	const done = `update connector set purged_at = now(), connection = '{}', last_test = null,
		updated_at = now() where tenant_id = current_tenant() and id = $1`
	if _, err := tx.Exec(ctx, done, c.ID); err != nil {
		return false, fmt.Errorf("purge connector %s: %w", c.ID, err)
	}
	return true, recordPurged(ctx, tx, c)
}

const (
	purgeGrants = `
		update access_grant g
		   set status = 'revoked', revoked_at = now(), status_before = null, attributes = '{}', updated_at = now(),
		       version = g.version + 1
		 where g.tenant_id = current_tenant()
		   and g.id in (select id from access_grant
		                 where tenant_id = current_tenant() and connector_id = $1 and status = 'disconnected' limit $2)`
	purgeAccounts = `
		update account a
		   set status = 'deleted', deleted_at = now(), status_before = null, attributes = '{}', email = null,
		       display_name = null, first_name = null, last_name = null, employee_number = null, updated_at = now(),
		           version = a.version + 1
		 where a.tenant_id = current_tenant()
		   and a.id in (select id from account
		                 where tenant_id = current_tenant() and connector_id = $1 and status = 'disconnected' limit $2)`
	purgeEntitlements = `
		update entitlement e
		   set lifecycle = 'retired', lifecycle_before = null, attributes = '{}', updated_at = now(),
		       version = e.version + 1
		 where e.tenant_id = current_tenant()
		   and e.id in (select id from entitlement
		                 where tenant_id = current_tenant() and connector_id = $1 and lifecycle = 'disconnected'
		                     limit $2)`
)
