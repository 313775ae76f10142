package tenant

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant/preferences"
)

// Bootstrap is what a tenant begins with.
type Bootstrap struct {
	Slug, Name        string
	Region            string
	Limits            preferences.Limits
	Settings          preferences.Preferences
	SectorPacks       []SectorPackChoice
	Packs             Packs // what installs them
	AdminEmail        string
	AdminName         string      // as it is shown; empty: none
	AdminPassword     seal.Secret // empty: the first admin sets one through a sign-in link
	ControlPlaneAdmin bool        // the first admin may act across tenants
}

// Result of a bootstrap.
type Result struct {
	Tenant Tenant
	UserID string // the first admin's
}

// Run makes a tenant with its first admin, both or neither. A second run with the same slug changes nothing and returns
// a fault of kind Conflict with the code tenant_exists that says whether the tenant has this admin.
func (b Bootstrap) Run(ctx context.Context, db *pg.DB) (Result, error) {
	if err := b.check(); err != nil {
		return Result{}, err
	}
	if err := b.absent(ctx, db); err != nil {
		return Result{}, err
	}
	var hash *string
	if b.AdminPassword != "" {
		h := password.Hash(b.AdminPassword.Reveal())
		hash = &h
	}
	v := viewer.System(uuid.Must(uuid.NewV7()).String())
	var out Result
	err := db.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = b.in(ctx, tx, hash)
		return err
	})
	if fault.IsCode(err, "tenant_exists") { // another process was faster
		return Result{}, b.absent(ctx, db)
	}
	return out, err
}

// in makes the tenant of the transaction's viewer.
func (b Bootstrap) in(ctx context.Context, tx *pg.Tx, hash *string) (out Result, err error) {
	if _, err = Create(ctx, tx, b.Slug, b.Name); err != nil {
		return out, err
	}
	const sql = `
		update tenant
		   set region = $1, limits = $2, settings = $3
		 where id = current_tenant()`
	if err := pg.Exec(ctx, tx, "set up the tenant", sql, b.Region, b.Limits, b.Settings); err != nil {
		return out, err
	}
	if out.UserID, err = b.createAdmin(ctx, tx, hash); err != nil {
		return out, err
	}
	if err := b.Packs.install(ctx, tx, b.SectorPacks); err != nil {
		return out, err
	}
	out.Tenant, err = Find(ctx, tx)
	return out, err
}

// check tidies the values and refuses what a tenant cannot begin with.
func (b *Bootstrap) check() error {
	b.AdminEmail, b.AdminName = strings.TrimSpace(b.AdminEmail), strings.TrimSpace(b.AdminName)
	b.Name, b.Region = preferences.TidyName(b.Name, b.Slug), strings.TrimSpace(b.Region)
	b.Settings.Fill()
	if err := errors.Join(b.Packs.check(b.SectorPacks), b.Settings.Check()); err != nil {
		return err
	}
	address, err := mail.ParseAddress(b.AdminEmail)
	if err != nil || address.Address != b.AdminEmail || len(b.AdminEmail) > 320 {
		return fault.New(fault.Invalid, "the first admin needs an e-mail address; %q is none", b.AdminEmail).
			With(fault.Field{Pointer: "#/admin_email", Code: "invalid", Detail: "a bare e-mail address"})
	}
	if b.AdminPassword == "" {
		return nil
	}
	return password.Check(b.AdminPassword.Reveal(), b.AdminEmail)
}

// absent returns the fault that a repeated bootstrap gets.
func (b Bootstrap) absent(ctx context.Context, db *pg.DB) error {
	const sql = `
		select count(t.id),
		       count(u.id)
		  from tenant t
		  left join app_user u
		    on u.tenant_id = t.id
		   and u.email_lc = lower($2)
		   and 'admin' = any (u.roles)
		 where t.slug = $1`
	var tenants, admins int
	err := db.Across(
		ctx,
		func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql, b.Slug, b.AdminEmail).Scan(&tenants, &admins) },
	)
	switch {
	case err != nil:
		return fmt.Errorf("look for the tenant: %w", err)
	case admins > 0:
		return fault.Coded(
			fault.Conflict,
			"tenant_exists",
			"the tenant %q exists already and %s is its admin; nothing was changed",
			b.Slug,
			b.AdminEmail,
		)
	case tenants > 0:
		return fault.Coded(
			fault.Conflict,
			"tenant_exists",
			"the tenant %q exists already, but %s is no admin of it; nothing was changed",
			b.Slug,
			b.AdminEmail,
		)
	}
	return nil
}

// createAdmin makes the first administrator. hash is of the password; nil: invited by a link.
func (b Bootstrap) createAdmin(ctx context.Context, tx *pg.Tx, hash *string) (string, error) {
	id := uuid.Must(uuid.NewV7()).String()
	const sql = `
		insert into app_user (tenant_id, id, email, display_name, roles, control_plane_admin, password_hash, status)
		values (current_tenant(), $1, $2, $5, array['admin'], $3, $4, case when $4::text is null then 'invited'
		    else 'active' end)`
	if err := pg.Exec(
		ctx,
		tx,
		"create the first admin",
		sql,
		id,
		b.AdminEmail,
		b.ControlPlaneAdmin,
		hash,
		b.AdminName,
	); err != nil {
		return "", err
	}
	return id, audit.Record(ctx, tx, audit.Entry{
		Action:  "user.created",
		Subject: audit.Subject{Type: "user", ID: id, Display: b.AdminEmail},
		Context: map[string]any{
			"roles":               []string{"admin"},
			"control_plane_admin": b.ControlPlaneAdmin,
			"by":                  "bootstrap",
		},
	})
}
