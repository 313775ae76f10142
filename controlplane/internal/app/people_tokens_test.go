package app_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// integration makes a service token as the admin, and gives its id and itself. more are members and values in turn.
func (s *site) integration(role string, scopes []string, more ...any) (id, token string) {
	s.t.Helper()
	body := map[string]any{"name": "export", "role": role, "scopes": scopes}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	made := s.call("POST", "/settings/api-tokens", body, 201)
	return made["id"].(string), made["token"].(string)
}

func TestAServiceTokenDoesWhatItsScopesAndItsRoleAllow(t *testing.T) {
	s := newSite(t)
	boss := s.person("boss", "")
	s.person("clerk", "boss")
	stranger := s.person("stranger", "")
	_, reads := s.integration("admin", []string{"identities:read"})
	_, writes := s.integration("admin", []string{"identities:write"})
	_, manager := s.integration("manager", []string{"identities:read", "identities:write"}, "bound_identity_id", boss)
	_, auditor := s.integration("auditor", []string{"identities:read", "identities:write", "users:read", "tokens:read"})
	person := map[string]any{"external_id": "new", "email": "new@acme.test", "first_name": "N", "last_name": "P"}
	for _, tt := range []struct {
		name, token, method, path string
		body                      any
		status                    int
		code                      string
	}{
		{"reads what it may", reads, "GET", "/identities", nil, 200, ""},
		{"reads something else", reads, "GET", "/accounts", nil, 403, "insufficient_scope"},
		{"reads grants with the scope of people", reads, "GET", "/identities/" + boss + "/grants", nil, 200, ""},
		{"writes with the scope to read", reads, "POST", "/identities", person, 403, "insufficient_scope"},
		{"reads with the scope to write", writes, "GET", "/identities", nil, 403, "insufficient_scope"},
		{"writes what it may", writes, "POST", "/identities", person, 201, ""},
		{"reads settings", reads, "GET", "/settings/orphans", nil, 403, "insufficient_scope"},
		{"reads the deployment", reads, "GET", "/control-plane/tenants", nil, 403, ""},
		{"is in another tenant", reads, "GET", "/identities", nil, 403, "tenant_override_forbidden"},
		{"sees as a manager", manager, "GET", "/identities/" + stranger, nil, 404, "not_found"},
		{"writes as a manager", manager, "POST", "/identities", person, 403, "forbidden"},
		{"writes as an auditor", auditor, "POST", "/identities", person, 403, "read_only_role"},
		{"reads as an auditor", auditor, "GET", "/settings/api-tokens", nil, 200, ""},
		{"asks who it is", reads, "GET", "/auth/me", nil, 200, ""},
		{"ends sessions", auditor, "POST", "/auth/logout-all", nil, 403, ""},
		{"makes a way to sign in", writes, "POST", "/settings/identity-providers", map[string]any{}, 403, "forbidden"},
	} {
		var header []string
		if tt.code == "tenant_override_forbidden" {
			header = []string{"X-Tenant-Id", uuid.NewString()}
		}
		s.as(tt.token, tt.method, tt.path, tt.body, header...).is(t, tt.name, tt.status, tt.code)
	}
	if seen := s.as(manager, "GET", "/identities", nil).column("external_id"); !cmp.Equal(seen, []string{"clerk"}) {
		t.Errorf("a manager's token sees %q; want the one report", seen)
	}
	actors := s.told(`select distinct concat_ws(' ', actor_type, event::json -> 'actor' ->> 'display')
	                    from audit_event where action = 'identity.created'
	                        and event::json -> 'subject' ->> 'display' like 'N%'`)
	if !cmp.Equal(actors, []string{"service export"}) {
		t.Errorf("the identity was made by %q; want service export", actors)
	}
}

