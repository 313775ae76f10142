package user

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const columns = `u.id::text as id, u.email, u.display_name, u.roles, u.identity_id::text as identity_id, u.locale,
	u.control_plane_admin, u.status,
	i.display_name as identity_name, i.status as identity_status,
	exists (select from second_factor f where f.tenant_id = u.tenant_id and f.user_id = u.id
	  and f.confirmed_at is not null) as second_factor,
	exists (select from passkey k where k.tenant_id = u.tenant_id and k.user_id = u.id) as passkey,
	(select l.subject from federated_login l where l.tenant_id = u.tenant_id and l.user_id = u.id
	  order by l.created_at limit 1) as sso_subject,
	u.last_login_at, u.invited_at, u.created_at, u.updated_at, u.version`

const from = `app_user u left join identity i on i.tenant_id = u.tenant_id and i.id = u.identity_id`

// Find reads a user. It returns a fault of kind NotFound when there is none, or no longer.
func Find(ctx context.Context, tx *pg.Tx, id string) (User, error) {
	return find(ctx, tx, id, "")
}

// lock reads a user and keeps others, such as a sign-in, from changing it until the transaction ends.
func lock(ctx context.Context, tx *pg.Tx, id string) (User, error) {
	return find(ctx, tx, id, " for update of u")
}

// find reads a user that is not deleted; any other is not_found. locking is empty or a locking
// clause.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (User, error) {
	if !listing.IsID(id) {
		return User{}, notFound(id)
	}
	found, err := pg.One[row](
		ctx,
		tx,
		"find user",
		`select `+columns+` from `+from+` where u.id = $1 and u.deleted_at is null`+locking,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return User{}, notFound(id)
	case err != nil:
		return User{}, err
	}
	return found.shown(), nil
}

// notFound is the fault for a user that is not there.
func notFound(id string) error { return fault.New(fault.NotFound, "User %s was not found.", id) }

// insert stores an invited user without a password. A taken address is a conflict.
func insert(ctx context.Context, tx *pg.Tx, f Fields, now time.Time) (id string, err error) {
	id = uuid.Must(uuid.NewV7()).String()
	const sql = `
		insert into app_user (tenant_id, id, email, display_name, roles, identity_id, locale, control_plane_admin,
		    status, created_at, updated_at)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, 'invited', $8, $8)`
	if err := checkIdentity(ctx, tx, f); err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, sql, id, f.Email, f.DisplayName, f.Roles, f.IdentityID, f.Locale, f.ControlPlaneAdmin, now)
	return id, stored("create user", err)
}

// store writes what an administrator has decided. A user who is enabled again is active where they have signed in
// before.
func store(ctx context.Context, tx *pg.Tx, id string, f Fields, now time.Time) error {
	const sql = `
		update app_user
		   set email = $2, display_name = $3, roles = $4, identity_id = $5, locale = $6, control_plane_admin = $7,
		       status = case when not $8 then 'disabled'
		                     when status <> 'disabled' then status
		                     when password_hash is null and last_login_at is null then 'invited'
		                     else 'active' end,
		       by_rule = by_rule and not (status = 'disabled' and $8),
		       ended_by_rule = ended_by_rule and not $8 and status = 'disabled',
		       updated_at = $9, version = version + 1
		 where id = $1`
	_, err := tx.Exec(
		ctx,
		sql,
		id,
		f.Email,
		f.DisplayName,
		f.Roles,
		f.IdentityID,
		f.Locale,
		f.ControlPlaneAdmin,
		f.Enabled,
		now,
	)
	return stored("change user", err)
}

// stored says in words which of the tenant's rules a write has broken.
func stored(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case pg.Violates(err, "app_user_email_unique"):
		return fault.Coded(fault.Conflict, "duplicate_email", "another user of the tenant has this e-mail address").
			With(fault.Field{Pointer: "#/email", Code: "duplicate_email",
				Detail: "find the user with the parameter q of the list"})
	case pg.Violates(err, "app_user_identity_unique"):
		return fault.Coded(fault.Conflict, "identity_taken", "another user is linked to this identity already").
			With(fault.Field{Pointer: "#/identity_id", Code: "identity_taken", Detail: "find the user with the " +
				"parameter identity_id of the list"})
	}
	return fmt.Errorf("%s: %w", what, err)
}

// checkIdentity makes sure that the linked identity exists.
func checkIdentity(ctx context.Context, tx *pg.Tx, f Fields) error {
	if f.IdentityID == nil {
		return nil
	}
	return reference.CheckExist(ctx, tx, "identity_id", *f.IdentityID)
}

// erase leaves of a user what other records refer to. Ways to sign in go with the rows that hold them.
func erase(ctx context.Context, tx *pg.Tx, id string, now time.Time) error {
	for _, sql := range []string{
		`delete from federated_login where user_id = $1`,
		`delete from second_factor where user_id = $1`,
		`delete from passkey where user_id = $1`,
		`delete from signin_link where user_id = $1`,
		`delete from auth_session where user_id = $1`,
	} {
		if err := pg.Exec(ctx, tx, "erase how a user signs in", sql, id); err != nil {
			return err
		}
	}
	const sql = `
		update app_user
		   set email = 'deleted-' || id || '@deleted.invalid', display_name = '', roles = '{}', identity_id = null,
		       by_rule = false, rule_roles = '{}', ended_by_rule = false,
		       locale = 'en', control_plane_admin = false, password_hash = null, password_epoch = password_epoch + 1,
		       status = 'disabled', last_login_at = null, invited_at = null, deleted_at = $2, updated_at = $2,
		           version = version + 1
		 where id = $1`
	return pg.Exec(ctx, tx, "erase user", sql, id, now)
}

// invited notes that a link was made, and says until when it can be used.
func invited(ctx context.Context, tx *pg.Tx, id string, now time.Time) (expires time.Time, err error) {
	const sql = `
		with seen as (
			update app_user
			   set invited_at = $2
			 where id = $1)
		select expires_at
		  from signin_link
		 where user_id = $1`
	if err := tx.QueryRow(ctx, sql, id, now).Scan(&expires); err != nil {
		return time.Time{}, fmt.Errorf("note the invitation: %w", err)
	}
	return expires, nil
}
