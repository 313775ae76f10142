package signinlink

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

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
	return Issue(ctx, db, sessions, r)
}

func Issue(ctx context.Context, db *pg.DB, sessions *auth.Service, r tenant.Result) (token string, err error) {
	err = db.As(ctx, viewer.System(r.Tenant.ID), func(tx *pg.Tx) error {
		token, err = sessions.IssueSignInLink(ctx, tx, r.UserID)
		return err
	})
	return token, err
}
