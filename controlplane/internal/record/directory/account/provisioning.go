package account

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Pending is an account that is about to be created in its target system. Until its key there is known, it has a
// placeholder.
type Pending struct {
	// ID of the new account, chosen by the caller.
	ID string `json:"id"`
	// Connector of the target system.
	ConnectorID string `json:"connector_id"`
	// Owner of the account.
	IdentityID string `json:"identity_id"`
	// Intended username. Empty: none is reserved.
	Username string `json:"username"`
	// Intended e-mail address, or empty.
	Email string `json:"email"`
	// Intended display name, or empty.
	DisplayName string `json:"display_name"`
	Status      string `json:"status"` // provisioning, or failed where it cannot be made
	Wanted      bool   `json:"wanted"` // a reason asks for it
}

// pendingPrefix begins the placeholder external_id of a pending account; no target system has such keys.
const pendingPrefix = "grantwright:unmade:"

// InsertPending stores accounts that are about to be created.
func InsertPending(ctx context.Context, tx *pg.Tx, accounts []Pending) error {
	if len(accounts) == 0 {
		return nil
	}
	const sql = `
		insert into account (tenant_id, id, connector_id, external_id, identity_id, username, email, display_name,
		                     account_type, status, managed, correlation_state, correlation, row_hash, wanted_at)
		select current_tenant(), r.id, r.connector_id,
		    '` + pendingPrefix + `' || r.id, r.identity_id, nullif(r.username, ''), nullif(r.email, ''),
		       nullif(r.display_name, ''),
		       'person', r.status, 'managed', 'linked',
		       '{"rule_ids": ["provisioned"], "score": 1, "explanation": ["this account was made for this person"]}',
		         '\x', case when r.wanted then now() end
		  from jsonb_to_recordset($1::jsonb) r (id uuid, connector_id uuid, identity_id uuid, username text, email text,
		    display_name text, status text, wanted boolean)`
	text, err := json.Marshal(accounts)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "announce accounts", sql, string(text))
}

// DiscardPending marks pending accounts as deleted. Their usernames are free again.
func DiscardPending(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	const sql = `
		update account
		   set status = 'deleted', username = null, deleted_at = now(), updated_at = now(), version = version + 1
		 where id = any($1::text[]::uuid[])
		   and status in ('provisioning', 'failed')`
	return pg.Exec(ctx, tx, "take back accounts", sql, ids)
}

// MarkWanted notes that a reason for access needs these accounts.
func MarkWanted(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	const sql = `update account set wanted_at = now() where id = any($1::text[]::uuid[]) and wanted_at is null`
	return pg.Exec(ctx, tx, "mark wanted accounts", sql, ids)
}

// SetStatus sets the status of an account.
func SetStatus(ctx context.Context, tx *pg.Tx, id, status string) error {
	const sql = `update account set status = $2, updated_at = now(),
		version = version + 1 where id = $1 and status is distinct from $2`
	return pg.Exec(ctx, tx, "set account status", sql, id, status)
}

// Observed is what became of an account in its system: what was read back after a change, or what the change says.
type Observed struct {
	// ID of the account.
	ID     string `json:"id"`
	Status string `json:"status,omitempty"` // empty: by is_disabled and is_locked
	// Key of the account in its system. Empty: unchanged.
	ExternalID string `json:"external_id,omitempty"`
	// Address of the account in its system, such as an LDAP DN. Empty: unchanged.
	NativeRef string `json:"native_ref,omitempty"`
	// Login of the account as its system writes it. Empty: unchanged.
	NativeIdentity string `json:"native_identity,omitempty"`
	// Username. Nil: unchanged, as for all pointers below.
	Username *string `json:"username,omitempty"`
	// E-mail address.
	Email *string `json:"email,omitempty"`
	// Display name.
	DisplayName *string `json:"display_name,omitempty"`
	// First name.
	FirstName *string `json:"first_name,omitempty"`
	// Last name.
	LastName *string `json:"last_name,omitempty"`
	// Employee number.
	EmployeeNumber *string `json:"employee_number,omitempty"`
	// Whether the account is disabled. It decides the status if Status is empty.
	IsDisabled *bool `json:"is_disabled,omitempty"`
	// Whether the account is locked. It decides the status if Status is empty.
	IsLocked *bool `json:"is_locked,omitempty"`
	// Time the password was set.
	PasswordSetAt *time.Time `json:"password_set_at,omitempty"`
	DisabledFor   string     `json:"disabled_for,omitempty"` // we have disabled it, for this
	Enabled       bool       `json:"enabled,omitempty"`      // we have enabled it
	Deleted       bool       `json:"deleted,omitempty"`      // we have deleted it
}

