package auth_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

const clientSecret = "CANARY-client-secret"

const accounts = `{
	"ada":   {"email": "ada@acme.example",   "email_verified": true,  "name": "Ada", "groups": ["staff", "iga-admins"]},
	"bob":   {"email": "BOB@acme.example",   "email_verified": true,  "name": "Bob", "groups": ["staff", "leads"]},
	"carol": {"email": "carol@acme.example", "email_verified": true,  "name": "Carol", "groups": "leads"},
	"eve":   {"email": "bob@acme.example",   "email_verified": false, "name": "Eve", "groups": ["iga-admins"]},
	"mal":   {"email": "mal@evil.example",   "email_verified": true,  "name": "Mal", "groups": ["iga-admins"]},
	"twin":  {"email": "bob@acme.example",   "email_verified": true,  "name": "Twin", "groups": []}
}`

// outside is the house with a provider of its tenant.
type outside struct {
	*house
	issuer, id, admin string
}

func openOutside(t *testing.T, settings string) *outside {
	t.Helper()
	h := open(t)
	h.clock = time.Now() // the provider's clock is the real one
	addr := targettest.StartNode(
		t,
		"testdata/oidc",
		"REDIRECT="+h.url+"/api/v1/auth/oidc/callback",
		"ACCOUNTS="+accounts,
	)
	o := &outside{house: h, issuer: "http://" + addr, admin: h.signIn().AccessToken}
	body := fmt.Sprintf(
		`{"name":"corp","issuer":%q,"client_id":"grantwright","client_secret":%q,"scopes":["email","profile","groups"],
		"group_claim":"groups","role_mapping":{"leads":["manager"],"iga-admins":["admin","auditor"]},"domains":["Acme.Example"]%s}`,
		o.issuer,
		clientSecret,
		settings,
	)
	made := h.call("POST", "/settings/identity-providers", o.admin, body)
	made.want(t, "add a provider", 201, "")
	var p idp.Provider
	made.into(t, &p)
	o.id = p.ID
	return o
}

// surfer is a browser: it keeps cookies, and follows no redirect by itself.
type surfer struct {
	*http.Client
	o *outside
}

