package auth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// mailed are the tokens that users were sent, in the order of the mails.
type mailed struct {
	mu     sync.Mutex
	tokens []string
	fails  bool
}

// mail makes the house send links by mail, as a tenant with a mail server does.
func (h *house) mail() *mailed {
	h.t.Helper()
	m := &mailed{}
	h.Passwords.Mail = func(_ context.Context, _ *pg.Tx, _, token string) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.fails {
			return errors.New("no room for the message")
		}
		m.tokens = append(m.tokens, token)
		return nil
	}
	if err := h.db.Deployment(ctx, func(tx *pg.Tx) error {
		return pg.Exec(ctx, tx, "a mail server", `update deployment set mail = true`)
	}); err != nil {
		h.t.Fatal(err)
	}
	return m
}

func (h *house) askReset(email string) answer {
	h.t.Helper()
	return h.call("POST", "/auth/password-reset", "", fmt.Sprintf(`{"email":%q}`, email))
}

func (h *house) useLink(token, plain string) answer {
	h.t.Helper()
	return h.call("POST", "/auth/sign-in-link", "", fmt.Sprintf(`{"token":%q,"password":%q}`, token, plain))
}

func TestAForgottenPasswordIsResetByMail(t *testing.T) {
	h := open(t)
	m := h.mail()
	before := h.signIn()
	const fresh = "CANARY-seven geese again"
	h.askReset(" ADA@acme.example ").want(t, "ask", 202, "")
	h.askReset("ada@acme.example").want(t, "ask again", 202, "")
	if len(m.tokens) != 2 {
		t.Fatalf("%d mails; want 2", len(m.tokens))
	}
	h.call("GET", "/auth/me", before.AccessToken, "").want(t, "a session, as long as nobody used the link", 200, "")
	h.useLink(m.tokens[0], "short").want(t, "a weak password", 422, "weak_password")
	in := h.useLink(m.tokens[0], fresh)
	in.want(t, "the first link", 200, "")
	h.call("GET", "/auth/me", in.AccessToken, "").want(t, "signed in", 200, "")
	h.call("GET", "/auth/me", before.AccessToken, "").want(t, "a session from before", 401, "token_revoked")
	h.useLink(m.tokens[0], fresh).want(t, "the same link", 401, "invalid_grant")
	h.useLink(m.tokens[1], fresh).want(t, "another link from before", 401, "invalid_grant")
	h.login("ada@acme.example", canary).want(t, "the old password", 401, "invalid_credentials")
	h.login("ada@acme.example", fresh).want(t, "the new password", 200, "")
	if got := h.audited("auth.reset_requested"); got != "success success" {
		t.Errorf("requests in the audit log: %q", got)
	}
	if got := h.audited("auth.password_changed"); got != "success" {
		t.Errorf("changed passwords in the audit log: %q", got)
	}
	if got := h.ask(`select actor_type from audit_event
		where action = 'auth.reset_requested' limit 1`); got != "anonymous" {
		t.Errorf("the request was made by %q", got)
	}
	h.noSecrets(append(m.tokens, fresh, canary)...)
}

func TestARequestForAResetTellsNothing(t *testing.T) {
	h := open(t)
	m := h.mail()
	h.user("new@acme.example", "manager")
	h.user("gone@acme.example", "manager")
	h.sql(`update app_user set status = 'disabled', password_hash = 'x' where email = 'gone@acme.example'`)
	h.user("op@acme.example", "admin")
	h.sql(`update app_user set status = 'active', password_hash = 'x', control_plane_admin = true
		where email = 'op@acme.example'`)
	known := h.askReset("ada@acme.example")
	for _, email := range []string{
		"nobody@acme.example", "new@acme.example", "gone@acme.example", "op@acme.example", "not an address",
		"ada@acme.example' or true --",
	} {
		began := time.Now()
		got := h.askReset(email)
		if got.status != known.status || got.body != known.body {
			t.Errorf("%s: %d %q; want %d %q", email, got.status, got.body, known.status, known.body)
		}
		if took := time.Since(began); took < 190*time.Millisecond {
			t.Errorf("%s was answered after %s, before a mail could be written", email, took)
		}
	}
	if len(m.tokens) != 1 {
		t.Errorf("%d mails; want one, to the user who has a password", len(m.tokens))
	}
	m.fails = true
	h.askReset("ada@acme.example").want(t, "a mail that cannot be written", 202, "")
	if !strings.Contains(h.log.String(), "no link to reset a password") {
		t.Error("nobody learns that a mail could not be written")
	}
	if got := h.ask(`select count(*)::text from signin_link`); got != "1" {
		t.Errorf("%s links; want the one that was sent", got)
	}
}

func TestAUserIsSentThreeLinksAnHour(t *testing.T) {
	h := open(t)
	m := h.mail()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { h.askReset("ada@acme.example").want(t, "ask", 202, "") })
	}
	wg.Wait()
	if len(m.tokens) != 3 {
		t.Fatalf("%d mails; want 3", len(m.tokens))
	}
	h.pass(time.Hour + time.Second)
	h.useLink(m.tokens[2], "CANARY-a late passphrase").want(t, "after an hour", 401, "invalid_grant")
	h.askReset("ada@acme.example").want(t, "an hour later", 202, "")
	if len(m.tokens) != 4 {
		t.Errorf("%d mails an hour later; want 4", len(m.tokens))
	}
	for range 20 {
		h.askReset("somebody@else.example")
	}
	h.askReset("ada@acme.example").want(t, "the twenty-first request of a minute", 429, "login_throttled")
}

func TestALinkEndsWithTheAddressThePasswordAndTheUser(t *testing.T) {
	const fresh = "CANARY-a fresh passphrase"
	for name, what := range map[string]string{
		"another address":  `update app_user set email = 'ada@other.example'`,
		"a disabled user":  `update app_user set status = 'disabled'`,
		"a restored epoch": `update signin_link set epoch = epoch - 1`,
	} {
		h := open(t)
		m := h.mail()
		h.askReset("ada@acme.example")
		h.sql(what)
		h.useLink(m.tokens[0], fresh).want(t, name, 401, "invalid_grant")
	}
	h := open(t)
	m := h.mail()
	h.askReset("ada@acme.example")
	in := h.signIn()
	h.call("POST", "/auth/password", in.AccessToken,
		fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, canary, fresh)).want(t, "change", 200, "")
	h.useLink(m.tokens[0], "CANARY-of a thief").want(t, "a link from before the change", 401, "invalid_grant")
}

func TestAnAddressOfTwoTenantsIsSentALinkOfEach(t *testing.T) {
	h := open(t)
	m := h.mail()
	if _, err := (tenant.Bootstrap{Slug: "beta", AdminEmail: "ada@acme.example", AdminPassword: canary}).
		Run(ctx, h.db); err != nil {
		t.Fatal(err)
	}
	h.askReset("ada@acme.example").want(t, "ask", 202, "")
	if len(m.tokens) != 2 {
		t.Fatalf("%d mails; want one of each tenant", len(m.tokens))
	}
	h.call("POST", "/auth/password-reset", "", `{"email":"ada@acme.example","tenant":"beta"}`).want(t, "one", 202, "")
	if len(m.tokens) != 3 {
		t.Errorf("%d mails; want one more", len(m.tokens))
	}
	h.call("POST", "/auth/password-reset", "", `{"email":"ada@acme.example","tenant":"none"}`).want(t, "none", 202, "")
	if len(m.tokens) != 3 {
		t.Errorf("%d mails; a tenant that there is not sends none", len(m.tokens))
	}
}