func TestATokenIsShownOnceAndNeverKept(t *testing.T) {
	s := newSite(t)
	made := s.as(s.token, "POST", "/settings/api-tokens",
		map[string]any{"name": "export", "role": "auditor", "scopes": []string{"identities:read"},
			"rate_limit": map[string]any{"rps": 300}, "allowed_cidrs": []string{"127.0.0.1"}}).
		is(t, "making it", 201, "")
	token, id := made.text("token"), made.text("id")
	if made.header.Get("Location") != "/api/v1/settings/api-tokens/"+id || made.header.Get("ETag") != `"1"` {
		t.Errorf("headers: %v", made.header)
	}
	one := s.as(s.token, "GET", "/settings/api-tokens/"+id, nil).is(t, "reading it", 200, "")
	want := map[string]any{
		"id":                     id,
		"name":                   "export",
		"description":            "",
		"role":                   "auditor",
		"scopes":                 []any{"identities:read"},
		"bound_identity_id":      nil,
		"state":                  "active",
		"disabled_reason":        nil,
		"enabled":                true,
		"allowed_cidrs":          []any{"127.0.0.1/32"},
		"rate_limit":             map[string]any{"rps": 300.0, "burst": 600.0},
		"idle_disable_after":     "P60D",
		"last_used_at":           nil,
		"last_used_ip":           nil,
		"rotated_from_id":        nil,
		"rotation_overlap_until": nil,
		"made_by_token_id":       nil,
		"version":                1.0,
	}
	for name, value := range want {
		if diff := cmp.Diff(value, one.body[name]); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	end, err := time.Parse(time.RFC3339, one.text("expires_at"))
	if life := time.Until(end); err != nil || life < 90*24*time.Hour-time.Minute || life > 90*24*time.Hour {
		t.Errorf("it ends at %s, %v; want in 90 days", one.text("expires_at"), err)
	}
	stored := strings.Join(
		s.told(`select to_jsonb(k)::text from api_token k union all select to_jsonb(e)::text from audit_event e`),
		"\n",
	)
	signature := token[strings.LastIndex(token, ".")+1:]
	list := s.as(s.token, "GET", "/settings/api-tokens", nil)
	for where, text := range map[string]string{"one": one.raw, "list": list.raw, "database": stored} {
		if strings.Contains(text, token) || strings.Contains(text, signature) {
			t.Errorf("the token is in the %s", where)
		}
	}
	s.as(token, "GET", "/identities", nil).is(t, "using it", 200, "")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		used := s.as(s.token, "GET", "/settings/api-tokens/"+id, nil)
		if used.text("last_used_ip") == "127.0.0.1" && used.text("last_used_at") != "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("its use is not written down: %s", used.raw)
		}
	}
}

func TestARotatedTokenAndItsSuccessorWorkUntilTheOverlapEnds(t *testing.T) {
	s := newSite(t)
	id, old := s.integration(
		"admin",
		[]string{"identities:read", "tokens:write", "tokens:read"},
		"description",
		"nightly",
	)
	made := s.as(old, "POST", "/settings/api-tokens/"+id+"/rotate", map[string]any{"overlap": "PT3S"}).
		is(t, "rotating itself", 201, "")
	next := made.text("token")
	if made.text("rotated_from_id") != id || made.text("description") != "nightly" || made.text("id") == id {
		t.Errorf("the successor: %s", made.raw)
	}
	fresh := s.as(next, "GET", "/identities", nil).is(t, "the successor", 200, "")
	ending := s.as(old, "GET", "/identities", nil).is(t, "the old one in its overlap", 200, "")
	if got := fresh.header.Get("Token-Expires-At"); got != "" {
		t.Errorf("a token with 90 days before it says that it ends at %s", got)
	}
	if end, err := time.Parse(
		time.RFC3339,
		ending.header.Get("Token-Expires-At"),
	); err != nil ||
		time.Until(end).Abs() > time.Minute {
		t.Errorf("a token about to end says %q", ending.header.Get("Token-Expires-At"))
	}
	before := s.as(next, "GET", "/settings/api-tokens/"+id, nil)
	if state := before.text("state"); state != "expiring" && state != "expired" ||
		before.text("rotation_overlap_until") == "" {
		t.Errorf("the rotated token: %s", before.raw)
	}
	time.Sleep(3100 * time.Millisecond)
	s.as(old, "GET", "/identities", nil).is(t, "the old one after the overlap", 401, "token_expired")
	s.as(next, "GET", "/identities", nil).is(t, "the successor after the overlap", 200, "")
	s.as(s.token, "POST", "/settings/api-tokens/"+id+"/rotate", nil).is(t, "rotating what is over", 409, "token_over")

	third := s.as(s.token, "POST", "/settings/api-tokens/"+made.text("id")+"/rotate", nil).
		is(t, "rotating without a body", 201, "")
	s.as(s.token, "POST", "/settings/api-tokens/"+made.text("id")+"/rotate", nil).
		is(t, "rotating twice", 409, "already_rotated")
	s.as(s.token, "POST", "/settings/api-tokens/"+third.text("id")+"/rotate", map[string]any{"overlap": "P8D"}).
		is(t, "too long an overlap", 422, "validation_failed")
	s.as(next, "GET", "/identities", nil).is(t, "the second in its overlap", 200, "")
	s.as(s.token, "DELETE", "/settings/api-tokens/"+id+"?successors=true", nil).
		is(t, "revoking all that came from it", 204, "")
	for name, token := range map[string]string{"second": next, "third": third.text("token")} {
		s.as(token, "GET", "/identities", nil).is(t, "the "+name+" token", 401, "token_revoked")
	}
	states := s.as(s.token, "GET", "/settings/api-tokens?state=revoked", nil)
	if states.body["total"] != float64(3) {
		t.Errorf("%v are listed as revoked; want 3", states.body["total"])
	}
}

