package auth

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func TestNobodySignsInOnWhatIsNoLongerSo(t *testing.T) {
	s := service(t, pgtest.New(t))
	c := session(t, s, "a")
	v := viewer.Viewer{Tenant: c.Tenant, Kind: viewer.User, ID: c.Subject}
	begin := func() error {
		return s.DB.As(ctx, v, func(tx *pg.Tx) error {
			_, err := s.openSession(
				ctx,
				tx,
				person{tenant: c.Tenant, id: c.Subject, email: "ada@example.com", epoch: 1},
				byPassword,
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
	c := session(t, s, "a")
	v := viewer.Viewer{Tenant: c.Tenant, Kind: viewer.User, ID: c.Subject}
	var left int
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `update auth_session set expires_at = now() - interval '31 days'`); err != nil {
			return err
		}
		if _, err := s.openSession(
			ctx,
			tx,
			person{tenant: c.Tenant, id: c.Subject, email: "ada@example.com", epoch: 1},
			byPassword,
		); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select count(*) from auth_session`).Scan(&left)
	})
	if err != nil || left != 1 {
		t.Errorf("%d sessions, %v; want the new one alone", left, err)
	}
}

func TestARefusalTakesWholeSteps(t *testing.T) {
	for elapsed, want := range map[time.Duration]time.Duration{
		0: 0, time.Millisecond: step - time.Millisecond, 38 * time.Millisecond: step - 38*time.Millisecond, step: 0,
		step + time.Nanosecond: step - time.Nanosecond,
	} {
		if got := rest(elapsed); got != want {
			t.Errorf("rest(%s) = %s; want %s", elapsed, got, want)
		}
	}
}
