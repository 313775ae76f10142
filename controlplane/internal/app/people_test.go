package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (r reply) text(member string) string { s, _ := r.body[member].(string); return s }

// column is one member of every row of a list.
func (r reply) column(member string) (values []string) {
	items, _ := r.body["items"].([]any)
	for _, item := range items {
		row, _ := item.(map[string]any)
		value, _ := row[member].(string)
		values = append(values, value)
	}
	slices.Sort(values)
	return values
}

func (r reply) is(t *testing.T, what string, status int, code string) reply {
	t.Helper()
	if r.status != status || r.text("code") != code && code != "" {
		t.Errorf("%s = %d %q; want %d %q (%.300s)", what, r.status, r.text("code"), status, code, r.raw)
	}
	return r
}

// at are the pointers of a problem's details.
func (r reply) at() string {
	var all []string
	list, _ := r.body["errors"].([]any)
	for _, e := range list {
		detail, _ := e.(map[string]any)
		pointer, _ := detail["pointer"].(string)
		all = append(all, pointer)
	}
	return strings.Join(all, " ")
}

// as sends a request with somebody's token, and a JSON body unless it is nil. header are names and values in turn.
func (s *site) as(token, method, path string, body any, header ...string) reply {
	s.t.Helper()
	r, err := s.try(token, method, path, body, header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// try is as for other goroutines than the test's own.
func (s *site) try(token, method, path string, body any, header ...string) (reply, error) {
	var b []byte
	if text, plain := body.(string); plain {
		b = []byte(text)
	} else if body != nil {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return reply{}, err
		}
	}
	req, err := http.NewRequest(method, s.url+"/api/v1"+path, bytes.NewReader(b))
	if err != nil {
		return reply{}, err
	}
	if len(b) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	r := reply{status: res.StatusCode, header: res.Header, body: map[string]any{}, raw: string(raw)}
	_ = json.Unmarshal(raw, &r.body)
	return r, err
}

// run runs a statement in the site's tenant.
func (s *site) run(sql string, args ...any) {
	s.t.Helper()
	err := s.db.As(
		context.Background(),
		s.tenant,
		func(tx *pg.Tx) error { _, err := tx.Exec(context.Background(), sql, args...); return err },
	)
	if err != nil {
		s.t.Fatalf("%v in %s", err, sql)
	}
}

// told gives the texts that a statement selects in the site's tenant.
func (s *site) told(sql string, args ...any) (texts []string) {
	s.t.Helper()
	err := s.db.As(context.Background(), s.tenant, func(tx *pg.Tx) error {
		rows, err := tx.Query(context.Background(), sql, args...)
		if err != nil {
			return err
		}
		texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		s.t.Fatalf("%v in %s", err, sql)
	}
	return texts
}

// person makes an identity whose name is also its external_id.
func (s *site) person(name, manager string) string {
	s.t.Helper()
	body := map[string]any{"external_id": name, "email": name + "@acme.test", "first_name": name, "last_name": "P"}
	if manager != "" {
		body["manager_external_id"] = manager
	}
	return s.call("POST", "/identities", body, 201)["id"].(string)
}

// user invites somebody, who sets a password by the link, and gives their id and token.
func (s *site) user(email, identity string, roles ...string) (id, token string) {
	s.t.Helper()
	body := map[string]any{"email": email, "roles": roles}
	if identity != "" {
		body["identity_id"] = identity
	}
	made := s.call("POST", "/settings/users", body, 201)
	link := made["invitation"].(map[string]any)["token"]
	in := s.as("", "POST", "/auth/sign-in-link", map[string]any{"token": link, "password": password}).
		is(s.t, "sign in by link", 200, "")
	return made["id"].(string), in.text("access_token")
}

func TestPeopleOfEveryRoleSignInAndSeeWhatTheyMay(t *testing.T) {
	s := newSite(t)
	boss := s.person("boss", "")
	lead := s.person("lead", "boss")
	clerk := s.person("clerk", "lead")
	stranger := s.person("stranger", "")
	connector := uuid.NewString()
	account, group, other := uuid.NewString(), uuid.NewString(), uuid.NewString()
	s.run(
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state,
	           row_hash)
	       values (current_tenant(), $1, $2, 'x', 'x', $3, 'linked', '')`,
		account,
		connector,
		stranger,
	)
	s.run(`insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, owner_ids, row_hash)
	       values (current_tenant(), $1, $3, 'g', 'g', 'g', array[$4::uuid], ''),
	           (current_tenant(), $2, $3, 'h', 'h', 'h', '{}', '')`, group, other, connector, clerk)
	s.run(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
	       values (current_tenant(), gen_random_uuid(), $1, $2, $3),
	           (current_tenant(), gen_random_uuid(), $1, $2, $4)`, connector, account, group, other)

	_, manager := s.user("boss@acme.test", boss, "manager")
	_, owner := s.user("clerk@acme.test", clerk, "resource_owner")
	_, auditor := s.user("audit@acme.test", "", "auditor")
	_, nobody := s.user("plain@acme.test", lead)
	for _, tt := range []struct {
		name, token string
		sees        []string // in the list of identities
		own         string
		users       int // GET /settings/users
		makes       string
	}{
		{"manager", manager, []string{"clerk", "lead"}, boss, 403, "forbidden"},
		{"resource owner", owner, []string{"stranger"}, clerk, 403, "forbidden"},
		{"auditor", auditor, []string{"boss", "clerk", "lead", "stranger"}, "", 200, "read_only_role"},
		{"no role", nobody, nil, lead, 403, "forbidden"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			list := s.as(tt.token, "GET", "/identities", nil).is(t, "the list", 200, "")
			if diff := cmp.Diff(tt.sees, list.column("external_id")); diff != "" {
				t.Errorf("sees -want +got\n%s", diff)
			}
			if total := list.body["total"]; total != float64(len(tt.sees)) {
				t.Errorf("total %v; want %d", total, len(tt.sees))
			}
			if tt.own != "" {
				if me := s.as(tt.token, "GET", "/identities/me", nil).
					is(t, "the own record", 200, ""); me.text(
					"id",
				) != tt.own {
					t.Errorf("the own record is %s; want %s", me.text("id"), tt.own)
				}
			}
			s.as(tt.token, "GET", "/settings/users", nil).is(t, "the users", tt.users, "")
			s.as(tt.token, "POST", "/settings/users", map[string]any{"email": "x@acme.test"}).
				is(t, "inviting somebody", 403, tt.makes)
			s.as(tt.token, "POST", "/settings/api-tokens", map[string]any{"name": "x"}).
				is(t, "making a token", 403, tt.makes)
			s.as(tt.token, "POST", "/identities", map[string]any{}).is(t, "making an identity", 403, tt.makes)
		})
	}
	s.t = t
	s.as(manager, "GET", "/identities/"+stranger, nil).is(t, "a stranger to the manager", 404, "not_found")
	grants := s.as(owner, "GET", "/entitlements/grants", nil).is(t, "the owner's grants", 200, "")
	if got := grants.body["total"]; got != float64(1) {
		t.Errorf("the owner sees %v grants; want the one of what they own", got)
	}
}

