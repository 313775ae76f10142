package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

func TestAPersonSignsInWorksRefreshesAndSignsOut(t *testing.T) {
	h := open(t)
	in := h.login(" ADA@acme.example ", canary)
	if in.status != 200 || in.TokenType != "Bearer" || in.ExpiresIn != 900 || in.RefreshExpiresIn != 43200 ||
		in.TenantID != h.tenant {
		t.Fatalf("login: %d %s", in.status, in.body)
	}
	want := session.SignedUser{ID: h.admin, Email: "Ada@acme.example", Roles: []string{"admin"}}
	if diff := cmp.Diff(want, in.User); diff != "" || in.header.Get("Cache-Control") != "no-store" {
		t.Errorf("user (-want +got):\n%s\nCache-Control %q", diff, in.header.Get("Cache-Control"))
	}
	if !strings.Contains(in.body, `"identity_id":null`) {
		t.Errorf("identity_id is not null in %s", in.body)
	}
	me := h.call("GET", "/auth/me", in.AccessToken, "")
	if me.status != 200 || !strings.Contains(me.body, `"slug":"acme"`) ||
		!strings.Contains(me.body, `"sees_all":true`) {
		t.Errorf("me: %d %s", me.status, me.body)
	}
	h.pass(10 * time.Hour)
	h.call("GET", "/auth/me", in.AccessToken, "").want(t, "an expired access token", 401, "token_expired")
	again := h.call("POST", "/auth/refresh", in.RefreshToken, "")
	if again.status != 200 || again.RefreshToken == in.RefreshToken || again.User.ID != h.admin {
		t.Fatalf("refresh: %d %s", again.status, again.body)
	}
	h.call("GET", "/auth/me", again.AccessToken, "").want(t, "the new access token", 200, "")
	out := h.call("POST", "/auth/logout", again.AccessToken, "")
	out.want(t, "logout", 204, "")
	h.call("GET", "/auth/me", again.AccessToken, "").want(t, "after logout", 401, "token_revoked")
	h.call("POST", "/auth/refresh", again.RefreshToken, "").want(t, "refresh after logout", 401, "invalid_grant")
	if got := h.audited("auth.login") + ", " + h.audited("auth.logout"); got != "success, success" {
		t.Errorf("audited: %s", got)
	}
}

func TestASessionEndsWhenIdleAndAfterSevenDaysInAnyCase(t *testing.T) {
	h := open(t)
	idle := h.signIn()
	h.pass(12*time.Hour + 6*time.Second)
	h.call("POST", "/auth/refresh", idle.RefreshToken, "").want(t, "after twelve idle hours", 401, "invalid_grant")
	last := h.signIn()
	start := h.now()
	for h.now().Sub(start) < 7*24*time.Hour-10*time.Minute {
		h.pass(min(11*time.Hour, start.Add(7*24*time.Hour-10*time.Minute).Sub(h.now())))
		if last = h.call("POST", "/auth/refresh", last.RefreshToken, ""); last.status != 200 {
			t.Fatalf("after %v: %s", h.now().Sub(start), last.body)
		}
	}
	if last.ExpiresIn != 600 || last.RefreshExpiresIn != 600 {
		t.Errorf(
			"ten minutes before the end the tokens are good for %d and %d s; want 600",
			last.ExpiresIn,
			last.RefreshExpiresIn,
		)
	}
	h.pass(10*time.Minute + 2*time.Second)
	h.call("GET", "/auth/me", last.AccessToken, "").want(t, "after seven days", 401, "token_revoked")
	h.call("POST", "/auth/refresh", last.RefreshToken, "").want(t, "after seven days", 401, "invalid_grant")
}

func TestOfManyRefreshesWithOneTokenOneWinsAndTheSessionEnds(t *testing.T) {
	h := open(t)
	in := h.signIn()
	const n = 50
	answers := make([]answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { answers[i] = h.call("POST", "/auth/refresh", in.RefreshToken, "") })
	}
	wg.Wait()
	var won []answer
	for _, a := range answers {
		if a.status == 200 {
			won = append(won, a)
			continue
		}
		a.want(t, "who came too late", 401, "invalid_grant")
	}
	if len(won) != 1 {
		t.Fatalf("%d of %d refreshes won; want 1", len(won), n)
	}
	h.call("GET", "/auth/me", won[0].AccessToken, "").want(t, "the winner's access token", 401, "token_revoked")
	h.call("POST", "/auth/refresh", won[0].RefreshToken, "").want(t, "the winner's refresh token", 401, "invalid_grant")
	if got := h.audited("auth.refresh_reuse_detected"); got != "denied" {
		t.Errorf("audited %q; want it once", got)
	}
}

