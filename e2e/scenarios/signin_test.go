package scenarios

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

func TestPeopleSignInStayAndLeave(t *testing.T) {
	t.Parallel()
	h := harness.Open(t, "--behind-tls-proxy", "--base-url", ourSite)
	second := h.Second()
	for _, story := range []struct {
		name string
		tell func(*testing.T, *harness.House)
	}{
		{"a session goes on until a refresh token comes twice", refreshed},
		{"of many who bring one refresh token at once, one gets in and nobody stays",
			func(t *testing.T, h *harness.House) { crowdedRefresh(t, h, second) }},
		{"whoever signs out is out, here or everywhere", signedOut},
		{"guesses are slowed down, and tell nothing of who is known",
			func(t *testing.T, h *harness.House) { guessed(t, h, second) }},
		{"a second factor is asked for, and a recovery code stands in once", secondFactor},
		{"a new password ends all other sessions", newPassword},
		{"a browser keeps its refresh token where scripts cannot reach it", browser},
	} {
		t.Run(story.name, func(t *testing.T) { story.tell(t, h.For(t)) })
	}
}

// session is what a sign-in answers.
type session struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
}

// signIn signs in; more are further members and their values in turn.
func signIn(h *harness.House, email string, more ...string) session {
	return harness.Read[session](
		h,
		h.Expect("200", h.Client(), "POST", "/auth/login", credentials(email, harness.Password(email), more...)),
	)
}

func credentials(email, password string, more ...string) map[string]string {
	body := map[string]string{"email": email, "password": password}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	return body
}

func refreshed(t *testing.T, h *harness.House) {
	ada := h.Member(h.Admin, "ada@main.example", "", "manager")
	first := signIn(h, ada.Email)
	if first.Type != "Bearer" || first.Expires != 15*60 {
		t.Errorf("the sign-in answers a %s token for %d seconds; want Bearer for 15 minutes", first.Type, first.Expires)
	}
	me := harness.Read[struct {
		Display string   `json:"display"`
		Roles   []string `json:"roles"`
	}](h, h.Expect("200", ada.As(first.Access), "GET", "/auth/me", nil))
	if me.Display != ada.Email || !slices.Equal(me.Roles, []string{"manager"}) {
		t.Errorf("me is %+v; want %s, a manager", me, ada.Email)
	}
	h.Expect("401 invalid_token", ada.As(first.Refresh), "GET", "/auth/me", nil)
	h.Expect("401 invalid_grant", ada.As(first.Access), "POST", "/auth/refresh", nil)

	second := harness.Read[session](h, h.Expect("200", ada.As(first.Refresh), "POST", "/auth/refresh", nil))
	third := harness.Read[session](h, h.Expect("200", ada.As(second.Refresh), "POST", "/auth/refresh", nil))
	h.Expect("200", ada.As(third.Access), "GET", "/auth/me", nil)

	// Somebody who has got hold of the first refresh token tries it: nobody can tell who is who, so the whole family
	// ends.
	h.Expect("401 invalid_grant", ada.As(first.Refresh), "POST", "/auth/refresh", nil)
	h.Expect("401 invalid_grant", ada.As(third.Refresh), "POST", "/auth/refresh", nil)
	for _, s := range []session{first, second, third} {
		h.Expect("401 token_revoked", ada.As(s.Access), "GET", "/auth/me", nil)
	}
	h.Expect("200", ada.Client, "GET", "/auth/me", nil) // her other session
	if got := h.Total(h.Admin, "/audit-events?action=auth.refresh_reuse_detected"); got != 1 {
		t.Errorf("the audit log tells %d times that a refresh token came twice; want once", got)
	}
}

func crowdedRefresh(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	const n = 50
	abe := h.Member(h.Admin, "abe@main.example", "")
	stolen := signIn(h, abe.Email)
	answers := make([]api.Answer, n)
	var all sync.WaitGroup
	for i := range n {
		process := []string{h.Plane.URL(), second.URL()}[i%2]
		all.Go(func() { answers[i] = h.Ask(abe.At(process).As(stolen.Refresh), "POST", "/auth/refresh", nil) })
	}
	all.Wait()
	outcomes := map[string]int{}
	for _, a := range answers {
		outcomes[harness.Outcome(a)]++
		if a.Status != http.StatusOK {
			continue
		}
		won := harness.Read[session](h, a)
		harness.Soon(t, "the session is over in every process", func() bool {
			return harness.Outcome(h.Ask(abe.As(won.Access), "GET", "/auth/me", nil)) == "401 token_revoked" &&
				harness.Outcome(
					h.Ask(abe.At(second.URL()).As(won.Access), "GET", "/auth/me", nil),
				) == "401 token_revoked"
		})
		h.Expect("401 invalid_grant", abe.As(won.Refresh), "POST", "/auth/refresh", nil)
	}
	if outcomes["200"] != 1 || outcomes["401 invalid_grant"] != n-1 {
		t.Errorf("of %d at once: %v; want one that gets in", n, outcomes)
	}
}

