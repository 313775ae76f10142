package app_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// operation is one of the API, with its row of permitted.
type operation struct{ method, path, who, family string }

func (o operation) String() string { return o.method + " " + o.path }

// reads reports whether the operation changes nothing.
func (o operation) reads() bool { return o.method == http.MethodGet }

// last is not empty for what ends all sessions of whoever asks, which is tried when all else was.
func (o operation) last() string {
	if o.path == "/auth/logout-all" {
		return "last"
	}
	return ""
}

// scope is what a service token needs.
func (o operation) scope() string {
	if o.reads() {
		return o.family + ":read"
	}
	return o.family + ":write"
}

// operations are all that the API describes. Each must have its row in permitted, and each row its operation.
func (s *site) operations() (all []operation) {
	s.t.Helper()
	rows := map[string]operation{}
	for _, line := range strings.Split(strings.TrimSpace(permitted), "\n") {
		f := strings.Fields(line)
		o := operation{f[0], f[1], f[2], f[3]}
		rows[o.String()] = o
	}
	for path, methods := range s.described() {
		for method := range methods {
			name := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")
			o, known := rows[name]
			if !known {
				s.t.Errorf("%s has no row in the table of who may call it", name)
				continue
			}
			delete(rows, name)
			all = append(all, o)
		}
	}
	for name := range rows {
		s.t.Errorf("%s has a row and does not exist", name)
	}
	slices.SortFunc(all, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.last(), b.last()), strings.Compare(a.String(), b.String()))
	})
	return all
}

// described are the operations of /openapi.json by path and method.
func (s *site) described() map[string]map[string]map[string]any {
	s.t.Helper()
	var d struct {
		Paths map[string]map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(s.get("/openapi.json", "")), &d); err != nil {
		s.t.Fatal(err)
	}
	return d.Paths
}

// caller is somebody with a token, and what becomes of them at an operation: 0 stands for anything but 401, 403 and a
// fault of ours.
type caller struct {
	name  string
	token func(o operation) string
	want  func(o operation) int
	code  string // of the refusal, where there is one for all operations
}

func TestEveryOperationLetsInWhomItIsForAndNobodyElse(t *testing.T) {
	m := matrix{newEstate(t)}
	callers := slices.Concat(m.strangers(), m.suspended(), m.people(), m.integrations())
	operations := m.operations()
	for _, c := range callers {
		client := from(m.t)
		for _, o := range operations {
			if o.who == "open" || o.who == "presents" && c.want(o) == 0 {
				continue
			}
			res := m.ask(client, o, c.token(o))
			want := c.want(o)
			if want != 0 && res.status != want ||
				want == 0 && (res.status == 401 || res.status == 403 || res.status >= 500) {
				t.Errorf("%s as %s = %d %s; want %s", o, c.name, res.status, res.code(), wanted(want))
			}
			if code := c.refusal(o); want != 0 && code != "" && res.code() != code {
				t.Errorf("%s as %s is refused with %s; want %s", o, c.name, res.code(), code)
			}
		}
	}
	if len(operations) < 100 || len(callers) < 25 {
		t.Errorf("%d operations and %d callers are not all", len(operations), len(callers))
	}
}

// refusal is the code that a refusal has, empty where it may be any.
func (c caller) refusal(o operation) string {
	switch {
	case o.who == "presents", c.code == "read_only_role" && (o.reads() || strings.HasPrefix(o.path, "/auth/")):
		return ""
	}
	return c.code
}

func wanted(status int) string {
	if status == 0 {
		return "to be let in"
	}
	return fmt.Sprint(status)
}

// matrix is a site with a user of every kind.
type matrix struct{ *estate }

// strangers have no token that is good here.
func (m matrix) strangers() []caller {
	m.t.Helper()
	made, err := tenant.Bootstrap{
		Slug:          "other",
		Name:          "Other",
		AdminEmail:    "a@other.test",
		AdminPassword: password,
	}.Run(
		m.t.Context(),
		m.db,
	)
	if err != nil {
		m.t.Fatal(err)
	}
	tx := &pg.Tx{Viewer: viewer.System(made.Tenant.ID)}
	expired, err := m.app.Auth.IssueServiceToken(
		m.t.Context(),
		tx,
		bearer.ServiceClaims{TokenID: uuid.NewString(), ID: uuid.NewString(), ExpiresAt: time.Now().Add(-time.Minute)},
	)
	if err != nil {
		m.t.Fatal(err)
	}
	enroll, _, err := m.app.Auth.IssueEnrollToken(m.t.Context(), tx, uuid.NewString())
	if err != nil {
		m.t.Fatal(err)
	}
	in := m.call("POST", "/auth/login", map[string]any{"email": "a@acme.test", "password": password}, 200)
	revoked, refresh := in["access_token"].(string), in["refresh_token"].(string)
	m.as(revoked, "POST", "/auth/logout", nil).is(m.t, "sign out", 204, "")
	other := m.signIn("a@other.test")
	kinds := []struct{ name, token, code string }{
		{
			"nobody",
			"",
			"authentication_required",
		},
		{"garbage", "x.y.z", "invalid_token"},
		{"a token cut short", m.token[:len(m.token)-3], "invalid_token"},
		{
			"a token changed by a letter",
			swapped(other),
			"invalid_token",
		},
		{"an expired token", expired, "token_expired"},
		{"a revoked token", revoked, "token_revoked"},
		{"a refresh token", refresh, "invalid_token"},
		{"an agent's token", m.agentToken(), "invalid_token"},
		{"an enrolment token", enroll, "invalid_token"},
		{
			"a user who was disabled",
			m.disabled(),
			"token_revoked",
		},
		{"a user who was deleted", m.deleted(), "token_revoked"},
		{"a service token that was revoked", m.withdrawn(), "token_revoked"},
	}
	var all []caller
	for _, kind := range kinds {
		all = append(all, caller{kind.name, func(operation) string { return kind.token }, func(o operation) int {
			if o.who == "presents" && kind.name != "nobody" && kind.name != "garbage" {
				return 0 // whether it is the right one is the operation's own test
			}
			return http.StatusUnauthorized
		}, kind.code})
	}
	return all
}