func TestNoTokenMakesMoreOfItself(t *testing.T) {
	s := newSite(t)
	boss := s.person("boss", "")
	admin := s.told(`select id::text from app_user`)[0]
	colleague, _ := s.user("colleague@acme.test", "", "admin")
	id, token := s.integration(
		"admin",
		[]string{"tokens:write", "tokens:read", "users:write", "users:read", "identities:read", "settings:write"},
		"allowed_cidrs",
		[]string{"127.0.0.0/8"},
	)
	wide, _ := s.integration("admin", []string{"identities:write"})
	ask := func(change map[string]any) map[string]any {
		body := map[string]any{
			"name":          "child",
			"role":          "admin",
			"scopes":        []string{"identities:read"},
			"allowed_cidrs": []string{"127.0.0.1"},
		}
		for name, value := range change {
			body[name] = value
		}
		return body
	}
	for _, tt := range []struct {
		name, method, path string
		body               any
		status             int
		code, at           string
	}{
		{"more scopes", "POST", "/api-tokens",
			ask(map[string]any{"scopes": []string{"identities:read", "identities:write"}}), 403, "exceeds_own_rights",
			"#/scopes/1"},
		{"more networks", "POST", "/api-tokens", ask(map[string]any{"allowed_cidrs": []string{}}), 403,
			"exceeds_own_rights", "#/allowed_cidrs"},
		{"more time", "POST", "/api-tokens", ask(map[string]any{"expires_at": time.Now().AddDate(0, 11, 0)}), 403,
			"exceeds_own_rights", "#/expires_at"},
		{"a higher rate", "POST", "/api-tokens", ask(map[string]any{"rate_limit": map[string]any{"rps": 5000}}), 403,
			"exceeds_own_rights", "#/rate_limit"},
		{"another's rights by rotating it", "POST", "/api-tokens/" + wide + "/rotate", nil, 403, "exceeds_own_rights",
			"#/scopes/0 #/allowed_cidrs"},
		{"its networks loosened", "PATCH", "/api-tokens/" + id, map[string]any{"allowed_cidrs": []string{}}, 403,
			"forbidden", ""},
		{"its rate raised", "PATCH", "/api-tokens/" + id,
			map[string]any{"rate_limit": map[string]any{"rps": 5000, "burst": 10}}, 403, "forbidden", ""},
		{"a user", "POST", "/users", map[string]any{"email": "me@acme.test", "roles": []string{"admin"}}, 403,
			"forbidden", ""},
		{"a link for a user", "POST", "/users/" + colleague + "/invite", nil, 403, "forbidden", ""},
		{"a second factor less", "POST", "/users/" + colleague + "/mfa/reset", nil, 403, "forbidden", ""},
		{"an admin", "PATCH", "/users/" + colleague, map[string]any{"roles": []string{"admin", "manager"}}, 403,
			"forbidden", ""},
		{"another address", "PATCH", "/users/" + colleague, map[string]any{"email": "me@acme.test"}, 403, "forbidden",
			""},
		{"another person", "PATCH", "/users/" + colleague, map[string]any{"identity_id": boss}, 403, "forbidden", ""},
		{"a user less", "DELETE", "/users/" + colleague, nil, 403, "forbidden", ""},
		{"a provider of its own", "POST", "/identity-providers", map[string]any{}, 403, "forbidden", ""},
	} {
		r := s.as(token, tt.method, "/settings"+tt.path, tt.body).is(t, tt.name, tt.status, tt.code)
		if r.at() != tt.at {
			t.Errorf("%s: wrong at %q; want %q", tt.name, r.at(), tt.at)
		}
	}
	child := s.as(token, "POST", "/settings/api-tokens", ask(nil)).is(t, "a lesser token", 201, "")
	created, _ := child.body["created_by"].(map[string]any)
	if child.text("made_by_token_id") != id || created["id"] != admin {
		t.Errorf("the lesser token stands on %v and was made by %s", created, child.text("made_by_token_id"))
	}
	s.as(child.text("token"), "GET", "/identities", nil).is(t, "the lesser token", 200, "")
	s.as(token, "PATCH", "/settings/users/"+colleague, map[string]any{"enabled": false}).
		is(t, "disabling somebody", 200, "")
	s.as(token, "PATCH", "/settings/users/"+colleague, map[string]any{"enabled": true}).
		is(t, "enabling somebody", 403, "forbidden")
	s.as(s.token, "DELETE", "/settings/api-tokens/"+id, nil).is(t, "revoking it", 204, "")
	for name, dead := range map[string]string{"it": token, "what it made": child.text("token")} {
		s.as(dead, "GET", "/identities", nil).is(t, name, 401, "token_revoked")
	}
}