func signedOut(t *testing.T, h *harness.House) {
	bo := h.Member(h.Admin, "bo@main.example", "")
	phone, laptop, desk := signIn(h, bo.Email), signIn(h, bo.Email), signIn(h, bo.Email)
	if got := h.Total(bo.Client, "/auth/sessions"); got != 4 {
		t.Errorf("%d sessions are open; want that of the link and three more", got)
	}
	h.Expect("204", bo.As(phone.Access), "POST", "/auth/logout", nil)
	h.Expect("401 token_revoked", bo.As(phone.Access), "GET", "/auth/me", nil)
	h.Expect("401 invalid_grant", bo.As(phone.Refresh), "POST", "/auth/refresh", nil)
	h.Expect("200", bo.As(laptop.Access), "GET", "/auth/me", nil)

	open := harness.All[struct {
		ID      string `json:"id"`
		Current bool   `json:"current"`
	}](h, bo.As(laptop.Access), "/auth/sessions", nil)
	for _, s := range open {
		if s.Current {
			h.Expect("204", bo.As(desk.Access), "DELETE", "/auth/sessions/"+s.ID, nil)
		}
	}
	h.Expect("401 token_revoked", bo.As(laptop.Access), "GET", "/auth/me", nil)

	again := signIn(h, bo.Email)
	h.Expect("204", bo.As(desk.Access), "POST", "/auth/logout-all", nil)
	for what, token := range map[string]string{"the desk": desk.Access, "the last sign-in": again.Access,
		"the link": bo.Token()} {
		if a := h.Ask(bo.As(token), "GET", "/auth/me", nil); harness.Outcome(a) != "401 token_revoked" {
			t.Errorf("after signing out everywhere the session of %s answers %s", what, harness.Outcome(a))
		}
	}
	h.Expect("401 invalid_grant", bo.As(again.Refresh), "POST", "/auth/refresh", nil)
	signIn(h, bo.Email)
}

func guessed(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	const office, home = "198.51.100.7", "203.0.113.20"
	cy := h.Member(h.Admin, "cy@main.example", "")
	attempt := func(c *api.Client, email, password, from string) api.Answer {
		return h.Ask(
			c.As(""),
			"POST",
			"/auth/login",
			credentials(email, password),
			"X-Forwarded-For",
			"192.0.2.1, "+from,
		)
	}
	try := func(round int, want string) {
		t.Helper()
		known := attempt(cy.Client, cy.Email, fmt.Sprintf("guess number %d", round), office)
		unknown := attempt(cy.Client, "nobody@main.example", fmt.Sprintf("guess number %d", round), office)
		if diff := cmp.Diff(
			impersonal(t, known),
			impersonal(t, unknown),
		); diff != "" ||
			harness.Outcome(known) != want {
			t.Errorf(
				"guess %d answers %s; want %s, and the same to who is unknown: -known +unknown\n%s",
				round,
				harness.Outcome(known),
				want,
				diff,
			)
		}
	}
	for round := range 5 {
		try(round, "401 invalid_credentials")
	}
	try(6, "429 login_throttled")
	for _, process := range []string{h.Plane.URL(), second.URL()} {
		shut := attempt(cy.At(process), cy.Email, harness.Password(cy.Email), office)
		wait, err := strconv.Atoi(shut.Header.Get("Retry-After"))
		if harness.Outcome(shut) != "429 login_throttled" || err != nil || wait < 1 || wait > 15*60 {
			t.Errorf(
				"the right password answers %s with Retry-After %q; want 429 for up to 15 minutes",
				harness.Outcome(shut),
				shut.Header.Get("Retry-After"),
			)
		}
	}
	h.Expect("200", cy.Client, "GET", "/auth/me", nil) // who is in already stays in
	if in := attempt(cy.Client, cy.Email, harness.Password(cy.Email), home); in.Status != 200 {
		t.Errorf("from another network the right password answers %s", harness.Outcome(in))
	}
	if got := h.Total(h.Admin, "/audit-events?action=auth.login&outcome=failure"); got != 5 {
		t.Errorf("the audit log tells of %d failed sign-ins; want the five of somebody who is known", got)
	}
}

// impersonal is all of an answer that could tell two callers apart, without what is different in each answer.
func impersonal(t *testing.T, a api.Answer) map[string]any {
	t.Helper()
	body, header := map[string]any{}, a.Header.Clone()
	if err := a.Into(&body); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"request_id", "instance"} {
		delete(body, name)
	}
	for _, name := range []string{"Date", "X-Request-Id", "Retry-After", "Content-Length"} {
		header.Del(name)
	}
	return map[string]any{"status": a.Status, "body": body, "header": header}
}

func newPassword(t *testing.T, h *harness.House) {
	const chosen = "another passphrase of Ed"
	ed := h.Member(h.Admin, "ed@main.example", "")
	other, own := signIn(h, ed.Email), signIn(h, ed.Email)
	change := func(current, next string) map[string]string {
		return map[string]string{"current_password": current, "new_password": next}
	}
	h.Expect("401 invalid_credentials", ed.As(own.Access), "POST", "/auth/password", change("a guess at Ed's", chosen))
	h.Expect(
		"422 weak_password",
		ed.As(own.Access),
		"POST",
		"/auth/password",
		change(harness.Password(ed.Email), "short"),
	)
	h.Expect(
		"422 weak_password",
		ed.As(own.Access),
		"POST",
		"/auth/password",
		change(harness.Password(ed.Email), harness.Password(ed.Email)),
	)
	h.Expect("200", ed.As(other.Access), "GET", "/auth/me", nil) // nothing of that has ended anything
	next := harness.Read[session](
		h,
		h.Expect("200", ed.As(own.Access), "POST", "/auth/password", change(harness.Password(ed.Email), chosen)),
	)
	h.Expect("200", ed.As(next.Access), "GET", "/auth/me", nil)
	h.Expect("401 token_revoked", ed.As(other.Access), "GET", "/auth/me", nil)
	h.Expect("401 invalid_grant", ed.As(other.Refresh), "POST", "/auth/refresh", nil)
	h.Expect("401 token_revoked", ed.Client, "GET", "/auth/me", nil)
	h.Expect("200", ed.As(next.Refresh), "POST", "/auth/refresh", nil)
	h.Expect(
		"401 invalid_credentials",
		ed.As(""),
		"POST",
		"/auth/login",
		credentials(ed.Email, harness.Password(ed.Email)),
	)
	h.Expect("200", ed.As(""), "POST", "/auth/login", credentials(ed.Email, chosen))
}