func TestARefreshTokenThatComesBackLaterEndsTheSession(t *testing.T) {
	h := open(t)
	first := h.signIn()
	second := h.call("POST", "/auth/refresh", first.RefreshToken, "")
	other := h.signIn()
	h.pass(time.Hour)
	h.call("POST", "/auth/refresh", first.RefreshToken, "").want(t, "the stolen token", 401, "invalid_grant")
	h.call("POST", "/auth/refresh", second.RefreshToken, "").
		want(t, "the newest token of that session", 401, "invalid_grant")
	h.call("POST", "/auth/refresh", other.RefreshToken, "").want(t, "another session", 200, "")
}

func TestRefreshLooksAtTheUserAndTenantAgain(t *testing.T) {
	tests := []struct{ name, change, undo, code, afterUndo string }{
		{
			"disabled user",
			`update app_user set status = 'disabled'`,
			`update app_user set status = 'active'`,
			"invalid_grant",
			"invalid_grant",
		},
		{
			"new password",
			`update app_user set password_epoch = password_epoch + 1`,
			`select 1`,
			"invalid_grant",
			"invalid_grant",
		},
		{
			"suspended tenant",
			`update tenant set status = 'suspended'`,
			`update tenant set status = 'active'`,
			"tenant_suspended",
			"",
		},
	}
	h := open(t)
	for _, tt := range tests {
		in := h.signIn()
		h.call("GET", "/auth/me", in.AccessToken, "").want(t, tt.name+": before", 200, "")
		h.sql(tt.change)
		a := h.call("POST", "/auth/refresh", in.RefreshToken, "")
		if a.code != tt.code {
			t.Errorf("%s: %d %s; want %s", tt.name, a.status, a.body, tt.code)
		}
		h.pass(4 * time.Second) // what was remembered is too old by now
		if me := h.call("GET", "/auth/me", in.AccessToken, ""); me.status == 200 {
			t.Errorf("%s: the access token still works after four seconds", tt.name)
		}
		h.sql(tt.undo)
		if a := h.call("POST", "/auth/refresh", in.RefreshToken, ""); a.code != tt.afterUndo {
			t.Errorf("%s, undone: %d %s; want %q", tt.name, a.status, a.body, tt.afterUndo)
		}
		h.pass(5 * time.Second)
	}
}

func TestLogoutAllEndsEverySessionOfTheUserAndNobodyElses(t *testing.T) {
	h := open(t)
	other := h.user("bob@acme.example", "manager")
	var link string
	err := h.db.As(
		ctx,
		viewer.System(h.tenant),
		func(tx *pg.Tx) (err error) { link, err = h.IssueSignInLink(ctx, tx, other); return err },
	)
	if err != nil {
		t.Fatal(err)
	}
	bob := h.call("POST", "/auth/sign-in-link", "", fmt.Sprintf(`{"token":%q,"password":%q}`, link, canary))
	a, b := h.signIn(), h.signIn()
	h.call("POST", "/auth/logout-all", a.AccessToken, "").want(t, "logout-all", 204, "")
	for i, s := range []answer{a, b} {
		h.call("GET", "/auth/me", s.AccessToken, "").want(t, fmt.Sprint("session ", i), 401, "token_revoked")
	}
	h.call("GET", "/auth/me", bob.AccessToken, "").want(t, "somebody else's session", 200, "")
}

func TestWrongPasswordAndUnknownUserLookTheSame(t *testing.T) {
	h := open(t)
	h.user("bob@acme.example", "manager") // has no password yet
	strip := func(a answer) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(a.body), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "request_id")
		delete(m, "instance")
		b, _ := json.Marshal(m)
		return string(b)
	}
	wrong := h.login("ada@acme.example", "not "+canary)
	wrong.want(t, "wrong password", 401, "invalid_credentials")
	if got := wrong.header.Get("WWW-Authenticate"); got != `Bearer realm="grantwright"` {
		t.Errorf("WWW-Authenticate = %q", got)
	}
	for name, email := range map[string]string{"unknown": "nobody@acme.example",
		"without a password": "bob@acme.example"} {
		if got := h.login(email, canary); strip(got) != strip(wrong) || got.status != wrong.status {
			t.Errorf("%s: %s\nwrong password: %s", name, got.body, wrong.body)
		}
	}
	if got := h.audited("auth.login"); got != "failure failure" {
		t.Errorf("audited %q; want a failure for each user that exists", got)
	}
	h.sql(`update tenant set status = 'suspended'`)
	h.login("ada@acme.example", "not "+canary).
		want(t, "wrong password in a suspended tenant", 401, "invalid_credentials")
	h.login("ada@acme.example", canary).want(t, "suspended tenant", 403, "tenant_suspended")
}