func TestARoleThatIsTakenAwayIsGoneWithTheNextRequest(t *testing.T) {
	s := newSite(t)
	boss := s.person("boss", "")
	clerk := s.person("clerk", "boss")
	id, token := s.user("boss@acme.test", boss, "manager")
	s.as(token, "GET", "/identities/"+clerk, nil).is(t, "a report", 200, "")
	s.call("PATCH", "/settings/users/"+id, map[string]any{"roles": []string{}}, 200)
	s.as(token, "GET", "/identities/"+clerk, nil).is(t, "a report no more", 404, "not_found")
	s.call("PATCH", "/settings/users/"+id, map[string]any{"roles": []string{"manager", "auditor"}}, 200)
	s.as(token, "GET", "/identities/"+boss, nil).is(t, "everybody", 200, "")
	s.run(
		`insert into passkey (tenant_id, id, user_id, name, relying_party, credential_id, public_key, syncable, backed_up)
		values (current_tenant(), gen_random_uuid(), $1, 'Laptop', 'localhost', '', '', false, false)`,
		id,
	)
	mfa := s.call("GET", "/settings/users/"+id, nil, 200)["mfa"]
	if diff := cmp.Diff(map[string]any{"enrolled": true, "methods": []any{"passkey"}}, mfa); diff != "" {
		t.Errorf("with a passkey, -want +got\n%s", diff)
	}
	s.call("PATCH", "/settings/users/"+id, map[string]any{"enabled": false}, 200)
	if left := s.told(`select name from passkey where user_id = $1`, id); len(left) != 0 {
		t.Errorf("once disabled the user has the passkeys %v", left)
	}
	s.as(token, "GET", "/auth/me", nil).is(t, "once disabled", 401, "token_revoked")
	s.as("", "POST", "/auth/login", map[string]any{"email": "boss@acme.test", "password": password}).
		is(t, "signing in once disabled", 401, "invalid_credentials")
	if u := s.call("PATCH", "/settings/users/"+id, map[string]any{"enabled": true}, 200); u["status"] != "active" {
		t.Errorf("once enabled the user is %v; want active", u["status"])
	}
	s.as(token, "GET", "/auth/me", nil).is(t, "the session that was ended", 401, "token_revoked")
	again := s.as("", "POST", "/auth/login", map[string]any{"email": "boss@acme.test", "password": password}).
		is(t, "signing in again", 200, "")
	if got := s.call("POST", "/settings/users/"+id+"/sessions/revoke", nil, 200)["sessions"]; got != float64(1) {
		t.Errorf("%v sessions ended; want 1", got)
	}
	s.as(again.text("access_token"), "GET", "/auth/me", nil).is(t, "once signed out everywhere", 401, "token_revoked")
	want := []string{
		"user.created",
		"user.updated",
		"user.updated",
		"user.disabled",
		"user.enabled",
		"user.sessions_revoked",
	}
	if diff := cmp.Diff(
		want,
		s.told(`select action from audit_event where subject_id = $1 and action like 'user.%' order by seq`, id),
	); diff != "" {
		t.Errorf("audited -want +got\n%s", diff)
	}
	changes := s.told(
		`select (event::jsonb -> 'changes')::text from audit_event where subject_id = $1 and action = 'user.disabled'`,
		id,
	)
	if diff := cmp.Diff([]string{`[{"after": false, "field": "enabled", "before": true}]`}, changes); diff != "" {
		t.Errorf("the change -want +got\n%s", diff)
	}
}

