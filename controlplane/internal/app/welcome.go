package app

import (
	"context"
	"fmt"
	"io"

	"github.com/grantwright/grantwright/controlplane/internal/app/signinlink"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// firstTenant is the tenant that a server creates if none was bootstrapped.
var firstTenant = tenant.Bootstrap{
	Slug:              "main",
	Name:              "Main",
	AdminEmail:        "admin@localhost.localdomain",
	ControlPlaneAdmin: true,
}

// Welcome makes the first tenant on an empty deployment and prints, once, how its administrator signs in. No password
// is made up: the one-time token sets one.
func (a *App) Welcome(ctx context.Context, url string, out io.Writer) error {
	var tenants int
	err := a.DB.Across(ctx, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from tenant`).Scan(&tenants)
	})
	if err != nil || tenants > 0 {
		return err
	}
	result, err := firstTenant.Run(ctx, a.DB)
	if err != nil {
		return err
	}
	token, err := signinlink.Issue(ctx, a.DB, a.Auth, result)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(
		out,
		"\nThis is a new deployment. Its first administrator is %s.\n%s",
		firstTenant.AdminEmail,
		signinlink.HowToSignIn(url, token),
	)
	return err
}