func TestAnAddressOfSeveralTenantsSignsInWhereItsPasswordFits(t *testing.T) {
	h := open(t)
	other, err := (tenant.Bootstrap{Slug: "beta", AdminEmail: "ada@acme.example",
		AdminPassword: "another pass phrase"}).Run(
		ctx,
		h.db,
	)
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"email":"ada@acme.example","password":"%s","tenant":"%s"}`
	for _, tt := range []struct{ password, named, in string }{
		{canary, "", h.tenant}, {"another pass phrase", "", other.Tenant.ID}, {canary, "acme", h.tenant},
		{"another pass phrase", "beta", other.Tenant.ID},
	} {
		in := h.call("POST", "/auth/login", "", fmt.Sprintf(body, tt.password, tt.named))
		if in.status != 200 || in.TenantID != tt.in {
			t.Errorf("%q with the tenant %q: %d %s; want %s", tt.password, tt.named, in.status, in.body, tt.in)
		}
	}
	h.call("POST", "/auth/login", "", fmt.Sprintf(body, canary, "beta")).
		want(t, "the other tenant's password", 401, "invalid_credentials")
	h.call("POST", "/auth/login", "", fmt.Sprintf(body, "wrong "+canary, "")).
		want(t, "no tenant's password", 401, "invalid_credentials")
	if n := failures(t, h, other.Tenant.ID); n != 2 {
		t.Errorf(
			"the other tenant saw %d failures; want the one with its name and the one of nobody: signing in "+
				"elsewhere is no failure here",
			n,
		)
	}
}

// failures counts the sign-ins that a tenant's audit log has as failed.
func failures(t *testing.T, h *house, tenant string) (n int) {
	t.Helper()
	err := h.db.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		const sql = `select count(*) from audit_event where action = 'auth.login'
			and event::json ->> 'outcome' = 'failure'`
		return tx.QueryRow(ctx, sql).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheSamePasswordInTwoTenantsNeedsTheTenantsName(t *testing.T) {
	h := open(t)
	if _, err := (tenant.Bootstrap{Slug: "beta", AdminEmail: "ada@acme.example", AdminPassword: canary}).Run(
		ctx,
		h.db,
	); err != nil {
		t.Fatal(err)
	}
	for range 6 { // a right password is no failed attempt, whichever tenant is meant
		h.login("ada@acme.example", canary).want(t, "without a tenant", 401, "invalid_credentials")
	}
	in := h.call("POST", "/auth/login", "", `{"email":"ada@acme.example","password":"`+canary+`","tenant":"acme"}`)
	if in.status != 200 || in.TenantID != h.tenant {
		t.Errorf("with the tenant: %d %s", in.status, in.body)
	}
}

func TestAnInvitationInOneTenantDoesNotKeepAnybodyOutOfAnother(t *testing.T) {
	h := open(t)
	other, err := (tenant.Bootstrap{Slug: "beta", AdminEmail: "bea@beta.example",
		AdminPassword: "another pass phrase"}).Run(
		ctx,
		h.db,
	)
	if err != nil {
		t.Fatal(err)
	}
	err = h.db.As(ctx, viewer.System(other.Tenant.ID), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `insert into app_user (tenant_id, id, email, roles, status)
			values (current_tenant(), $1, 'ada@acme.example', '{admin}', 'invited')`, uuid.NewString())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	in := h.login("ada@acme.example", canary)
	if in.status != 200 || in.TenantID != h.tenant {
		t.Errorf("with an invitation in another tenant: %d %s; want the own tenant", in.status, in.body)
	}
}

func TestBadSignInBodiesAreNamed(t *testing.T) {
	h := open(t)
	h.call("POST", "/auth/login", "", `{"email":"a@b.c","password":"`+canary+`","remember":true}`).
		want(t, "unknown member", 422, "unknown_field")
	h.call("POST", "/auth/login", "", `{"email":"a@b.c"}`).want(t, "no password", 422, "validation_failed")
	h.call("POST", "/auth/login", "", `{"email":"a@b.c","password":["`+canary+`"]}`).
		want(t, "password of another type", 422, "validation_failed")
	h.call("POST", "/auth/login", "", `{"email":"a@b.c","password":"`+canary+strings.Repeat("x", 1100)+`"}`).
		want(t, "password too long", 422, "validation_failed")
	h.call("POST", "/auth/login", "", `{"email":"a@b.c","password":"`+canary+``).
		want(t, "cut off", 400, "malformed_json")
	h.call("POST", "/auth/refresh", "", "").want(t, "refresh without a token", 401, "authentication_required")
	h.call("POST", "/auth/sign-in-link", "", `{"token":"AAAA","password":"`+canary+`"}`).
		want(t, "made-up link", 401, "invalid_grant")
	h.call("GET", "/auth/me", "", "").want(t, "me without a token", 401, "authentication_required")
	h.noSecrets(canary)
}

