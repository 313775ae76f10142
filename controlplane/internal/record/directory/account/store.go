package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// WithOwner joins the owner o to the accounts a.
func WithOwner(accounts string) string {
	return accounts + ` left join identity o on o.tenant_id = a.tenant_id and o.id = a.identity_id`
}

// NonHuman accounts have no owner of their own: a person must be responsible for each of them from the first day.
const NonHuman = `a.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass')`

// orphanAfter is how many days a person's account may be without an owner: rules or a user may still find one.
const orphanAfter = `(select coalesce((t.settings ->> 'orphan_after_days')::int, 30) from tenant t
	where t.id = current_tenant())`

// orphaned is the SQL condition of an orphan account: it can be used, it is not ignored, and its owner has left,
// or it has had no owner for too long. An account that the last sync did not find may still be usable.
const orphaned = `((a.status in ('active', 'locked') or a.status = 'missing' and a.is_disabled is not true)
	    and a.correlation_state <> 'ignored'
	and (coalesce(o.status in ('deactivated', 'archived'), false)
	  or a.identity_id is null and (` + NonHuman + ` or a.correlation ->> 'previous_owner' is not null
	     or coalesce(a.unowned_since, a.first_seen_at) <= now() - make_interval(days => ` + orphanAfter + `))))`

// orphanReason of an account that is orphaned. An owner's archiving takes the account from them, and stays the reason.
const orphanReason = `case when not ` + orphaned + ` then null
	     when o.status = 'archived' or a.identity_id is null
	         and a.correlation ->> 'previous_owner' is not null then 'owner_archived'
	     when o.status = 'deactivated' then 'owner_deactivated'
	     when a.correlation_state = 'disputed' or a.identity_external_id is not null then 'owner_unresolved'
	     else 'no_owner' end`

// Orphans is the SQL of the orphaned accounts a, with those owners o that they have.
var Orphans = WithOwner("account a") + " where " + orphaned

// OrphanReason is the SQL expression of why one of Orphans is.
const OrphanReason = orphanReason

// Display is the SQL expression of the display name of an account a.
const Display = `coalesce(nullif(a.username, ''), nullif(a.display_name, ''), nullif(a.native_identity, ''),
	a.external_id)`

var columns = `a.id, a.connector_id, ` + listing.ConnectorName(
	"a.connector_id",
) + ` as connector_name, a.external_id, a.native_identity, a.identity_external_id, a.identity_id,
	case when o.id is not null then jsonb_build_object('id', o.id, 'display', o.display_name) end as identity,
	a.username, a.email, a.display_name, a.first_name, a.last_name, a.employee_number, a.account_type, a.managed,
	a.purpose, a.is_disabled, a.is_locked, a.password_expired, a.mfa_enrolled, a.privileged, a.status,
	a.correlation || jsonb_build_object('state', a.correlation_state) as correlation,
	` + orphaned + ` as orphaned,
	` + orphanReason + ` as orphan_reason,
	a.expires_at, a.last_login_at, a.password_last_set_at, a.native_created_at, a.native_modified_at,
	a.first_seen_at, a.missing_since, a.attributes, a.labels, a.created_at, a.updated_at, a.version`

// Find reads the account if the transaction's viewer may see it; otherwise it is a fault of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Account, error) {
	return find(ctx, tx, id, "")
}

// find reads an account that the viewer sees; any other is not_found. locking is empty or a locking
// clause.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (Account, error) {
	missing := fault.New(fault.NotFound, "Account %s was not found.", id)
	if !listing.IsID(id) {
		return Account{}, missing
	}
	sql := `select ` + columns + ` from ` + WithOwner(listing.Readable(tx.Viewer, "account", "a")) + ` where a.id = @id`
	found, err := pg.One[Account](ctx, tx, "find account", sql+locking, pgx.NamedArgs{"id": id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Account{}, missing
	case err != nil:
		return Account{}, err
	}
	return found, nil
}

