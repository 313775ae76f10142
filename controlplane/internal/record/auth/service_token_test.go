package auth_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

// integration makes a service token of the admin's with a role and, for 90 days, the scope to read identities. It
// writes down what the token does until the test ends.
func (h *house) integration(role string) (id, token string) {
	h.t.Helper()
	id, jti := uuid.NewString(), uuid.NewString()
	h.sql(
		`insert into api_token (tenant_id, id, jti, name, scopes, role, bound_identity_id, idle_after, expires_at,
	           created_by, awake_since)
	       values (current_tenant(), $1, $2, 'export', '{identities:read}', $3, case
	               when $3 in ('manager', 'resource_owner') then $1::uuid end, interval '60 days',
	                   $4::timestamptz + interval '90 days', $5, $4)`,
		id,
		jti,
		role,
		h.now(),
		h.admin,
	)
	err := h.db.As(ctx, viewer.System(h.tenant), func(tx *pg.Tx) (err error) {
		token, err = h.IssueServiceToken(
			ctx,
			tx,
			bearer.ServiceClaims{TokenID: id, ID: jti, ExpiresAt: h.now().Add(90 * 24 * time.Hour)},
		)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	writing, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.RecordUses(writing)
	}()
	h.t.Cleanup(func() { cancel(); <-done })
	return id, token
}

func (h *house) asks(token string) answer { h.t.Helper(); return h.call("GET", "/auth/me", token, "") }

// until waits for a text of the database to become what it should be.
func (h *house) until(want, query string, args ...any) {
	h.t.Helper()
	got := ""
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got = h.ask(query, args...); got == want {
			return
		}
	}
	h.t.Errorf("%s\n= %q; want %q", query, got, want)
}

func TestAServiceTokenIsWhatItsRowSays(t *testing.T) {
	h := open(t)
	id, token := h.integration("manager")
	h.sql(`update api_token set rate_rps = 300, rate_burst = 700`)
	a := h.asks(token)
	a.want(t, "its own token", 200, "")
	var me auth.WhoAmI
	if err := json.Unmarshal([]byte(a.body), &me); err != nil {
		t.Fatal(err)
	}
	got := []any{me.Kind, me.Display, me.User, me.Scopes, me.Roles, me.SeesAll, me.ReadOnly, me.SessionID, me.Tenant.ID}
	want := []any{
		"service",
		"export",
		(*session.SignedUser)(nil),
		[]string{"identities:read"},
		[]string{"manager"},
		false,
		false,
		id,
		h.tenant,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	v, err := h.AuthenticateUser(ctx, token, httptest.NewRequest("GET", "/", nil))
	if err != nil || v.Rate != (viewer.Rate{PerSecond: 300, Burst: 700}) || v.Identity != id ||
		v.Kind != viewer.Service {
		t.Errorf("the viewer is %+v, %v", v, err)
	}
	h.call("POST", "/auth/logout", token, "").want(t, "a session's end", 403, "forbidden")
}

func TestAServiceTokenIsDeadWhen(t *testing.T) {
	for _, tt := range []struct {
		name, change, code string
		status             int
	}{
		{"it is revoked", `update api_token set revoked_at = now()`, "token_revoked", 401},
		{"it is disabled", `update api_token set disabled_at = now(),
			disabled_reason = 'administrator'`, "token_revoked", 401},
		{"its overlap has ended", `update api_token set rotation_overlap_until = now() - interval
			'1 minute'`, "token_expired", 401},
		{"its end was brought forward", `update api_token set expires_at = now() - interval
			'1 minute'`, "token_expired", 401},
		{"its row is another's", `update api_token set jti = gen_random_uuid()`, "token_revoked", 401},
		{"whoever made it is disabled", `update app_user set status = 'disabled'`, "token_revoked", 401},
		{"whoever made it is no admin any more", `update app_user set roles = '{manager,auditor}'`, "token_revoked",
			401},
		{"its network is another", `update api_token set allowed_cidrs =
			'{10.0.0.0/8,2001:db8::/32}'`, "network_not_allowed", 403},
		{"its tenant is suspended", `update tenant set status = 'suspended'`, "tenant_suspended", 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t)
			_, token := h.integration("admin")
			h.asks(token).want(t, "before", 200, "")
			h.sql(tt.change)
			h.pass(5 * time.Second) // what is remembered is younger than that
			h.asks(token).want(t, "afterwards", tt.status, tt.code)
		})
	}
}