func TestWhatAUserCannotBecome(t *testing.T) {
	s := newSite(t)
	boss := s.person("boss", "")
	one := s.call(
		"POST",
		"/settings/users",
		map[string]any{"email": "One@acme.test", "identity_id": boss, "roles": []string{"auditor", "admin"}},
		201,
	)
	me := s.as(s.token, "GET", "/settings/users?q=a@acme.test",
		nil).body["items"].([]any)[0].(map[string]any)["id"].(string)
	id := one["id"].(string)
	if diff := cmp.Diff([]any{"toxic_role_pair"}, one["findings"]); diff != "" {
		t.Errorf("findings -want +got\n%s", diff)
	}
	for _, tt := range []struct {
		name, method, path string
		body               any
		status             int
		code, at           string
	}{
		{"the address of another", "POST", "", map[string]any{"email": "one@ACME.test"}, 409, "duplicate_email",
			"#/email"},
		{"no address", "POST", "", map[string]any{"email": "one"}, 422, "validation_failed", "#/email"},
		{"a taken identity", "POST", "", map[string]any{"email": "two@acme.test", "identity_id": boss}, 409,
			"identity_taken", "#/identity_id"},
		{"an identity of nobody", "POST", "", map[string]any{"email": "two@acme.test", "identity_id": uuid.NewString()},
			422, "validation_failed", "#/identity_id"},
		{"an unknown role", "POST", "", map[string]any{"email": "two@acme.test", "roles": []string{"root"}}, 422,
			"validation_failed", "#/roles/0"},
		{"an operator by an admin", "POST", "", map[string]any{"email": "two@acme.test", "control_plane_admin": true},
			403, "forbidden", "#/control_plane_admin"},
		{"a password", "POST", "", map[string]any{"email": "two@acme.test", "password": password}, 422, "unknown_field",
			"#/password"},
		{"a status", "POST", "", map[string]any{"email": "two@acme.test", "status": "active"}, 422, "read_only_field",
			"#/status"},
		{"another's tenant", "PATCH", "/" + id, map[string]any{"tenant_id": uuid.NewString()}, 422, "read_only_field",
			"#/tenant_id"},
		{"a password hash", "PATCH", "/" + id, map[string]any{"password_hash": "x"}, 422, "unknown_field",
			"#/password_hash"},
		{"an operator by a patch", "PATCH", "/" + id, map[string]any{"control_plane_admin": true}, 403, "forbidden",
			"#/control_plane_admin"},
		{"neither here nor there", "PATCH", "/" + id, `{"enabled":null}`, 422, "validation_failed", "#/enabled"},
		{"the own role", "PATCH", "/" + me, map[string]any{"roles": []string{"admin", "manager"}}, 403, "own_roles",
			"#/roles"},
		{"the own end", "PATCH", "/" + me, map[string]any{"enabled": false}, 409, "own_user", ""},
		{"the own deletion", "DELETE", "/" + me, nil, 409, "own_user", ""},
		{"a link for oneself", "POST", "/" + me + "/invite", nil, 409, "own_user", ""},
		{"the last admin", "PATCH", "/" + me, map[string]any{"roles": []string{}}, 409, "last_admin", ""},
		{"nobody", "PATCH", "/" + uuid.NewString(), map[string]any{}, 404, "not_found", ""},
		{"no id", "GET", "/me", nil, 404, "not_found", ""},
	} {
		r := s.as(s.token, tt.method, "/settings/users"+tt.path, tt.body).is(t, tt.name, tt.status, tt.code)
		if r.at() != tt.at {
			t.Errorf("%s: wrong at %q; want %q", tt.name, r.at(), tt.at)
		}
	}
	s.as(s.token, "PATCH", "/settings/users/"+id, map[string]any{"locale": "de"}, "If-Match", `"77"`).
		is(t, "another version", 412, "precondition_failed")
	read := s.as(s.token, "GET", "/settings/users/"+id, nil)
	after := s.as(s.token, "PATCH", "/settings/users/"+id, `{"locale":"de-AT","identity_id":null}`, "If-Match",
		read.header.Get("ETag")).
		is(t, "this version", 200, "")
	if after.body["identity_id"] != nil || after.body["locale"] != "de-AT" ||
		after.header.Get("ETag") == read.header.Get("ETag") {
		t.Errorf("after the patch: %s", after.raw)
	}
}

