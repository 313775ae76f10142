package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// firstTenant is what a server makes that nobody has bootstrapped.
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
	token, err := issue(ctx, a.DB, a.Auth, result)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(
		out,
		"\nThis is a new deployment. Its first administrator is %s.\n%s",
		firstTenant.AdminEmail,
		HowToSignIn(url, token),
	)
	return err
}

// HowToSignIn says what to do with a one-time token.
func HowToSignIn(url, token string) string {
	return fmt.Sprintf("Set the administrator's password within the hour; the token works once:\n\n"+
		"  curl -X POST %s/api/v1/auth/sign-in-link -H 'Content-Type: application/json' \\\n"+
		"       -d '{\"token\":\"%s\",\"password\":\"<at least 12 characters>\"}'\n\n", url, token)
}

// SignInLink makes a one-time token by which a tenant's first administrator sets a password.
func SignInLink(ctx context.Context, db *pg.DB, ring *seal.Keyring, log *slog.Logger, r tenant.Result) (string, error) {
	sessions, err := auth.New(ctx, db, ring, log)
	if err != nil {
		return "", err
	}
	return issue(ctx, db, sessions, r)
}

func issue(ctx context.Context, db *pg.DB, sessions *auth.Service, r tenant.Result) (token string, err error) {
	err = db.As(ctx, viewer.System(r.Tenant.ID), func(tx *pg.Tx) error {
		token, err = sessions.IssueSignInLink(ctx, tx, r.UserID)
		return err
	})
	return token, err
}