func TestAServiceTokenMayBeUsedFromItsNetworks(t *testing.T) {
	h := open(t)
	id, token := h.integration("auditor")
	h.sql(`update api_token set allowed_cidrs = '{10.0.0.0/8,127.0.0.0/8}'`)
	h.asks(token).want(t, "from one of them", 200, "")
	h.sql(`update api_token set allowed_cidrs = '{10.0.0.0/8}'`)
	h.pass(5 * time.Second)
	for range 3 {
		h.asks(token).want(t, "from another", 403, "network_not_allowed")
	}
	// Once in a minute it is written down, not for each of them.
	h.until(
		"denied",
		`select coalesce(string_agg(outcome, ' '), '') from audit_event where action = 'api_token.refused'
			and subject_id = $1`,
		id,
	)
}

func TestTheUseOfAServiceTokenIsWrittenDownOnceAMinute(t *testing.T) {
	h := open(t)
	id, token := h.integration("admin")
	const seen = `select coalesce(last_used_ip || ' ' || extract(epoch from last_used_at)::bigint, '') from api_token
		where id = $1`
	first := h.now()
	at := func(moment time.Time) string { return "127.0.0.1 " + strconv.FormatInt(moment.Unix(), 10) }
	h.asks(token)
	h.until(at(first), seen, id)
	version := h.ask(`select version::text from api_token`)
	h.pass(50 * time.Second)
	h.asks(token)
	h.pass(20 * time.Second)
	later := h.now()
	h.asks(token)
	h.until(at(later), seen, id)
	if got := h.ask(`select version::text from api_token`); got != version {
		t.Errorf("being used makes it version %s; want still %s", got, version)
	}
}

func TestAnIdleServiceTokenIsDisabled(t *testing.T) {
	h := open(t)
	id, token := h.integration("admin")
	h.pass(59 * 24 * time.Hour)
	h.asks(token).want(t, "a day before", 200, "")
	h.until("1", `select count(*)::text from api_token where last_used_at = $1`, h.now())
	h.sql(`update api_token set expires_at = expires_at + interval '1 year'`)
	h.pass(24 * time.Hour)
	h.asks(token).want(t, "used a day ago", 200, "")
	h.until("1", `select count(*)::text from api_token where last_used_at = $1`, h.now())
	h.pass(25 * 24 * time.Hour) // the token's own end is in five days
	h.sql(`update api_token set idle_after = interval '20 days'`)
	h.pass(5 * time.Second)
	h.asks(token).want(t, "not used for long", 401, "token_revoked")
	h.until("idle", `select coalesce(disabled_reason, '') from api_token where id = $1`, id)
	h.until(
		"success",
		`select coalesce(string_agg(outcome, ' '), '') from audit_event where action = 'api_token.disabled'`,
	)
	h.asks(token).want(t, "once disabled", 401, "token_revoked")
}

func TestARevocationIsFeltInAnotherProcessWithinFiveSeconds(t *testing.T) {
	h := open(t)
	_, token := h.integration("admin")
	other, err := auth.New(ctx, h.db, ring(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	furnish(t, other)
	elsewhere := &house{Service: other, t: t, db: h.db, url: serve(t, other), tenant: h.tenant}
	deaf := []*house{h, elsewhere} // neither listens: this is the longest that it takes
	for _, one := range deaf {
		one.Now = time.Now
		one.asks(token).want(t, "before", 200, "")
	}
	h.sql(`update api_token set revoked_at = now()`)
	began := time.Now()
	for _, one := range deaf {
		for one.asks(token).status != 401 {
			if time.Since(began) > 5*time.Second {
				t.Fatal("the token still works after five seconds")
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func TestAProcessThatListensFeelsARevocationAtOnce(t *testing.T) {
	h := open(t)
	_, token := h.integration("admin")
	listening, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.Run(listening)
	}()
	t.Cleanup(func() { cancel(); <-done })
	h.asks(token).want(t, "before", 200, "")
	// The clock stands still, so nothing that is remembered grows old.
	h.sql(`update api_token set revoked_at = now()`)
	for deadline := time.Now().Add(4 * time.Second); h.asks(token).status != 401; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the token still works")
		}
	}
}

func TestAServiceTokenIsNoOtherKindOfToken(t *testing.T) {
	h := open(t)
	_, token := h.integration("admin")
	h.call("POST", "/auth/refresh", token, "").want(t, "as a refresh token", 401, "invalid_grant")
	if _, err := h.VerifyAgentToken(ctx, token, false); err == nil {
		t.Error("a service token passes for an agent's")
	}
	if parts := strings.Split(token, "."); len(parts) != 3 || strings.Contains(token, "identities") {
		t.Errorf("it is no plain JWT without rights: %d parts", len(parts))
	}
	h.asks(token[:len(token)-2]).want(t, "cut short", 401, "invalid_token")
}