func (o *outside) surfer() surfer {
	jar, err := cookiejar.New(nil)
	if err != nil {
		o.t.Fatal(err)
	}
	return surfer{
		&http.Client{
			Jar:           jar,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		o,
	}
}

func (s surfer) get(address string) *http.Response {
	s.o.t.Helper()
	resp, err := s.Get(address)
	if err != nil {
		s.o.t.Fatal(err)
	}
	return resp
}

// walk goes to the provider as somebody, and gives the address at which the provider sends them back.
func (s surfer) walk(who, redirect string) string {
	s.o.t.Helper()
	q := url.Values{"tenant": {"acme"}, "provider": {"corp"}}
	if redirect != "" {
		q.Set("redirect", redirect)
	}
	resp := s.get(s.o.url + "/api/v1/auth/oidc/start?" + q.Encode())
	resp.Body.Close()
	next := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusSeeOther || !strings.Contains(next, "code_challenge_method=S256") ||
		!strings.Contains(next, "nonce=") {
		s.o.t.Fatalf("start: %d to %q", resp.StatusCode, next)
	}
	if c := resp.Cookies()[0]; !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/api/v1/auth/oidc" ||
		c.MaxAge != 600 {
		s.o.t.Errorf("cookie = %+v", c)
	}
	next += "&login_hint=" + who
	for range 10 {
		resp := s.get(next)
		resp.Body.Close()
		at, err := resp.Location()
		if err != nil {
			s.o.t.Fatalf("the provider answers %d at %s", resp.StatusCode, next)
		}
		if next = at.String(); strings.HasPrefix(next, s.o.url) {
			return next
		}
	}
	s.o.t.Fatal("the provider never sends anybody back")
	return ""
}

func (s surfer) answer(resp *http.Response) (out answer) {
	s.o.t.Helper()
	defer resp.Body.Close()
	var body struct {
		Code string
		session.SignInTokens
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		s.o.t.Fatal(err)
	}
	return answer{status: resp.StatusCode, header: resp.Header, code: body.Code, SignInTokens: body.SignInTokens}
}

func (o *outside) signInAs(who string) answer {
	o.t.Helper()
	s := o.surfer()
	return s.answer(s.get(s.walk(who, "")))
}

func (o *outside) rolesOf(email string) string {
	return o.ask(
		`select coalesce(array_to_string(roles, ' '), '') || ' ' || status from app_user where email_lc = $1`,
		email,
	)
}

func TestPeopleSignInWithTheirProvider(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	o.user("bob@acme.example", "resource_owner")
	in := o.signInAs("bob")
	in.want(t, "somebody invited", 200, "")
	if want := []string{
		"manager",
		"resource_owner",
	}; !slices.Equal(in.User.Roles, want) || in.User.Email != "bob@acme.example" ||
		in.RefreshToken == "" {
		t.Errorf("user = %+v; want the roles %v", in.User, want)
	}
	o.call("GET", "/auth/me", in.AccessToken, "").want(t, "me", 200, "")
	if in.RefreshExpiresIn != 12*3600 {
		t.Errorf("the session ends after %d s; want twelve hours", in.RefreshExpiresIn)
	}
	o.sql(`update app_user set roles = array_append(roles, 'auditor') where email_lc = 'bob@acme.example'`)
	o.signInAs("bob").want(t, "again", 200, "")
	if got := o.rolesOf("bob@acme.example"); got != "auditor manager resource_owner active" {
		t.Errorf("roles after an administrator gave one: %s", got)
	}
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"role_mapping":{"staff":["auditor"]}}`).
		want(t, "another mapping", 200, "")
	o.signInAs("bob")
	if got := o.rolesOf("bob@acme.example"); got != "auditor resource_owner active" {
		t.Errorf("roles after the mapping changed: %s", got)
	}
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"role_mapping":{}}`).want(t, "no mapping", 200, "")
	o.signInAs("bob")
	if got := o.rolesOf("bob@acme.example"); got != "auditor resource_owner active" {
		t.Errorf("a role that an administrator gave went with the mapping: %s", got)
	}

	carol := o.signInAs("carol")
	carol.want(t, "somebody new", 200, "")
	if carol.User.DisplayName != "Carol" || carol.User.ID == "" {
		t.Errorf("user = %+v", carol.User)
	}
	if me := o.me(carol.AccessToken); me.PasswordSet == nil || *me.PasswordSet {
		t.Errorf("somebody who came by a provider has a password to change: %+v", me)
	}
	o.sql(`update app_user set status = 'disabled' where email_lc = 'carol@acme.example'`)
	o.signInAs("carol").want(t, "somebody disabled", 403, "sso_not_linked")
	made := o.ask(
		`select string_agg(action, ' ' order by seq) from audit_event
			where event::json -> 'subject' ->> 'display' = 'carol@acme.example'`,
	)
	if got := o.audited("auth.sso_linked"); got != "success success" ||
		made != "user.created auth.sso_linked auth.login" {
		t.Errorf("audited %q, and of somebody new %q", got, made)
	}
	o.noSecrets(canary, clientSecret)
}