func TestWhatIsWrongWithATokenIsSaid(t *testing.T) {
	s := newSite(t)
	id, token := s.integration("admin", []string{"identities:read"})
	ask := func(change string) string {
		body := map[string]any{"name": "x", "role": "admin", "scopes": []string{"identities:read"}}
		var more map[string]any
		if err := json.Unmarshal([]byte(change), &more); err != nil {
			t.Fatal(err)
		}
		for name, value := range more {
			body[name] = value
		}
		b, _ := json.Marshal(body)
		return string(b)
	}
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		code, at                 string
	}{
		{"an unknown scope", "POST", "", ask(`{"scopes":["identities:read","identities:admin","*"]}`), 422,
			"validation_failed", "#/scopes/1 #/scopes/2"},
		{"no scope", "POST", "", ask(`{"scopes":[]}`), 422, "validation_failed", "#/scopes"},
		{"an unknown role", "POST", "", ask(`{"role":"root"}`), 422, "validation_failed", "#/role"},
		{"a manager without an identity", "POST", "", ask(`{"role":"manager"}`), 422, "validation_failed",
			"#/bound_identity_id"},
		{"an identity of nobody", "POST", "", ask(`{"bound_identity_id":"` + uuid.NewString() + `"}`), 422,
			"validation_failed", "#/bound_identity_id"},
		{"too high a rate", "POST", "", ask(`{"rate_limit":{"rps":10001}}`), 422, "validation_failed",
			"#/rate_limit/rps"},
		{"its own secret", "POST", "", ask(`{"token":"x"}`), 422, "unknown_field", "#/token"},
		{"its own state", "POST", "", ask(`{"state":"active"}`), 422, "unknown_field", "#/state"},
		{"its maker", "POST", "", ask(`{"created_by":"` + uuid.NewString() + `"}`), 422, "read_only_field",
			"#/created_by"},
		{"more scopes later", "PATCH", "/" + id, `{"scopes":["users:write"]}`, 422, "unknown_field", "#/scopes"},
		{"another role later", "PATCH", "/" + id, `{"role":"admin"}`, 422, "unknown_field", "#/role"},
		{"a longer life later", "PATCH", "/" + id, `{"expires_at":"2099-01-01T00:00:00Z"}`, 422, "unknown_field",
			"#/expires_at"},
		{"no name", "PATCH", "/" + id, `{"name":null}`, 422, "validation_failed", "#/name"},
		{"neither on nor off", "PATCH", "/" + id, `{"enabled":null}`, 422, "validation_failed", "#/enabled"},
		{"no id", "GET", "/export", "", 404, "not_found", ""},
	} {
		r := s.as(s.token, tt.method, "/settings/api-tokens"+tt.path, tt.body).is(t, tt.name, tt.status, tt.code)
		if r.at() != tt.at {
			t.Errorf("%s: wrong at %q; want %q", tt.name, r.at(), tt.at)
		}
	}
	s.call("PATCH", "/settings/api-tokens/"+id, map[string]any{"enabled": false}, 200)
	s.as(token, "GET", "/identities", nil).is(t, "once disabled", 401, "token_revoked")
	on := s.call(
		"PATCH",
		"/settings/api-tokens/"+id,
		map[string]any{"enabled": true, "rate_limit": map[string]any{"rps": 200}},
		200,
	)
	if on["state"] != "active" || !cmp.Equal(on["rate_limit"], any(map[string]any{"rps": 200.0, "burst": 400.0})) {
		t.Errorf("once enabled: %v", on)
	}
	off := s.as(s.token, "PATCH", "/settings/api-tokens/"+id, `{"rate_limit":null}`).is(t, "the usual rate", 200, "")
	if off.body["rate_limit"] != nil {
		t.Errorf("the rate is still %v", off.body["rate_limit"])
	}
	s.as(token, "GET", "/identities", nil).is(t, "once enabled", 200, "")
	s.call("DELETE", "/settings/api-tokens/"+id, nil, 204)
	s.call("DELETE", "/settings/api-tokens/"+id, nil, 204)
	s.as(s.token, "PATCH", "/settings/api-tokens/"+id, `{"enabled":true}`).
		is(t, "a revoked token enabled", 409, "token_over")
	want := []string{
		"api_token.created",
		"api_token.disabled",
		"api_token.enabled",
		"api_token.updated",
		"api_token.revoked",
	}
	if diff := cmp.Diff(
		want,
		s.told(`select action from audit_event where subject_id = $1 order by seq`, id),
	); diff != "" {
		t.Errorf("audited -want +got\n%s", diff)
	}
}

