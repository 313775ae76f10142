package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// estate is a site with an operator in a tenant of its own beside the site's tenant acme.
type estate struct {
	*site
	home     string // id of the operator's tenant
	operator string // token
	auditor  string // token of an operator who may only read
}

const tenantsPath = "/api/v1/control-plane/tenants"

func newEstate(t *testing.T) *estate {
	t.Helper()
	s := newSite(t)
	e := &estate{site: s}
	made, err := tenant.Bootstrap{
		Slug:              "main",
		Name:              "Main",
		AdminEmail:        "op@main.test",
		AdminPassword:     password,
		ControlPlaneAdmin: true,
	}.Run(
		t.Context(),
		s.db,
	)
	if err != nil {
		t.Fatal(err)
	}
	e.home = made.Tenant.ID
	e.in(e.home, `
		insert into app_user (tenant_id, id, email, roles, control_plane_admin, password_hash, status)
		select tenant_id, gen_random_uuid(), 'watch@main.test', array['auditor'], true, password_hash,
		    'active' from app_user`)
	e.operator, e.auditor = e.signIn("op@main.test"), e.signIn("watch@main.test")
	return e
}

func (e *estate) signIn(email string) string {
	e.t.Helper()
	got := e.send("POST", "/api/v1/auth/login", "", `{"email":"`+email+`","password":"`+password+`"}`)
	token, _ := got.body["access_token"].(string)
	if token == "" {
		e.t.Fatalf("sign in %s: %d %v", email, got.status, got.body)
	}
	return token
}