func TestALinkIsReplacedByTheNextAndWithdrawnWithTheUser(t *testing.T) {
	s := newSite(t)
	made := s.call(
		"POST",
		"/settings/users",
		map[string]any{"email": "new@acme.test", "roles": []string{"manager"}},
		201,
	)
	id, first := made["id"].(string), made["invitation"].(map[string]any)["token"].(string)
	use := func(token string) reply {
		return s.as("", "POST", "/auth/sign-in-link", map[string]any{"token": token, "password": password})
	}
	if read := s.as(
		s.token,
		"GET",
		"/settings/users/"+id,
		nil,
	); strings.Contains(read.raw, first) ||
		read.text("status") != "invited" {
		t.Errorf("the link's token is shown again, or the status is wrong: %s", read.raw)
	}
	second := s.call("POST", "/settings/users/"+id+"/invite", nil, 200)["invitation"].(map[string]any)["token"].(string)
	use(first).is(t, "the first link", 401, "invalid_grant")
	s.call("PATCH", "/settings/users/"+id, map[string]any{"enabled": false}, 200)
	s.as(s.token, "POST", "/settings/users/"+id+"/invite", nil).
		is(t, "a link for somebody disabled", 409, "user_disabled")
	if u := s.call("PATCH", "/settings/users/"+id, map[string]any{"enabled": true}, 200); u["status"] != "invited" {
		t.Errorf("who never signed in is %v once enabled; want invited", u["status"])
	}
	use(second).is(t, "a link from before being disabled", 401, "invalid_grant")
	third := s.call("POST", "/settings/users/"+id+"/invite", nil, 200)["invitation"].(map[string]any)["token"].(string)
	token := use(third).is(t, "the third link", 200, "").text("access_token")
	s.as(s.token, "DELETE", "/settings/users/"+id, nil).is(t, "deletion", 204, "")
	s.as(token, "GET", "/auth/me", nil).is(t, "a token of somebody deleted", 401, "token_revoked")
	s.as(s.token, "GET", "/settings/users/"+id, nil).is(t, "somebody deleted", 404, "not_found")
	if left := s.told(
		`select email || display_name || roles::text || (password_hash is null) from app_user where id = $1`,
		id,
	); !cmp.Equal(
		left,
		[]string{"deleted-" + id + "@deleted.invalid{}true"},
	) {
		t.Errorf("what is left of the user: %q", left)
	}
	s.call("POST", "/settings/users", map[string]any{"email": "NEW@acme.test"}, 201) // the address is free again
}