func TestStatesAreFilteredAsTheyAreShown(t *testing.T) {
	s := newSite(t)
	id, _ := s.user("other@acme.test", "", "admin")
	for name, change := range map[string]string{
		"active": `name = 'active'`, "revoked": `revoked_at = now()`,
		"expired":    `expires_at = now() - interval '1 hour'`,
		"overlapped": `rotation_overlap_until = now() - interval '1 hour'`,
		"off":        `disabled_at = now(), disabled_reason = 'administrator'`,
		"idle":       `awake_since = now() - interval '61 days'`, "orphaned": `created_by = '` + id + `'`,
		"expiring": `expires_at = now() + interval '6 days'`,
	} {
		token, _ := s.integration("auditor", []string{"identities:read"}, "name", name)
		s.run(`update api_token set `+change+` where id = $1`, token)
	}
	s.call("PATCH", "/settings/users/"+id, map[string]any{"roles": []string{"manager"}}, 200)
	for state, want := range map[string][]string{
		"active": {"active"}, "revoked": {"revoked"}, "expired": {"expired", "overlapped"},
		"disabled": {"idle", "off", "orphaned"}, "expiring": {"expiring"},
		"active,expiring": {"active", "expiring"},
	} {
		list := s.as(s.token, "GET", "/settings/api-tokens?state="+state, nil).is(t, state, 200, "")
		if diff := cmp.Diff(want, list.column("name")); diff != "" {
			t.Errorf("%s: -want +got\n%s", state, diff)
		}
		for _, shown := range list.column("state") {
			if !slices.Contains(strings.Split(state, ","), shown) {
				t.Errorf("%s: shown as %s", state, shown)
			}
		}
	}
	for _, sort := range []string{"name", "-name", "created_at", "expires_at", "-last_used_at"} {
		whole := s.as(s.token, "GET", "/settings/api-tokens?sort="+sort, nil).is(t, sort, 200, "")
		first := s.as(s.token, "GET", "/settings/api-tokens?limit=5&sort="+sort, nil)
		rest := s.as(s.token, "GET", "/settings/api-tokens?limit=5&sort="+sort+"&cursor="+first.text("next_cursor"),
			nil).
			is(t, sort, 200, "")
		if diff := cmp.Diff(
			whole.body["items"],
			any(append(first.body["items"].([]any), rest.body["items"].([]any)...)),
		); diff != "" {
			t.Errorf("%s: by cursor -whole +walked\n%s", sort, diff)
		}
	}
}

