package auth

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

func TestNobodySignsInOnWhatIsNoLongerSo(t *testing.T) {
	s := service(t, pgtest.New(t))
	c := newSession(t, s, "a")
	v := viewer.Viewer{Tenant: c.Tenant, Kind: viewer.User, ID: c.Subject}
	begin := func() error {
		return s.DB.As(ctx, v, func(tx *pg.Tx) error {
			_, err := s.Sessions.Open(
				ctx,
				tx,
				session.User{Tenant: c.Tenant, ID: c.Subject, Email: "ada@example.com", Epoch: 1},
				session.ByPassword,
			)
			return err
		})
	}
	change := func(sql string) {
		t.Helper()
		err := s.DB.As(ctx, viewer.System(c.Tenant), func(tx *pg.Tx) error { _, err := tx.Exec(ctx, sql); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := begin(); err != nil {
		t.Fatal(err)
	}
	change(`update app_user set status = 'disabled'`)
	if err := begin(); codeOf(err) != "invalid_credentials" {
		t.Errorf("somebody who was disabled after the password was looked at: %v", err)
	}
	change(`update app_user set status = 'active', password_epoch = 2`)
	if err := begin(); codeOf(err) != "invalid_credentials" {
		t.Errorf("somebody whose password was replaced after it was looked at: %v", err)
	}
}

func TestSessionsOfLongAgoAreSwept(t *testing.T) {
	s := service(t, pgtest.New(t))
	c := newSession(t, s, "a")
	v := viewer.Viewer{Tenant: c.Tenant, Kind: viewer.User, ID: c.Subject}
	var left int
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `update auth_session set expires_at = now() - interval '31 days'`); err != nil {
			return err
		}
		if _, err := s.Sessions.Open(
			ctx,
			tx,
			session.User{Tenant: c.Tenant, ID: c.Subject, Email: "ada@example.com", Epoch: 1},
			session.ByPassword,
		); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select count(*) from auth_session`).Scan(&left)
	})
	if err != nil || left != 1 {
		t.Errorf("%d sessions, %v; want the new one alone", left, err)
	}
}