func TestAOneTimeLinkSetsThePasswordOnce(t *testing.T) {
	h := open(t)
	before := h.signIn()
	issue := func() (link string) {
		err := h.db.As(
			ctx,
			viewer.System(h.tenant),
			func(tx *pg.Tx) (err error) { link, err = h.IssueSignInLink(ctx, tx, h.admin); return err },
		)
		if err != nil {
			t.Fatal(err)
		}
		return link
	}
	use := func(link, plain string) answer {
		return h.call("POST", "/auth/sign-in-link", "", fmt.Sprintf(`{"token":%q,"password":%q}`, link, plain))
	}
	old, link := issue(), issue()
	const fresh = "CANARY-new and longer"
	use(old, fresh).want(t, "a link that a newer one replaced", 401, "invalid_grant")
	use(link, "too short").want(t, "a weak password", 422, "weak_password")
	answers := make([]answer, 3)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = use(link, fresh) })
	}
	wg.Wait()
	var in answer
	for _, a := range answers {
		if a.status == 200 {
			in = a
		}
	}
	if n := strings.Count(fmt.Sprint(answers[0].status, answers[1].status, answers[2].status), "200"); n != 1 {
		t.Fatalf("the link worked %d times; want once", n)
	}
	h.call("GET", "/auth/me", in.AccessToken, "").want(t, "signed in by the link", 200, "")
	h.call("GET", "/auth/me", before.AccessToken, "").want(t, "a session from before", 401, "token_revoked")
	h.login("ada@acme.example", canary).want(t, "the old password", 401, "invalid_credentials")
	h.login("ada@acme.example", fresh).want(t, "the new password", 200, "")
	late := issue()
	h.pass(time.Hour + time.Second)
	use(late, fresh).want(t, "after an hour", 401, "invalid_grant")
	h.noSecrets(canary, fresh, old, link, late)
}

// noSecrets looks for secrets in every answer and in the log.
func (h *house) noSecrets(secrets ...string) {
	h.t.Helper()
	everything := h.seen.String() + h.log.String() + h.ask(
		`select coalesce(string_agg(audit_event::text, ''), '') from audit_event`,
	)
	for _, s := range secrets {
		for _, form := range []string{s, base64.StdEncoding.EncodeToString([]byte(s)), fmt.Sprintf("%x", s)} {
			if strings.Contains(everything, form) {
				h.t.Errorf("the secret %.6s… was printed", s)
			}
		}
	}
}

func TestTheTenantHeaderIsNeverIgnored(t *testing.T) {
	h := open(t)
	in := h.signIn()
	const name = "X-Tenant-Id"
	me := func(extra ...string) answer { return h.call("GET", "/auth/me", in.AccessToken, "", extra...) }
	me(name, h.tenant).want(t, "the own tenant", 200, "")
	me(name, strings.ToUpper(h.tenant)).want(t, "the own tenant in capitals", 200, "")
	me(name, uuid.NewString()).want(t, "another tenant", 403, "tenant_override_forbidden")
	me(name, "").want(t, "empty", 400, "invalid_tenant_header")
	me(name, "acme").want(t, "a slug", 400, "invalid_tenant_header")
	me(name, h.tenant, name, h.tenant).want(t, "twice", 400, "invalid_tenant_header")
	h.sql(`update app_user set control_plane_admin = true`)
	h.pass(5 * time.Second)
	me(name, uuid.NewString()).want(t, "a control-plane admin asks for a tenant that is not there", 404, "not_found")
}

func TestTokensOfAnotherProcessWork(t *testing.T) {
	h := open(t)
	in := h.signIn()
	second, err := auth.New(ctx, h.db, ring(t), h.Log)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequest("GET", "/", nil)
	v, err := second.AuthenticateUser(ctx, in.AccessToken, r)
	if err != nil || v.ID != h.admin || !v.Has(viewer.Admin) || v.Session == "" || v.Display != "Ada@acme.example" {
		t.Errorf("viewer = %+v, %v", v, err)
	}
	h.call("POST", "/auth/logout", in.AccessToken, "").want(t, "logout", 204, "")
	second.Now = func() time.Time { return time.Now().Add(4 * time.Second) }
	if _, err := second.AuthenticateUser(ctx, in.AccessToken, r); err == nil {
		t.Error("the other process accepts a session four seconds after it ended")
	}
}
