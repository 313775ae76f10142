package auth_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestAProviderThatGoesTakesItsSessionsAndRolesAlong(t *testing.T) {
	for _, tt := range []struct{ name, method, body string }{
		{"deleted", "DELETE", ""},
		{"switched off", "PATCH", `{"enabled":false}`},
		{"of another issuer", "PATCH", `{"issuer":"https://127.0.0.1:9443/other",` +
			`"client_secret":"CANARY-client-secret"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := openOutside(t, "")
			o.user("bob@acme.example", "resource_owner")
			other := o.process(true)
			bob, ada := o.signInAs("bob"), o.signInAs("ada")
			ada.want(t, "somebody who has a password too", 200, "")
			console := o.surfer()
			resp := console.get(console.walk("bob", "/console"))
			resp.Body.Close()
			at, err := resp.Location()
			if err != nil || !at.Query().Has("code") {
				t.Fatalf("sent to %v, %v", at, err)
			}
			pending := o.surfer()
			back := pending.walk("bob", "")
			o.within(time.Second, other, bob.AccessToken, "")

			done := o.call(tt.method, "/settings/identity-providers/"+o.id, o.admin, tt.body)
			if done.status >= 300 {
				t.Fatalf("%d %s", done.status, done.body)
			}
			o.call("GET", "/auth/me", bob.AccessToken, "").want(t, "a session of the provider's", 401, "token_revoked")
			o.call("GET", "/auth/me", ada.AccessToken, "").want(t, "another", 401, "token_revoked")
			o.call("POST", "/auth/refresh", bob.RefreshToken, "").want(t, "its refresh token", 401, "invalid_grant")
			o.call("GET", "/auth/me", o.admin, "").want(t, "a session by password", 200, "")
			if took := o.within(2*time.Second, other, bob.AccessToken, "token_revoked"); took > time.Second {
				t.Errorf("in another process it took %v", took)
			}
			if a := pending.answer(pending.get(back)); a.status != 401 || a.code != "invalid_grant" {
				t.Errorf("a sign-in on its way: %d %s", a.status, a.code)
			}
			post, err := console.Post(
				o.url+"/api/v1/auth/oidc/token",
				"application/json",
				strings.NewReader(`{"code":"`+at.Query().Get("code")+`"}`),
			)
			if err != nil {
				t.Fatal(err)
			}
			if a := console.answer(post); a.status != 401 || a.code != "invalid_grant" {
				t.Errorf("a code that waits for its console: %d %s", a.status, a.code)
			}
			if bob, ada := o.rolesOf("bob@acme.example"), o.rolesOf(
				"ada@acme.example",
			); bob != "resource_owner active" ||
				ada != "admin active" {
				t.Errorf("roles: %s, and %s; want those that administrators gave", bob, ada)
			}
			why := o.ask(
				`select concat_ws(' ', event::json -> 'context' ->> 'sessions_ended',
			                   event::json -> 'context' ->> 'users_changed') from audit_event
			               where action in ('auth.provider_deleted', 'auth.provider_updated')`,
			)
			who := o.ask(
				`select string_agg(event::json -> 'subject' ->> 'display' || ' ' || (event::json -> 'context' ->>
			                   'reason'), ', ' order by seq) from audit_event
			               where action = 'auth.roles_mapped' and event::jsonb -> 'context' ? 'reason'`,
			)
			if !strings.HasPrefix(why, "2 2") || strings.Count(who, "provider_gone") != 2 ||
				!strings.Contains(who, "bob@acme.example") {
				t.Errorf("audited %q and %q; want both sessions, and what both have lost", why, who)
			}
		})
	}
}

func TestAProviderThatGoesNeverTakesTheLastAdministratorAlong(t *testing.T) {
	o := openOutside(t, "")
	o.user("bob@acme.example", "resource_owner")
	o.user("carol@acme.example", "auditor")
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"role_mapping":{"leads":["admin","manager"]}}`).
		want(t, "a mapping", 200, "")
	bob := o.signInAs("bob")
	o.signInAs("carol").want(t, "as an administrator", 200, "")
	o.sql(`update app_user set status = 'disabled' where email_lc = 'ada@acme.example'`)
	o.call("PATCH", "/settings/identity-providers/"+o.id, bob.AccessToken, `{"enabled":false}`).
		want(t, "switch off", 200, "")
	if bob, carol := o.rolesOf("bob@acme.example"), o.rolesOf(
		"carol@acme.example",
	); bob != "admin resource_owner active" ||
		carol != "auditor active" {
		t.Errorf("roles: %s, and %s; want one administrator left, who did it", bob, carol)
	}
	if kept := o.ask(
		`select event::json -> 'context' ->> 'administrator_kept' from audit_event
			where action = 'auth.provider_updated' order by seq desc limit 1`,
	); kept != "bob@acme.example" {
		t.Errorf("the audit log says that %q stays", kept)
	}
	// The role is still the mapping's: once there is another administrator, it goes.
	o.sql(`update app_user set status = 'active' where email_lc = 'ada@acme.example'`)
	o.pass(5 * time.Second)
	o.call("DELETE", "/settings/identity-providers/"+o.id, o.admin, "").want(t, "delete", 204, "")
	if bob := o.rolesOf("bob@acme.example"); bob != "resource_owner active" {
		t.Errorf("roles once there is another administrator: %s", bob)
	}
}

func TestNobodyComesInByAProviderThatGoesMeanwhile(t *testing.T) {
	o := openOutside(t, "")
	o.user("bob@acme.example", "")
	s := o.surfer()
	back := s.walk("bob", "")
	going, gone := make(chan struct{}), make(chan error, 1)
	release := make(chan struct{})
	go func() {
		gone <- o.db.As(context.Background(), viewer.System(o.tenant), func(tx *pg.Tx) error {
			_, err := tx.Exec(ctx, `update identity_provider set enabled = false`)
			close(going)
			<-release
			return err
		})
	}()
	<-going
	came := make(chan *http.Response, 1)
	go func() { came <- s.get(back) }()
	o.until(
		"1",
		`select count(*)::text from pg_stat_activity where wait_event_type = 'Lock'
			and query like '%identity_provider%'`,
	)
	close(release)
	if err := <-gone; err != nil {
		t.Fatal(err)
	}
	if a := s.answer(<-came); a.status != 404 {
		t.Errorf("%d %s; want 404", a.status, a.code)
	}
	if got := o.ask(
		`select count(*)::text from auth_session where method = 'oidc'`,
	) + o.rolesOf("bob@acme.example"); got != "0 active" &&
		got != "0 invited" {
		t.Errorf("sessions and roles: %s", got)
	}
}