func TestEveryOperationBelongsToAScopeOrIsClosedToTokens(t *testing.T) {
	s := newSite(t)
	var described struct {
		Paths map[string]map[string]struct{ Security []any } `json:"paths"`
	}
	if err := json.Unmarshal([]byte(s.get("/openapi.json", "")), &described); err != nil {
		t.Fatal(err)
	}
	opened := map[string]string{}
	for _, item := range s.call("GET", "/settings/api-tokens/scopes", nil, 200)["items"].([]any) {
		scope := item.(map[string]any)
		for _, o := range scope["operations"].([]any) {
			opened[o.(string)] = scope["scope"].(string)
		}
	}
	// Sign-in is for people, agents have tokens of their own, and the deployment is beyond every tenant's reach. Who
	// may sign in, and how, no token decides; the audit log is read and not written; and whoever has ids finds nobody
	// by name.
	closed := []string{
		"/api/v1/decision-tasks/{id}/colleagues",
		"/api/v1/decision-tasks/delegations/colleagues",
		"/api/v1/auth",
		"/api/v1/agent/",
		"/api/v1/control-plane",
		"/api/v1/settings/identity-providers",
		"/api/v1/audit-events",
	}
	// What decides where secrets and the log go is for administrators who have signed in; tokens read it.
	signedIn := []string{
		"POST /api/v1/settings/agents/{id}/enroll",
		"PATCH /api/v1/settings/notifications",
		"POST /api/v1/settings/notifications/test",
		"GET /api/v1/settings/notifications/me",
		"PATCH /api/v1/settings/notifications/me",
		"POST /api/v1/settings/audit-streams",
		"PATCH /api/v1/settings/audit-streams/{id}",
		"DELETE /api/v1/settings/audit-streams/{id}",
		"POST /api/v1/settings/audit-streams/{id}/test",
		"POST /api/v1/settings/sign-in-rules",
		"POST /api/v1/settings/sign-in-rules/preview",
		"PATCH /api/v1/settings/sign-in-rules/{id}",
		"DELETE /api/v1/settings/sign-in-rules/{id}",
		"POST /api/v1/settings/sign-in-rules/{id}/accept",
	}
	tried, kept := 0, 0
	for path, operations := range described.Paths {
		for method := range operations {
			name := strings.ToUpper(method) + " " + path
			if opened[name] != "" {
				tried++
				if slices.Contains(signedIn, name) {
					t.Errorf("%s belongs to the scope %s and is for people alone", name, opened[name])
				}
				continue
			}
			if slices.Contains(signedIn, name) {
				kept++
				continue
			}
			if !slices.ContainsFunc(closed, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
				t.Errorf("%s belongs to no scope", name)
			}
		}
	}
	for operation, want := range map[string]string{
		"GET /api/v1/entitlements/grants": "entitlements:read", "POST /api/v1/settings/agents": "agents:write",
		"GET /api/v1/settings/users":              "users:read",
		"DELETE /api/v1/settings/api-tokens/{id}": "tokens:write", "PUT /api/v1/settings/orphans": "settings:write",
		"POST /api/v1/connectors/{id}/sync": "connectors:write",
	} {
		if opened[operation] != want {
			t.Errorf("%s belongs to %q; want %s", operation, opened[operation], want)
		}
	}
	if kept != len(signedIn) {
		t.Errorf("%d of %d operations for people alone are there", kept, len(signedIn))
	}
	if tried < 60 {
		t.Errorf("only %d operations belong to a scope", tried)
	}
}