// A user whom the provider creates is the person with that address, so that they can decide what is asked of that
// person.
func TestAUserWhoIsCreatedAtSignInIsLinkedToTheirPerson(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	o.sql(`insert into identity (tenant_id, id, external_id, email, first_name, last_name, display_name)
		values (current_tenant(), gen_random_uuid(), 'E-7', 'Carol@acme.example', 'Carol', 'Person', 'Carol')`)
	if got := o.ask(`select unable_to_decide(id) from identity where external_id = 'E-7'`); got != "" {
		t.Errorf("before the first sign-in: %q; want able to decide", got)
	}
	o.signInAs("carol").want(t, "somebody new", 200, "")
	if got := o.ask(
		`select count(*)::text from app_user u join identity i on i.id = u.identity_id where i.external_id = 'E-7'`,
	); got != "1" {
		t.Errorf("%s users are linked to the person; want 1", got)
	}
	o.sql(`update app_user set status = 'disabled' where email_lc = 'carol@acme.example'`)
	if got := o.ask(`select unable_to_decide(id) from identity where external_id = 'E-7'`); got != "user_disabled" {
		t.Errorf("with a disabled user: %q; want user_disabled", got)
	}
}

// A first sign-in makes a user of the one person with the verified address, if a rule gives them sign-in. Every other
// newcomer is told what an administrator can do.
func TestARuleLetsPeopleInAtTheirFirstSignIn(t *testing.T) {
	o := openOutside(t, `,"create_users":false`)
	refused := func(when, code string) {
		t.Helper()
		answer := o.signInAs("carol")
		answer.want(t, when, 403, code)
		if n := o.ask(`select count(*)::text from app_user where email_lc = 'carol@acme.example'`); n != "0" {
			t.Errorf("%s: %s users; want none", when, n)
		}
	}
	refused("nobody has the address", "sso_no_person")
	o.sql(`insert into identity (tenant_id, id, external_id, email, display_name, status)
		values (current_tenant(), gen_random_uuid(), 'E-7', 'Carol@acme.example', 'Carol C', 'pre_hire')`)
	refused("who has not started", "sso_no_person")
	o.sql(`update identity set status = 'active'`)
	refused("whom no rule gives sign-in", "sso_no_rule")
	o.sql(`insert into sign_in_rule (tenant_id, id, name, condition, sentence, roles, invitation, enabled)
		values (current_tenant(), gen_random_uuid(), 'All', '{}', 'everyone', '{manager,auditor}', 'single_sign_on', false)`)
	o.sql(`insert into sign_in_grant (tenant_id, rule_id, identity_id)
		select current_tenant(), r.id, i.id from sign_in_rule r, identity i`)
	refused("whose rule is off", "sso_no_rule")
	o.sql(`update sign_in_rule set enabled = true`)
	o.sql(`insert into app_user (tenant_id, id, email, identity_id)
		select current_tenant(), gen_random_uuid(), 'other@acme.example', id from identity`)
	refused("whose user has another address", "sso_other_address")
	o.sql(`delete from app_user where email_lc = 'other@acme.example'`)
	o.signInAs("carol").want(t, "whom a rule gives sign-in", 200, "")
	if got := o.ask(`select i.external_id || ' ' || u.status || ' ' || array_to_string(u.roles, '+') || ' ' || u.by_rule
			|| ' ' || array_to_string(u.rule_roles, '+') || ' ' || u.display_name
		  from app_user u join identity i on i.id = u.identity_id`); got != "E-7 active auditor+manager true auditor+manager Carol C" {
		t.Errorf("made: %s", got)
	}
	o.signInAs("carol").want(t, "the same once more", 200, "")
	o.sql(`update app_user set status = 'disabled', ended_by_rule = true where email_lc = 'carol@acme.example'`)
	o.signInAs("carol").want(t, "who lost sign-in by the rule", 403, "sso_not_linked")
}

func TestAMappingNeverTakesTheLastAdministrator(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	o.user("bob@acme.example", "resource_owner")
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"role_mapping":{"staff":["admin"]}}`).
		want(t, "a mapping", 200, "")
	o.signInAs("bob").want(t, "as an administrator", 200, "")
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"role_mapping":{}}`).want(t, "no mapping", 200, "")
	o.sql(`update app_user set roles = '{}' where email_lc <> 'bob@acme.example'`)
	o.signInAs("bob")
	if got := o.rolesOf("bob@acme.example"); got != "admin resource_owner active" {
		t.Errorf("roles of the last administrator: %s", got)
	}
	o.sql(`update app_user set roles = '{admin}', status = 'active' where email_lc <> 'bob@acme.example'`)
	o.signInAs("bob")
	if got := o.rolesOf("bob@acme.example"); got != "resource_owner active" {
		t.Errorf("roles when there is another: %s", got)
	}
}