// disabled was an admin until a moment ago.
func (m matrix) disabled() string {
	m.t.Helper()
	id, token := m.user("disabled@acme.test", "", "admin")
	m.call("PATCH", "/settings/users/"+id, map[string]any{"enabled": false}, 200)
	return token
}

// deleted was an admin until a moment ago.
func (m matrix) deleted() string {
	m.t.Helper()
	id, token := m.user("deleted@acme.test", "", "admin")
	m.as(m.token, "DELETE", "/settings/users/"+id, nil).is(m.t, "delete a user", 204, "")
	return token
}

// withdrawn was good for everything until a moment ago.
func (m matrix) withdrawn() string {
	m.t.Helper()
	id, token := m.integration("admin", m.scopes())
	m.as(m.token, "DELETE", "/settings/api-tokens/"+id, nil).is(m.t, "revoke a service token", 204, "")
	return token
}

// scopes are all there are.
func (m matrix) scopes() []string {
	m.t.Helper()
	return m.as(m.token, "GET", "/settings/api-tokens/scopes", nil).is(m.t, "scopes", 200, "").column("scope")
}

// suspended are an admin and a service token of a tenant that stands still.
func (m matrix) suspended() (all []caller) {
	m.t.Helper()
	made, err := tenant.Bootstrap{
		Slug:          "still",
		Name:          "Still",
		AdminEmail:    "a@still.test",
		AdminPassword: password,
	}.Run(
		m.t.Context(),
		m.db,
	)
	if err != nil {
		m.t.Fatal(err)
	}
	admin, own := m.signIn("a@still.test"), m.token
	m.token = admin
	_, integration := m.integration("admin", m.scopes())
	m.token = own
	m.send("POST", tenantsPath+"/"+made.Tenant.ID+"/suspend", m.operator, `{"reason":"unpaid"}`).
		want(m.t, "suspend", 200, "")
	for name, token := range map[string]string{"the admin of a suspended tenant": admin,
		"a service token of a suspended tenant": integration} {
		all = append(all, caller{name, func(operation) string { return token }, func(o operation) int {
			if o.who == "presents" {
				return http.StatusUnauthorized
			}
			return http.StatusForbidden
		}, "tenant_suspended"})
	}
	return all
}

// swapped changes a letter of what the token says, and leaves its signature.
func swapped(token string) string {
	parts := strings.Split(token, ".")
	at, letter := len(parts[1])/2, byte('A')
	if parts[1][at] == letter {
		letter = 'B'
	}
	parts[1] = parts[1][:at] + string(letter) + parts[1][at+1:]
	return strings.Join(parts, ".")
}

// people are users of every role, who all see nothing of the ids that are asked for.
func (m matrix) people() []caller {
	m.t.Helper()
	boss := m.person("boss", "")
	all := []caller{}
	add := func(name, token, email string, roles ...viewer.Role) {
		code := ""
		if name == "an auditor" {
			code = "read_only_role"
		}
		all = append(all, caller{name, func(o operation) string {
			if o.path == "/auth/logout" {
				return m.signIn(email) // which ends this session
			}
			return token
		}, func(o operation) int { return verdict(o, name == "an operator", roles...) }, code})
	}
	for _, p := range []struct {
		name  string
		roles []viewer.Role
	}{
		{"somebody without a role", nil}, {"a manager", []viewer.Role{viewer.Manager}},
		{"a resource owner", []viewer.Role{viewer.ResourceOwner}},
		{"an owner who manages", []viewer.Role{viewer.ResourceOwner, viewer.Manager}},
		{"an auditor", []viewer.Role{viewer.Auditor}},
		{"an auditor who manages", []viewer.Role{viewer.Auditor, viewer.Manager}},
	} {
		identity, names := "", []string{}
		for _, r := range p.roles {
			names = append(names, string(r))
		}
		if p.name == "a manager" {
			identity = boss
		}
		email := strings.ReplaceAll(p.name, " ", ".") + "@acme.test"
		_, token := m.user(email, identity, names...)
		add(p.name, token, email, p.roles...)
	}
	_, admin := m.user("admin@acme.test", "", "admin")
	add("an admin", admin, "admin@acme.test", viewer.Admin)
	add("the admin of another tenant", m.signIn("a@other.test"), "a@other.test", viewer.Admin)
	add("an operator", m.operator, "op@main.test", viewer.Admin)
	return all
}