func TestATokenOfOneTenantIsNothingInAnother(t *testing.T) {
	s := newSite(t)
	id, token := s.integration("admin", []string{"tokens:read", "users:read"})
	user, _ := s.user("other@acme.test", "", "manager")
	if _, err := (tenant.Bootstrap{Slug: "beta", Name: "Beta", AdminEmail: "b@beta.test", AdminPassword: password}).Run(
		t.Context(),
		s.db,
	); err != nil {
		t.Fatal(err)
	}
	beta := s.as("", "POST", "/auth/login", map[string]any{"email": "b@beta.test", "password": password}).
		is(t, "signing in to beta", 200, "").
		text("access_token")
	for _, tt := range []struct{ method, path string }{
		{"GET", "/settings/api-tokens/" + id}, {"PATCH", "/settings/api-tokens/" + id},
		{"DELETE", "/settings/api-tokens/" + id}, {"POST", "/settings/api-tokens/" + id + "/rotate"},
		{"GET", "/settings/users/" + user}, {"PATCH", "/settings/users/" + user}, {"DELETE", "/settings/users/" + user},
		{"POST", "/settings/users/" + user + "/invite"},
		{"POST", "/settings/users/" + user + "/sessions/revoke"}, {"POST", "/settings/users/" + user + "/mfa/reset"},
	} {
		var body any
		if tt.method == "PATCH" {
			body = map[string]any{"enabled": false}
		}
		s.as(beta, tt.method, tt.path, body).is(t, tt.method+" "+tt.path+" from beta", 404, "not_found")
	}
	if list := s.as(beta, "GET", "/settings/api-tokens", nil); list.body["total"] != float64(0) {
		t.Errorf("beta has %v tokens; want none", list.body["total"])
	}
	identity := s.person("boss", "")
	s.as(beta, "POST", "/settings/users", map[string]any{"email": "x@beta.test", "identity_id": identity}).
		is(t, "an identity of acme in beta", 422, "validation_failed")
	s.as(token, "GET", "/settings/api-tokens/"+id, nil).is(t, "at home", 200, "")
}

func TestARevokedTokenIsDeadInEveryProcessWithinFiveSeconds(t *testing.T) {
	s := newSite(t)
	ring, err := seal.New(bytes.Repeat([]byte("k3"), 16))
	if err != nil {
		t.Fatal(err)
	}
	c := testConfig()
	c.EgressCIDRs = []string{"127.0.0.0/8"}
	second, err := app.New(t.Context(), c, "test", s.db, ring, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(second.API.Router)
	t.Cleanup(server.Close)
	elsewhere := *s
	elsewhere.url = server.URL // its workers do not run: it hears of nothing, and forgets by itself
	colleague, theirs := s.user("colleague@acme.test", "", "admin")
	mine := s.token
	s.token = theirs
	revoked, first := s.integration("admin", []string{"identities:read"})
	_, orphaned := s.integration("admin", []string{"identities:read"})
	s.token = mine
	for _, token := range []string{first, orphaned, theirs} {
		elsewhere.as(token, "GET", "/identities", nil).is(t, "before", 200, "")
	}
	for _, tt := range []struct {
		what, token string
		end         func()
	}{
		{"revoked token", first, func() { s.call("DELETE", "/settings/api-tokens/"+revoked, nil, 204) }},
		{"token of a leaver", orphaned, func() {
			s.call("PATCH", "/settings/users/"+colleague,
				map[string]any{"enabled": false}, 200)
		}},
		{"session of a leaver", theirs, func() {}},
	} {
		tt.end()
		for began := time.Now(); elsewhere.as(tt.token, "GET", "/identities",
			nil).status != 401; time.Sleep(50 * time.Millisecond) {
			if time.Since(began) > 5*time.Second {
				t.Fatalf("the %s still works after five seconds", tt.what)
			}
		}
	}
}
