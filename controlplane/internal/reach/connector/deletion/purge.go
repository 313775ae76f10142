package deletion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

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
	var id, businessID string
	err = tx.QueryRow(ctx, due, now.Add(-Restorable)).Scan(&id, &businessID)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find a connector to purge: %w", err)
	}
	for _, sql := range []string{purgeGrants, purgeAccounts, purgeEntitlements} {
		tag, err := tx.Exec(ctx, sql, id, purgedAtOnce)
		if err != nil {
			return false, fmt.Errorf("purge connector %s: %w", id, err)
		}
		if tag.RowsAffected() == purgedAtOnce {
			return true, nil
		}
	}
	const done = `update connector set purged_at = now(), connection = '{}', last_test = null,
		updated_at = now() where tenant_id = current_tenant() and id = $1`
	if err := pg.Exec(ctx, tx, "purge connector "+id, done, id); err != nil {
		return false, err
	}
	return true, recordPurged(ctx, tx, id, businessID)
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

// actionPurged is the action in the audit log.
const actionPurged = "connector.purged"

func recordPurged(ctx context.Context, tx *pg.Tx, id, businessID string) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionPurged, Subject: connectorstate.AuditSubject(id, businessID)},
	)
}