func TestALostSecondFactorIsTakenAwayByAnAdministrator(t *testing.T) {
	s := newSite(t)
	id, token := s.user("other@acme.test", "", "manager")
	s.call("POST", "/settings/users/"+id+"/mfa/reset", nil, 200)
	s.as(token, "GET", "/auth/me", nil).is(t, "without a second factor nothing happens", 200, "")
	s.run(
		`insert into second_factor (tenant_id, user_id, secret, confirmed_at) values (current_tenant(), $1, '', now())`,
		id,
	)
	before := s.call("GET", "/settings/users/"+id, nil, 200)["mfa"]
	after := s.call("POST", "/settings/users/"+id+"/mfa/reset", nil, 200)["mfa"]
	want := []any{
		map[string]any{"enrolled": true, "methods": []any{"totp"}},
		map[string]any{"enrolled": false, "methods": []any{}},
	}
	if diff := cmp.Diff(want, []any{before, after}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	s.as(token, "GET", "/auth/me", nil).is(t, "a session from before", 401, "token_revoked")
	if got := s.told(
		`select action from audit_event where action = 'auth.mfa_reset' and subject_id = $1`,
		id,
	); len(got) != 1 {
		t.Errorf("the reset is in the log %d times; want once", len(got))
	}
}

func TestUsersAreListedByWhatTheyAre(t *testing.T) {
	s := newSite(t)
	boss := s.person("boss", "")
	for _, u := range []map[string]any{
		{"email": "c@acme.test", "display_name": "Carol", "roles": []string{"manager", "auditor"}},
		{"email": "b@acme.test", "display_name": "bob_%", "roles": []string{"auditor"}, "identity_id": boss},
		{"email": "d@acme.test", "display_name": "Dan"},
	} {
		s.call("POST", "/settings/users", u, 201)
	}
	for query, want := range map[string][]string{
		"":                           {"a@acme.test", "b@acme.test", "c@acme.test", "d@acme.test"},
		"role=manager,admin":         {"a@acme.test", "c@acme.test"},
		"status=invited":             {"b@acme.test", "c@acme.test", "d@acme.test"},
		"status=active,disabled":     {"a@acme.test"},
		"q=CAR":                      {"c@acme.test"},
		"q=_%25":                     {"b@acme.test"},
		"identity_id=" + boss:        {"b@acme.test"},
		"role=auditor&status=active": nil,
	} {
		list := s.as(s.token, "GET", "/settings/users?"+query, nil).is(t, query, 200, "")
		if diff := cmp.Diff(want, list.column("email")); diff != "" || list.body["total"] != float64(len(want)) {
			t.Errorf("%s: total %v, -want +got\n%s", query, list.body["total"], diff)
		}
	}
	for _, sort := range []string{"email", "-email", "display_name", "last_login_at", "-last_login_at", "created_at",
		"-created_at"} {
		whole := s.as(s.token, "GET", "/settings/users?sort="+sort, nil)
		var walked []any
		for cursor := ""; ; {
			page := s.as(s.token, "GET", "/settings/users?limit=1&sort="+sort+"&cursor="+cursor, nil).
				is(t, sort, 200, "")
			walked = append(walked, page.body["items"].([]any)...)
			if cursor = page.text("next_cursor"); cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(whole.body["items"], any(walked)); diff != "" {
			t.Errorf("%s: by cursor -whole +walked\n%s", sort, diff)
		}
	}
	s.as(s.token, "GET", "/settings/users?role=root", nil).is(t, "an unknown role", 400, "")
	s.as(s.token, "GET", "/settings/users?rolle=admin", nil).is(t, "a mistyped filter", 400, "unknown_parameter")
}

func TestATenantNeverLosesItsLastAdmin(t *testing.T) {
	s := newSite(t)
	for round := range 4 {
		ids, tokens := []string{}, []string{}
		for i := range 4 {
			id, token := s.user(strings.Repeat("r", round+1)+string(rune('a'+i))+"@acme.test", "", "admin")
			ids, tokens = append(ids, id), append(tokens, token)
		}
		me := s.told(`select id::text from app_user where email = 'a@acme.test'`)[0]
		ids, tokens = append(ids, me), append(tokens, s.token)
		var wg sync.WaitGroup
		for range 20 {
			by, whom, how := rand.IntN(len(ids)), rand.IntN(len(ids)), rand.IntN(3)
			wg.Add(1)
			go func() {
				defer wg.Done()
				method, body := "PATCH", any(map[string]any{"roles": []string{"manager"}})
				switch how {
				case 1:
					body = map[string]any{"enabled": false}
				case 2:
					method, body = "DELETE", nil
				}
				r, err := s.try(tokens[by], method, "/settings/users/"+ids[whom], body)
				if err != nil || r.status >= 500 {
					t.Errorf("%s = %d %s, %v", method, r.status, r.raw, err)
				}
			}()
		}
		wg.Wait()
		left := s.told(`select id::text from app_user where status = 'active' and 'admin' = any (roles)`)
		if len(left) == 0 {
			t.Fatal("nobody is an administrator any more")
		}
		// The next round begins with the first admin again, whatever has become of them.
		s.run(`update app_user set roles = '{manager}' where 'admin' = any (roles)`)
		s.run(
			`update app_user set status = 'active', roles = '{admin}', deleted_at = null, email = 'a@acme.test',
		       password_epoch = password_epoch + 1, password_hash = (select password_hash from app_user
		           where password_hash is not null limit 1) where id = $1`,
			me,
		)
		s.token = s.as("", "POST", "/auth/login", map[string]any{"email": "a@acme.test", "password": password}).
			is(t, "the first admin again", 200, "").
			text("access_token")
	}
}