// Filters narrow a list of accounts; each one given must hold.
type Filters struct {
	// Accounts of this connector.
	ConnectorID string `query:"connector_id" format:"uuid"`
	// Several values, separated by commas. Deleted and disconnected ones are shown only when asked for.
	Status []string `query:"status" enum:"provisioning,active,disabled,locked,missing,deprovisioning,deleted,failed,disconnected"`
	// Several values, separated by commas.
	Correlation []string `query:"correlation" enum:"linked,uncorrelated,disputed,manual,ignored"`
	// Orphan accounts, or all others.
	Orphaned string `query:"orphaned" enum:"true,false"`
	// Several values, separated by commas. Orphaned accounts alone have one.
	OrphanReason []string `query:"orphan_reason" enum:"owner_deactivated,owner_archived,no_owner,owner_unresolved"`
	// Accounts of this type.
	AccountType string `query:"account_type" enum:"person,privileged,service,shared,system,bot,ai_agent,break_glass,unknown"`
	// Accounts that belong to this identity.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Privileged accounts, or all others.
	Privileged string `query:"privileged" enum:"true,false"`
	// Words, each of which is part of a username, name, e-mail address, native identity or external_id, without regard
	// to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"created_at" enum:"created_at,username,-created_at,-username"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "a.id", Type: "uuid"}, // ids rise with the time of creation
	"username":   {Column: "coalesce(a.username, '')", Type: "text"},
}

// query is the list of the accounts that are found by one sight and shown by the other.
func (f Filters) query(found, shown string) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: WithOwner(shown), Counted: found, ID: "a.id", Order: order}
	if f.Orphaned != "" || len(f.OrphanReason) > 0 {
		q.Counted = WithOwner(found)
	}
	if len(f.Status) > 0 {
		q.Where("a.status = any(@status)", pgx.NamedArgs{"status": f.Status})
	} else {
		q.Where("a.status not in ('deleted', 'disconnected')", nil)
	}
	if len(f.Correlation) > 0 {
		q.Where("a.correlation_state = any(@correlation)", pgx.NamedArgs{"correlation": f.Correlation})
	}
	q.Equal("a.connector_id", "connector_id", f.ConnectorID)
	q.Equal("a.account_type", "account_type", f.AccountType)
	q.Equal("a.identity_id", "identity_id", f.IdentityID)
	q.Is("coalesce(a.privileged, false)", f.Privileged)
	q.Is("coalesce("+orphaned+", false)", f.Orphaned)
	if len(f.OrphanReason) > 0 {
		q.Where("("+orphanReason+") = any(@orphan_reason)", pgx.NamedArgs{"orphan_reason": f.OrphanReason})
	}
	q.Search(f.Q, "a.username", "a.display_name", "a.email", "a.native_identity", "a.external_id")
	return q, nil
}

// after is the position of an account in the list's order.
func (f Filters) after(a Account) []string {
	if f.Sort == "username" || f.Sort == "-username" {
		return []string{identity.Text(a.Username), a.ID}
	}
	return []string{a.ID, a.ID}
}

// countGrants counts the account's present grants, as far as the viewer sees them.
func countGrants(ctx context.Context, tx *pg.Tx, account string) (n int64, err error) {
	sql := `select count(*) from ` + listing.Readable(
		tx.Viewer,
		"access_grant",
		"g",
	) + ` where g.account_id = @id and g.status not in ('revoked', 'disconnected')`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": account}).Scan(&n); err != nil {
		return 0, fmt.Errorf("count grants of account: %w", err)
	}
	return n, nil
}

// store writes the fields that administrators decide.
func store(ctx context.Context, tx *pg.Tx, id string, f AccountFields, now time.Time) error {
	const sql = `
		update account
		   set account_type = @account_type, managed = @managed, purpose = @purpose, updated_at = @now,
		       version = version + 1
		 where id = @id`
	_, err := tx.Exec(
		ctx,
		sql,
		pgx.NamedArgs{"id": id, "account_type": f.AccountType, "managed": f.Managed, "purpose": f.Purpose, "now": now},
	)
	if err != nil {
		return fmt.Errorf("write account: %w", err)
	}
	return nil
}

// OfIdentity lists the accounts of an identity that the viewer may read.
func OfIdentity(ctx context.Context, tx *pg.Tx, id string) ([]Account, error) {
	sql := `select ` + columns + ` from ` + WithOwner(listing.Readable(tx.Viewer, "account", "a")) + `
		 where a.identity_id = @id and a.status not in ('deleted', 'disconnected')
		 order by a.created_at, a.id
		 limit @limit`
	return pg.All[Account](ctx, tx, "expand accounts", sql, pgx.NamedArgs{"id": id, "limit": httpapi.MaxLimit})
}

// CountLive counts the accounts of an identity that exist in their target systems.
func CountLive(ctx context.Context, tx *pg.Tx, id string) (n int, err error) {
	const sql = `select count(*) from account a where a.identity_id = $1 and a.status not in ('deleted', 'disconnected',
		'failed')`
	if err := tx.QueryRow(ctx, sql, id).Scan(&n); err != nil {
		return 0, fmt.Errorf("count live accounts: %w", err)
	}
	return n, nil
}