func TestNobodyComesInOnAnothersAddress(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	o.user("bob@acme.example", "manager")
	o.signInAs("eve").want(t, "an address that is not verified", 403, "sso_email_unverified")
	o.signInAs("mal").want(t, "an address of a strange domain", 403, "sso_not_linked")
	o.signInAs("bob").want(t, "the right one", 200, "")
	o.signInAs("twin").want(t, "a second person with the same address", 403, "sso_not_linked")
	o.sql(`update app_user set control_plane_admin = true where email_lc = 'ada@acme.example'`)
	o.signInAs("ada").want(t, "who administers the deployment", 403, "sso_not_linked")
	o.sql(`update app_user set control_plane_admin = true where email_lc = 'bob@acme.example'`)
	o.signInAs("bob").want(t, "who came to administer the deployment", 403, "sso_not_linked")
	if got := o.ask(`select count(*)::text from app_user`); got != "2" {
		t.Errorf("%s users; want the two there were", got)
	}
	o.sql(`delete from app_user where email_lc = 'bob@acme.example'`)
	o.signInAs("eve").want(t, "an address that is not verified and nobody has", 403, "sso_email_unverified")
	if got := o.ask(`select count(*)::text from audit_event where action = 'auth.login'
		and event::jsonb #>> '{context,reason}' = 'sso_email_unverified'`); got != "2" {
		t.Errorf("%s refusals of an address that is not verified are audited; want 2", got)
	}
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"create_users":false,"domains":[]}`).
		want(t, "change", 200, "")
	o.signInAs("carol").want(t, "somebody new where nobody is made", 403, "sso_no_person")
	o.sql(`update tenant set status = 'suspended'`)
	resp := o.surfer().get(o.url + "/api/v1/auth/oidc/start?tenant=acme&provider=corp")
	resp.Body.Close()
	if resp.StatusCode != 404 {
		t.Errorf("a suspended tenant: %d; want 404", resp.StatusCode)
	}
}

func TestOneNetworkBeginsOnlySoManySignInsWithProviders(t *testing.T) {
	h := open(t)
	const path = "/auth/oidc/start?provider=corp&tenant=acme"
	for range 60 { // the clock stands still
		h.call("GET", path, "", "").want(t, "within the burst", 404, "not_found")
	}
	a := h.call("GET", path, "", "")
	a.want(t, "one more", 429, "rate_limited")
	if a.header.Get("Retry-After") == "" {
		t.Error("nothing says when to come again")
	}
	h.pass(time.Second)
	h.call("GET", path, "", "").want(t, "a second later", 404, "not_found")
}

// A flood of starts from many networks at one tenant keeps nobody of another tenant from signing in.
func TestStartsOfSignInsAreLimitedForEachTenantByItself(t *testing.T) {
	h := open(t)
	h.provider(h.signIn().AccessToken, "corp")
	beta := tenant.Bootstrap{Slug: "beta", AdminEmail: "eve@beta.example", AdminPassword: canary}
	if _, err := beta.Run(ctx, h.db); err != nil {
		t.Fatal(err)
	}
	who := fmt.Sprintf(`{"tenant":"beta","email":"eve@beta.example","password":%q}`, canary)
	eve := h.call("POST", "/auth/login", "", who)
	eve.want(t, "sign in at the other tenant", 200, "")
	h.provider(eve.AccessToken, "corp")
	start := func(network int, tenant string) int {
		t.Helper()
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(network))}}
		client := http.Client{
			Transport:     &http.Transport{DialContext: from.DialContext, DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		resp, err := client.Get(h.url + "/api/v1/auth/oidc/start?provider=corp&tenant=" + tenant)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for i := range 300 { // the clock stands still
		if status := start(1+i/60, "acme"); status == http.StatusTooManyRequests {
			t.Fatalf("start %d is one too many", i+1)
		}
	}
	if status := start(9, "acme"); status != http.StatusTooManyRequests {
		t.Errorf("one more, from a network that has begun none: %d; want 429", status)
	}
	if status := start(9, "beta"); status == http.StatusTooManyRequests {
		t.Error("nobody can sign in at the other tenant")
	}
	h.pass(time.Second)
	if status := start(9, "acme"); status == http.StatusTooManyRequests {
		t.Error("a second later it is still one too many")
	}
}

func TestNobodyHearsWhichTenantsThereAre(t *testing.T) {
	h := open(t)
	detail := func(tenant string) (said struct{ Detail, Code string }) {
		a := h.call("GET", "/auth/oidc/start?provider=corp&tenant="+tenant, "", "")
		if err := json.Unmarshal([]byte(a.body), &said); err != nil || a.status != 404 {
			t.Errorf("%s: %d %s", tenant, a.status, a.body)
		}
		return said
	}
	if there, not := detail("acme"), detail("nobody"); there != not {
		t.Errorf("a tenant that there is: %+v; one that there is not: %+v", there, not)
	}
}

func TestASignInIsBoundToItsBrowserAndWorksOnce(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	s := o.surfer()
	back := s.walk("carol", "")
	stranger := o.surfer()
	stranger.answer(stranger.get(back)).want(t, "in another browser", 401, "invalid_grant")
	s.answer(s.get(back)).want(t, "in its own", 200, "")
	s.answer(s.get(back)).want(t, "replayed", 401, "invalid_grant")

	back = s.walk("carol", "")
	for name, address := range map[string]string{
		"another state": strings.Replace(back, "state=", "state=x", 1),
		"no state":      strings.Replace(back, "state=", "nostate=", 1),
	} {
		if a := s.answer(s.get(address)); a.status < 400 || a.AccessToken != "" {
			t.Errorf("%s: %d %s", name, a.status, a.code)
		}
	}
	s.answer(s.get(strings.Replace(back, "iss=", "iss=https%3A%2F%2Fevil.example&was=", 1))).
		want(t, "an unknown parameter", 400, "unknown_parameter")
	u, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("iss", "https://evil.example")
	u.RawQuery = q.Encode()
	s.answer(s.get(u.String())).want(t, "another issuer's answer", 401, "sso_failed")
	s.answer(s.get(back)).want(t, "its state was used up", 401, "invalid_grant")

	back = s.walk("carol", "")
	o.pass(10*time.Minute + time.Second)
	s.answer(s.get(back)).want(t, "after ten minutes", 401, "invalid_grant")

	o.clock = time.Now()
	code := s.walk("carol", "")
	u, _ = url.Parse(code)
	q = u.Query()
	q.Set("code", "forged")
	u.RawQuery = q.Encode()
	s.answer(s.get(u.String())).want(t, "a forged code", 401, "sso_failed")
}

func TestAConsoleFetchesItsTokensByAOneTimeCode(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	s := o.surfer()
	arrive := func(s surfer, who string) *url.URL {
		resp := s.get(s.walk(who, "/signed-in?next=%2Fpeople"))
		resp.Body.Close()
		at, err := resp.Location()
		if err != nil || resp.StatusCode != http.StatusSeeOther || at.Path != "/signed-in" ||
			at.Query().Get("next") != "/people" ||
			!strings.HasPrefix(at.String(), o.url) {
			t.Fatalf("sent to %v, %v (%d)", at, err, resp.StatusCode)
		}
		return at
	}
	exchange := func(s surfer, code string, header ...string) answer {
		r, err := http.NewRequest(
			"POST",
			o.url+"/api/v1/auth/oidc/token",
			strings.NewReader(fmt.Sprintf(`{"code":%q,"cookie":true}`, code)),
		)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := s.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return s.answer(resp)
	}
	code := arrive(s, "carol").Query().Get("code")
	exchange(o.surfer(), code).want(t, "another browser", 401, "invalid_grant")
	exchange(s, code, "Sec-Fetch-Site", "cross-site").want(t, "another site's page", 403, "cross_origin")
	in := exchange(s, code)
	in.want(t, "the console", 200, "")
	if in.AccessToken == "" || in.RefreshToken != "" ||
		!strings.Contains(in.header.Get("Set-Cookie"), "grantwright_refresh=") {
		t.Errorf("tokens = %+v, cookies %q", in.SignInTokens, in.header.Values("Set-Cookie"))
	}
	code = arrive(s, "carol").Query().Get("code")
	o.pass(time.Minute + time.Second)
	exchange(s, code).want(t, "after a minute", 401, "invalid_grant")
	o.clock = time.Now()
	if at := arrive(o.surfer(), "eve"); at.Query().Get("error") != "sso_email_unverified" || at.Query().Has("code") {
		t.Errorf("who is refused is sent to %s", at)
	}
	for _, bad := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/\tx", "console",
		"javascript:alert(1)"} {
		a := s.answer(
			s.get(o.url + "/api/v1/auth/oidc/start?tenant=acme&provider=corp&redirect=" + url.QueryEscape(bad)),
		)
		if a.status != 400 {
			t.Errorf("redirect to %q: %d %s; want 400", bad, a.status, a.code)
		}
	}
}

func TestAPublicClientSignsInByPKCEAlone(t *testing.T) {
	o := openOutside(t, `,"create_users":true`)
	o.call("PATCH", "/settings/identity-providers/"+o.id, o.admin, `{"client_id":"public","client_secret":""}`).
		want(t, "make it public", 200, "")
	o.signInAs("carol").want(t, "sign in", 200, "")
}

func TestProvidersAreLookedAfterByAdministrators(t *testing.T) {
	h := open(t)
	admin := h.signIn().AccessToken
	const good = `{"name":"corp","issuer":"https://127.0.0.1:9443/x","client_id":"c","client_secret":"` + clientSecret +
		`"%s}`
	post := func(more string) answer {
		return h.call("POST", "/settings/identity-providers", admin, fmt.Sprintf(good, more))
	}
	made := post("")
	made.want(t, "create", 201, "")
	var p idp.Provider
	made.into(t, &p)
	path := "/settings/identity-providers/" + p.ID
	want := idp.Provider{
		ID:           p.ID,
		Name:         "corp",
		Issuer:       "https://127.0.0.1:9443/x",
		ClientID:     "c",
		ClientSecret: p.ClientSecret,
		Scopes:       []string{"profile", "email"},
		RoleMapping:  map[string][]string{},
		Domains:      []string{},
		Enabled:      true,
		CreatedAt:    p.CreatedAt,
		UpdatedAt:    p.UpdatedAt,
		Version:      1,
	}
	if diff := cmp.Diff(
		want,
		p,
		cmp.AllowUnexported(idp.Provider{}),
	); diff != "" || !p.ClientSecret.Set ||
		made.header.Get("ETag") != `"1"` {
		t.Errorf("provider (-want +got):\n%s", diff)
	}
	post("").want(t, "the same name", 409, "conflict")
	bad := map[string]string{
		`,"name":"Corp!"`:                     "validation_failed",
		`,"issuer":""`:                        "validation_failed",
		`,"issuer":"http://169.254.169.254/"`: "destination_not_allowed",
		`,"issuer":"https://10.0.0.1/"`:       "destination_not_allowed",
		`,"issuer":"file:///etc/passwd"`:      "destination_not_allowed",
		`,"role_mapping":{"g":["root"]}`:      "validation_failed",
		`,"domains":["not a domain"]`:         "validation_failed",
		`,"scopes":["two words"]`:             "validation_failed",
		`,"secret":"x"`:                       "unknown_field",
		`,"create_users":true`:                "validation_failed",
	}
	for more, code := range bad {
		name, value, _ := strings.Cut(strings.TrimPrefix(more, ","), ":")
		body := strings.Replace(fmt.Sprintf(good, ""), name+":", `"ignored":`, 1)
		body = strings.Replace(body, `"name":"corp"`, `"name":"other"`, 1)
		var m map[string]any
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "ignored")
		m[strings.Trim(name, `"`)] = json.RawMessage(value)
		b, _ := json.Marshal(m)
		h.call("POST", "/settings/identity-providers", admin, string(b)).want(t, more, 422, code)
	}
	h.call("PATCH", path, admin, `{"issuer":"https://127.0.0.1:9443/y"}`).
		want(t, "another issuer with the old secret", 422, "validation_failed")
	anybody := h.call("PATCH", path, admin, `{"create_users":true,"role_mapping":{"staff":["auditor"]}}`)
	anybody.want(t, "users of everybody whom the issuer knows", 422, "validation_failed")
	if !strings.Contains(anybody.body, `"#/domains"`) || !strings.Contains(anybody.body, "disable create_users") {
		t.Errorf("it is not said how to mend it: %s", anybody.body)
	}
	h.call("PATCH", path, admin, `{"create_users":true,"domains":["acme.example"]}`).
		want(t, "users of one domain", 200, "")
	h.call("PATCH", path, admin, `{"domains":[]}`).want(t, "the domain taken away", 422, "validation_failed")
	h.call("PATCH", path, admin, `{"create_users":false,"domains":[]}`).want(t, "no users, no domains", 200, "")
	h.call("PATCH", path, admin, `{"enabled":false}`, "If-Match", `"7"`).
		want(t, "an old version", 412, "precondition_failed")
	h.call("PATCH", path, admin, `{"enabled":false}`, "If-Match", `"3"`).want(t, "switch off", 200, "")
	h.call("GET", "/auth/oidc/start?tenant=acme&provider=corp", "", "").
		want(t, "start with one that is off", 404, "not_found")
	h.call("GET", "/auth/oidc/start?tenant=nobody&provider=corp", "", "").
		want(t, "start in no tenant", 404, "not_found")
	if list := h.call(
		"GET",
		"/settings/identity-providers",
		admin,
		"",
	); !strings.Contains(list.body, `"total":1`) ||
		strings.Contains(list.body, "CANARY") {
		t.Errorf("list: %s", list.body)
	}
	h.sql(`update app_user set roles = array['auditor']`)
	h.pass(5 * time.Second)
	h.call("GET", path, admin, "").want(t, "an auditor reads", 200, "")
	h.call("DELETE", path, admin, "").want(t, "an auditor deletes", 403, "read_only_role")
	h.sql(`update app_user set roles = array['manager']`)
	h.pass(5 * time.Second)
	h.call("GET", path, admin, "").want(t, "a manager reads", 403, "forbidden")
	h.sql(`update app_user set roles = array['admin']`)
	h.pass(5 * time.Second)
	h.call("DELETE", path, admin, "").want(t, "delete", 204, "")
	h.call("GET", path, admin, "").want(t, "after that", 404, "not_found")
	if got := h.audited("auth.provider_created") + h.audited(
		"auth.provider_updated",
	) + h.audited("auth.provider_deleted"); got != "successsuccess success successsuccess" {
		t.Errorf("audited %q", got)
	}
	if sealed := h.ask(
		`select coalesce(string_agg(audit_event::text, ''), '') from audit_event`,
	); strings.Contains(
		sealed,
		clientSecret,
	) {
		t.Error("the client's secret is in the audit log")
	}
	h.noSecrets(clientSecret)
}