// UpdateObserved writes the state of accounts after a provisioning task. The next sync writes them anew, whatever
// their row hash.
func UpdateObserved(ctx context.Context, tx *pg.Tx, seen []Observed) error {
	if len(seen) == 0 {
		return nil
	}
	const sql = `
		update account a
		   set external_id = coalesce(r.external_id, a.external_id), native_ref = coalesce(r.native_ref, a.native_ref),
		       native_identity = coalesce(r.native_identity, a.native_identity),
		       username = coalesce(r.username, a.username), email = coalesce(r.email, a.email),
		       display_name = coalesce(r.display_name, a.display_name),
		       first_name = coalesce(r.first_name, a.first_name), last_name = coalesce(r.last_name, a.last_name),
		       employee_number = coalesce(r.employee_number, a.employee_number),
		       is_disabled = coalesce(r.is_disabled, a.is_disabled), is_locked = coalesce(r.is_locked, a.is_locked),
		           password_last_set_at = coalesce(r.password_set_at, a.password_last_set_at),
		           status = case when r.deleted then 'deleted'
		                     when r.status is not null then r.status
		                     when coalesce(r.is_disabled, a.is_disabled) then 'disabled'
		                     when coalesce(r.is_locked, a.is_locked) then 'locked'
		                     else 'active' end,
		       deleted_at = case when r.deleted then now() end,
		       disabled_for = case when r.enabled or r.deleted then null
		       when r.disabled_for is not null then r.disabled_for else a.disabled_for end,
		       disabled_at = case when r.enabled or r.deleted then null when r.disabled_for is not null then now()
		           else a.disabled_at end, missing_since = null, missing_runs = 0, row_hash = '\x', updated_at = now(),
		           version = a.version + 1
		  from jsonb_to_recordset($1::jsonb) r (id uuid, status text, external_id text, native_ref text,
		       native_identity text, username text, email text, display_name text, first_name text, last_name text,
		       employee_number text, is_disabled boolean, is_locked boolean, password_set_at timestamptz,
		           disabled_for text, enabled boolean, deleted boolean)
		 where a.id = r.id`
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "write what became of accounts", sql, string(text))
}

// MergeDiscovered merges the row that a sync has created for an account into the pending row of the same account. The
// id and the owner of the pending row stay.
func MergeDiscovered(ctx context.Context, tx *pg.Tx, id, twin string) error {
	const take = `delete from account where id = $1 returning to_jsonb(account)`
	const give = `
		update account a
		   set external_id = t.external_id, native_ref = t.native_ref, native_identity = t.native_identity,
		       identity_external_id = t.identity_external_id, username = t.username, email = t.email,
		       display_name = t.display_name, first_name = t.first_name, last_name = t.last_name,
		       employee_number = t.employee_number, is_disabled = t.is_disabled, is_locked = t.is_locked,
		       password_expired = t.password_expired, mfa_enrolled = t.mfa_enrolled, privileged = t.privileged,
		       status = case when t.status = 'missing' then 'active' else t.status end, attributes = t.attributes,
		       expires_at = t.expires_at, last_login_at = t.last_login_at,
		           password_last_set_at = t.password_last_set_at, native_created_at = t.native_created_at,
		           native_modified_at = t.native_modified_at, row_hash = t.row_hash, first_seen_at = t.first_seen_at,
		           changed_run_id = t.changed_run_id, created_run_id = t.created_run_id, deleted_at = null,
		           missing_since = null, missing_runs = 0, updated_at = now(), version = a.version + 1
		  from jsonb_populate_record(null::account, $2::jsonb - 'username_lc' - 'email_lc') t
		 where a.id = $1`
	var row []byte
	if err := tx.QueryRow(ctx, take, twin).Scan(&row); err != nil {
		return fmt.Errorf("adopt account: %w", err)
	}
	return pg.Exec(ctx, tx, "adopt account", give, id, string(row))
}