// verdict is what becomes of a user with these roles.
func verdict(o operation, operator bool, roles ...viewer.Role) int {
	v := viewer.Viewer{Kind: viewer.User, Roles: roles}
	ok := false
	switch o.who {
	case "everybody":
		ok = !v.OnlyReads() || o.reads() || strings.HasPrefix(o.path, "/auth/")
	case "overseers":
		ok = v.HasAny(viewer.Admin, viewer.Auditor)
	case "managers":
		ok = v.HasAny(viewer.Admin, viewer.Manager)
	case "owners":
		ok = v.HasAny(viewer.Admin, viewer.ResourceOwner)
	case "admins":
		ok = v.Has(viewer.Admin)
	case "operators":
		ok = operator
	case "presents":
		return http.StatusUnauthorized
	}
	if !ok {
		return http.StatusForbidden
	}
	return 0
}

// integrations are service tokens of an admin: with every scope there is, with all but the one that an operation needs,
// and with the rights of an auditor.
func (m matrix) integrations() []caller {
	m.t.Helper()
	scopes := m.scopes()
	_, whole := m.integration("admin", scopes)
	_, watching := m.integration("auditor", scopes)
	_, managing := m.integration("manager", scopes, "bound_identity_id", m.person("head", ""))
	without := map[string]string{}
	lacking := func(o operation) string {
		if without[o.scope()] == "" {
			_, without[o.scope()] = m.integration(
				"admin",
				slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == o.scope() }),
			)
		}
		return without[o.scope()]
	}
	with := map[string]string{}
	alone := func(o operation) string {
		scope := o.scope()
		if !slices.Contains(scopes, scope) {
			scope = "identities:read" // no scope opens this
		}
		if with[scope] == "" {
			_, with[scope] = m.integration("admin", []string{scope})
		}
		return with[scope]
	}
	of := func(roles ...viewer.Role) func(operation) int {
		return func(o operation) int {
			if o.family == "-" && o.who != "presents" {
				return http.StatusForbidden
			}
			return verdict(o, false, roles...)
		}
	}
	return []caller{
		{"a service token with every scope", func(operation) string { return whole }, of(viewer.Admin), ""},
		{
			"an auditor's service token with every scope",
			func(operation) string { return watching },
			of(viewer.Auditor),
			"read_only_role",
		},
		{"a service token with this scope alone", alone, of(viewer.Admin), ""},
		{
			"a manager's service token with every scope",
			func(operation) string { return managing },
			of(viewer.Manager),
			"",
		},
		{"a service token with every scope but this", lacking, func(o operation) int {
			switch {
			case o.who == "presents":
				return http.StatusUnauthorized
			case o.family == "any":
				return 0
			}
			return http.StatusForbidden
		}, ""},
	}
}

// ask calls an operation with ids of nothing and an empty body.
func (m matrix) ask(client *http.Client, o operation, token string) received {
	m.t.Helper()
	for {
		req, err := http.NewRequest(o.method, m.url+"/api/v1"+nowhere.Replace(o.path), strings.NewReader("{}"))
		if err != nil {
			m.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := client.Do(req)
		if err != nil {
			m.t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			m.t.Fatal(err)
		}
		if res.StatusCode == http.StatusTooManyRequests {
			time.Sleep(time.Second)
			continue
		}
		out := received{status: res.StatusCode, header: res.Header, raw: string(b)}
		_ = json.Unmarshal(b, &out.body)
		return out
	}
}

const nothing = "01a1f99f-1d39-767a-8283-ef45f2482195"

// nowhere fills in the ids of a path with those of nothing.
var nowhere = strings.NewReplacer(
	"{id}",
	nothing,
	"{run_id}",
	nothing,
	"{evidence_id}",
	nothing,
	"{delivery_id}",
	nothing,
	"{item_id}",
	nothing,
	"{key}",
	"ldap",
)

var addresses atomic.Uint32

// from is a client that calls from a new address every few calls: whoever tries many tokens that are not valid is told
// to wait.
func from(t *testing.T) *http.Client {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		n := addresses.Add(1)
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 1+byte(n>>8), byte(n), 1)}}
		return d.DialContext(ctx, network, address)
	}
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// agentToken is a valid token of an agent.
func (s *site) agentToken() (token string) {
	s.t.Helper()
	tx := &pg.Tx{Viewer: viewer.System(s.tenant.Tenant)}
	token, _, err := s.app.Auth.IssueAgentToken(
		s.t.Context(),
		tx,
		bearer.AgentClaims{AgentID: nothing, KeyThumb: "x", Epoch: 1},
	)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// get reads a document that is not part of the API.
func (s *site) get(path, token string) string {
	s.t.Helper()
	return s.send("GET", path, token, "").raw
}