// in runs a statement in a tenant.
func (e *estate) in(id, sql string, args ...any) {
	e.t.Helper()
	err := e.db.As(context.Background(), viewer.System(id), func(tx *pg.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

// log are a tenant's entries of an action: outcome, path and reason.
func (e *estate) log(id, action string) (entries []string) {
	e.t.Helper()
	err := e.db.As(context.Background(), viewer.System(id), func(tx *pg.Tx) error {
		rows, err := tx.Query(context.Background(), `
			select concat_ws(' ', outcome, event::json -> 'context' ->> 'method', event::json -> 'context' ->> 'path',
			    event::json ->> 'reason', event::json -> 'on_behalf_of_tenant' ->> 'actor_tenant')
			  from audit_event where action = $1 order by seq`, action)
		if err != nil {
			return err
		}
		entries, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return entries
}

type received struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (r received) code() string {
	code, _ := r.body["code"].(string)
	return code
}

func (r received) want(t *testing.T, what string, status int, code string) received {
	t.Helper()
	if r.status != status || (code != "" && r.code() != code) {
		t.Errorf("%s = %d %s; want %d %s (%.300s)", what, r.status, r.code(), status, code, r.raw)
	}
	return r
}

// send makes a request; header are names and values, of which Host is the request's own.
func (s *site) send(method, path, token, body string, header ...string) received {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	out := received{status: res.StatusCode, header: res.Header, raw: string(b)}
	_ = json.NewDecoder(bytes.NewReader(b)).Decode(&out.body)
	return out
}

// within waits until check holds, for the five seconds in which a change must work everywhere.
func within(t *testing.T, what string, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !check(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after five seconds: %s", what)
		}
	}
}

func TestOnlyOperatorsWorkWithTenants(t *testing.T) {
	e := newEstate(t)
	acme := tenantsPath + "/" + e.tenant.Tenant
	for _, op := range [][3]string{
		{"GET", tenantsPath}, {"POST", tenantsPath, `{}`}, {"GET", acme}, {"PATCH", acme, `{"name":""}`},
		{"POST", acme + "/suspend", `{}`},
		{"POST", acme + "/resume"}, {"POST", acme + "/limits", `{}`}, {"POST", acme + "/close", `{}`},
		{"POST", acme + "/reopen"},
	} {
		e.send(op[0], op[1], e.token, op[2]).want(t, op[0]+" "+op[1]+" as a tenant's admin", 403, "forbidden")
		if op[0] == "GET" {
			e.send(op[0], op[1], e.auditor, "").want(t, op[0]+" "+op[1]+" as an operator who reads", 200, "")
		} else {
			e.send(op[0], op[1], e.auditor, op[2]).
				want(t, op[0]+" "+op[1]+" as an operator who reads", 403, "read_only_role")
			e.send(op[0], op[1], e.auditor, op[2], "X-Tenant-Id", e.tenant.Tenant).
				want(t, op[0]+" "+op[1]+" as an operator who reads, from another tenant", 403, "read_only_role")
		}
	}
	if len(e.log(e.tenant.Tenant, "tenant.suspended")) != 0 {
		t.Error("somebody suspended the tenant")
	}
}

func TestAnOperatorFoundsATenantWhoseAdminComesInByALink(t *testing.T) {
	e := newEstate(t)
	body := `{"slug":"beta","name":"Beta Ltd","region":"eu","admin_email":"b@beta.test","admin_display_name":"Bea","limits":{"rps":7},"settings":{"timezone":"Europe/Zurich"}}`
	for _, tt := range []struct{ name, body, code string }{
		{"an unknown sector pack", strings.Replace(body, `"region"`, `"sector_packs":["baseline","hospital"],"region"`,
			1), "unknown_sector_pack"},
		{"a slug with capitals", strings.Replace(body, "beta", "Beta", 1), "validation_failed"},
		{"no e-mail address", strings.Replace(body, "b@beta.test", "Bea <b@beta.test>", 1), "validation_failed"},
		{"an unknown time zone", strings.Replace(body, "Europe/Zurich", "Mars/Base", 1), "validation_failed"},
		{"a password", strings.Replace(body, `"region"`, `"admin_password":"x","region"`, 1), "unknown_field"},
		{"a status", strings.Replace(body, `"region"`, `"status":"active","region"`, 1), "read_only_field"},
		{"a rate of nothing", strings.Replace(body, `"rps":7`, `"rps":0`, 1), "validation_failed"},
	} {
		e.send("POST", tenantsPath, e.operator, tt.body).want(t, tt.name, 422, tt.code)
	}
	made := e.send("POST", tenantsPath, e.operator, strings.Replace(body, `"region"`, `"sector_packs":[],"region"`, 1)).
		want(t, "found", 201, "")
	id, _ := made.body["id"].(string)
	if made.header.Get("Location") != tenantsPath+"/"+id || made.header.Get("ETag") == "" ||
		made.body["base_url"] != "https://beta.iga.example.com:8080" {
		t.Errorf(
			"Location %q, ETag %q, base_url %v",
			made.header.Get("Location"),
			made.header.Get("ETag"),
			made.body["base_url"],
		)
	}
	e.send("POST", tenantsPath, e.operator, body).want(t, "the same slug again", 409, "tenant_exists")

	link := made.body["admin"].(map[string]any)["sign_in_token"].(string)
	in := e.send("POST", "/api/v1/auth/sign-in-link", "", `{"token":"`+link+`","password":"a passphrase of Bea's"}`).
		want(t, "the link", 200, "")
	token, _ := in.body["access_token"].(string)
	own := e.send("GET", "/api/v1/settings/tenant", token, "").want(t, "the admin's own tenant", 200, "")
	if own.body["slug"] != "beta" || own.body["settings"].(map[string]any)["timezone"] != "Europe/Zurich" ||
		own.body["limits"].(map[string]any)["rps"] != 7.0 {
		t.Errorf("own tenant = %v", own.body)
	}
	one := e.send("GET", tenantsPath+"/"+id, e.operator, "").want(t, "read", 200, "")
	if counts := one.body["counts"].(map[string]any); counts["users"] != 1.0 || counts["identities"] != 0.0 {
		t.Errorf("counts = %v", counts)
	}
	for _, in := range []string{id, e.home} {
		if got := e.log(in, "tenant.bootstrapped"); len(got) != 1 {
			t.Errorf("the log of %s says %q; want one entry", in, got)
		}
	}
	list := e.send("GET", tenantsPath+"?limit=2", e.operator, "").want(t, "list", 200, "")
	next, _ := list.body["next_cursor"].(string)
	if list.body["total"] != 3.0 || next == "" {
		t.Errorf("list = %v", list.body)
	}
	rest := e.send("GET", tenantsPath+"?limit=2&cursor="+next, e.operator, "").want(t, "list on", 200, "")
	if items := rest.body["items"].([]any); len(items) != 1 || items[0].(map[string]any)["slug"] != "beta" {
		t.Errorf("the rest = %v", rest.body)
	}
	if found := e.send("GET", tenantsPath+"?q=BETA&status=active", e.operator, ""); found.body["total"] != 1.0 {
		t.Errorf("q = %v", found.body)
	}
}

func TestATenantIsChangedByMergePatchAndItsVersion(t *testing.T) {
	e := newEstate(t)
	acme := tenantsPath + "/" + e.tenant.Tenant
	before := e.send("GET", acme, e.operator, "")
	tag := before.header.Get("ETag")
	got := e.send("PATCH", acme, e.operator,
		`{"name":"ACME plc","region":"ch","settings":{"timezone":"Europe/Zurich","notify_operator_access":true}}`,
		"If-Match", tag).
		want(t, "patch", 200, "")
	if got.body["name"] != "ACME plc" || got.body["region"] != "ch" {
		t.Errorf("patched = %v", got.body)
	}
	e.send("PATCH", acme, e.operator, `{"name":"late"}`, "If-Match", tag).
		want(t, "patch with an old ETag", 412, "precondition_failed")
	own := e.send("PATCH", "/api/v1/settings/tenant", e.token, `{"settings":{"timezone":null}}`).
		want(t, "the tenant's own patch", 200, "")
	if settings := own.body["settings"].(map[string]any); settings["timezone"] != "UTC" ||
		settings["notify_operator_access"] != true ||
		own.body["region"] != "ch" {
		t.Errorf("own = %v", own.body)
	}
	e.send("PATCH", "/api/v1/settings/tenant", e.token, `{"region":"us"}`).
		want(t, "a region of one's own", 422, "unknown_field")
	e.send("PATCH", "/api/v1/settings/tenant", e.token, `{"limits":{"rps":9999}}`).
		want(t, "limits of one's own", 422, "unknown_field")
	e.send("GET", tenantsPath+"/01a1f99f-1d39-767a-8283-ef45f2482195", e.operator, "").
		want(t, "an unknown tenant", 404, "not_found")
	e.send("GET", tenantsPath+"/acme", e.operator, "").want(t, "a slug for an id", 404, "not_found")
	if got := e.log(e.tenant.Tenant, "tenant.updated"); len(got) != 2 {
		t.Errorf("acme's log says %q; want two changes", got)
	}
	if got := e.log(e.home, "tenant.updated"); len(got) != 1 {
		t.Errorf("the operator's log says %q; want one change", got)
	}
}

func TestASuspendedTenantLetsNobodyInUntilItIsResumed(t *testing.T) {
	e := newEstate(t)
	acme := tenantsPath + "/" + e.tenant.Tenant
	agent := e.agentToken()
	e.send("POST", tenantsPath+"/"+e.home+"/suspend", e.operator, `{"reason":"x"}`).
		want(t, "one's own tenant", 409, "own_tenant")
	e.send("POST", acme+"/resume", e.operator, "").want(t, "resume one that is active", 409, "invalid_transition")
	e.send("POST", acme+"/suspend", e.operator, `{"reason":"unpaid"}`).want(t, "suspend", 200, "")
	e.send("POST", acme+"/suspend", e.operator, `{"reason":"unpaid"}`).
		want(t, "suspend twice", 409, "invalid_transition")
	within(
		t,
		"a user's token works",
		func() bool { return e.send("GET", "/api/v1/auth/me", e.token, "").code() == "tenant_suspended" },
	)
	within(
		t,
		"an agent's token works",
		func() bool { return e.send("GET", "/api/v1/agent", agent, "").code() == "tenant_suspended" },
	)
	e.send("POST", "/api/v1/auth/login", "", `{"email":"a@acme.test","password":"`+password+`"}`).
		want(t, "sign in", 403, "tenant_suspended")
	e.send("GET", "/api/v1/identities", e.operator, "", "X-Tenant-Id", e.tenant.Tenant).
		want(t, "an operator's visit", 403, "tenant_suspended")
	if got := e.send(
		"GET",
		acme,
		e.operator,
		"",
	); got.body["status"] != "suspended" ||
		got.body["status_reason"] != "unpaid" {
		t.Errorf("suspended = %v", got.body)
	}
	e.send("POST", acme+"/resume", e.operator, "").want(t, "resume", 200, "")
	within(
		t,
		"the token stays refused",
		func() bool { return e.send("GET", "/api/v1/auth/me", e.token, "").status == 200 },
	)
	for _, in := range []string{e.tenant.Tenant, e.home} {
		if got := e.log(in, "tenant.suspended"); len(got) != 1 || !strings.Contains(got[0], "unpaid") {
			t.Errorf("the log of %s says %q", in, got)
		}
	}
}

func TestAClosedTenantIsErasedAfterItsGraceAndCanBeOpenedBefore(t *testing.T) {
	e := newEstate(t)
	acme := tenantsPath + "/" + e.tenant.Tenant
	for _, tt := range [][2]string{
		{"another slug", `{"confirm":"main","reason":"x"}`}, {"no reason", `{"confirm":"acme"}`},
		{"a grace of years", `{"confirm":"acme","reason":"x","grace":"P400D"}`},
		{"a grace in words", `{"confirm":"acme","reason":"x","grace":"a month"}`},
		{"a grace of months", `{"confirm":"acme","reason":"x","grace":"P1M"}`},
	} {
		e.send("POST", acme+"/close", e.operator, tt[1]).want(t, tt[0], 422, "")
	}
	e.send("POST", tenantsPath+"/"+e.home+"/close", e.operator, `{"confirm":"main","reason":"x"}`).
		want(t, "one's own tenant", 409, "own_tenant")
	closed := e.send("POST", acme+"/close", e.operator, `{"confirm":"acme","reason":"contract ended"}`).
		want(t, "close", 200, "")
	end, err := time.Parse(time.RFC3339, closed.body["purge_after"].(string))
	if left := time.Until(end); err != nil || left < 29*24*time.Hour || left > 31*24*time.Hour {
		t.Errorf("purge_after = %v, %v; want in 30 days", end, err)
	}
	within(
		t,
		"the token works",
		func() bool { return e.send("GET", "/api/v1/auth/me", e.token, "").code() == "tenant_suspended" },
	)
	e.send("POST", acme+"/suspend", e.operator, `{"reason":"x"}`).
		want(t, "suspend a closing one", 409, "invalid_transition")
	e.send("POST", acme+"/reopen", e.operator, "").want(t, "reopen", 200, "")
	within(
		t,
		"the token stays refused",
		func() bool { return e.send("GET", "/api/v1/auth/me", e.token, "").status == 200 },
	)

	e.send("POST", acme+"/close", e.operator, `{"confirm":"acme","reason":"contract ended","grace":"PT0S"}`).
		want(t, "close at once", 200, "")
	e.send("POST", acme+"/reopen", e.operator, "").want(t, "reopen after the grace", 409, "tenant_erased")
	for deadline := time.Now().Add(time.Minute); e.send("GET", acme, e.operator,
		"").status != 404; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the tenant is not erased")
		}
	}
	within(t, "the token works", func() bool { return e.send("GET", "/api/v1/auth/me", e.token, "").status == 401 })
	if got := e.log(e.home, "tenant.erased"); len(got) != 1 || !strings.Contains(got[0], "contract ended") {
		t.Errorf("the operator's log says %q", got)
	}
	again := e.send("POST", tenantsPath, e.operator, `{"slug":"acme","name":"Acme","admin_email":"a@acme.test"}`).
		want(t, "the slug again", 201, "")
	if again.body["id"] == e.tenant.Tenant {
		t.Error("the id was used again")
	}
}
