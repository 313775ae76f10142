package app_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestAnOperatorActsInAnotherTenantAndBothLogsSaySoFirst(t *testing.T) {
	e := newEstate(t)
	acme := e.tenant.Tenant
	e.send("POST", "/api/v1/identities", e.token, `{"external_id":"E1","email":"e1@acme.test"}`).
		want(t, "acme's own", 201, "")
	if own := e.send("GET", "/api/v1/identities", e.operator, ""); own.body["total"] != 0.0 {
		t.Errorf("at home the operator sees %v", own.body)
	}
	seen := e.send("GET", "/api/v1/identities?limit=5", e.operator, "", "X-Tenant-Id", acme, "X-Tenant-Reason",
		"ticket 4711").
		want(t, "a read", 200, "")
	if seen.body["total"] != 1.0 || seen.header.Get("X-Tenant-Id") != acme {
		t.Errorf("in acme the operator sees %v as %q", seen.body, seen.header.Get("X-Tenant-Id"))
	}
	e.send("POST", "/api/v1/identities", e.operator, `{"external_id":"E2","email":"e2@acme.test"}`, "X-Tenant-Id",
		strings.ToUpper(acme)).
		want(t, "a write", 201, "")
	if got := e.send("GET", "/api/v1/identities", e.token, ""); got.body["total"] != 2.0 {
		t.Errorf("acme has %v", got.body["total"])
	}
	for _, in := range []string{acme, e.home} {
		from := ""
		if in == acme {
			from = " " + e.home
		}
		got := strings.Join(e.log(in, "tenant.cross_access"), "; ")
		if want := "success GET /api/v1/identities ticket 4711" + from + "; success POST /api/v1/identities" +
			from; got != want {
			t.Errorf("the log of %s says %q; want %q", in, got, want)
		}
	}
	created := e.log(acme, "identity.created")
	if len(created) != 2 || !strings.Contains(created[1], e.home) {
		t.Errorf("what the operator did is recorded as %q; want their tenant in it", created)
	}
}

func TestAnOperatorWhoMayOnlyReadAtHomeOnlyReadsElsewhere(t *testing.T) {
	e := newEstate(t)
	e.send("GET", "/api/v1/identities", e.auditor, "", "X-Tenant-Id", e.tenant.Tenant).want(t, "a read", 200, "")
	e.send("POST", "/api/v1/identities", e.auditor, `{"external_id":"E1","email":"e1@acme.test"}`, "X-Tenant-Id",
		e.tenant.Tenant).
		want(t, "a write", 403, "read_only_role")
}

func TestTheTenantHeaderIsNeverIgnored(t *testing.T) {
	e := newEstate(t)
	acme, path := e.tenant.Tenant, "/api/v1/identities"
	e.send("GET", path, e.token, "", "X-Tenant-Id", acme).want(t, "the own tenant", 200, "")
	e.send("GET", path, e.operator, "", "X-Tenant-Id", e.home).want(t, "the operator's own tenant", 200, "")
	for _, tt := range []struct {
		name, token string
		status      int
		code        string
		header      []string
	}{
		{"an admin names another tenant", e.token, 403, "tenant_override_forbidden", []string{"X-Tenant-Id", e.home}},
		{"an admin names no tenant there is", e.token, 403, "tenant_override_forbidden",
			[]string{"X-Tenant-Id", "01a1f99f-1d39-767a-8283-ef45f2482195"}},
		{"twice", e.operator, 400, "invalid_tenant_header", []string{"X-Tenant-Id", acme, "X-Tenant-Id", acme}},
		{"twice, own first", e.token, 400, "invalid_tenant_header",
			[]string{"X-Tenant-Id", acme, "X-Tenant-Id", e.home}},
		{"empty", e.operator, 400, "invalid_tenant_header", []string{"X-Tenant-Id", ""}},
		{"a slug", e.operator, 400, "invalid_tenant_header", []string{"X-Tenant-Id", "acme"}},
		{"two ids in one", e.operator, 400, "invalid_tenant_header", []string{"X-Tenant-Id", acme + "," + acme}},
		{"a form of UUID that is not ours", e.operator, 400, "invalid_tenant_header",
			[]string{"X-Tenant-Id", "{" + acme + "}"}},
		{"a tenant that there is not", e.operator, 404, "not_found",
			[]string{"X-Tenant-Id", "01a1f99f-1d39-767a-8283-ef45f2482195"}},
		{"a reason that is too long", e.operator, 400, "invalid_tenant_header",
			[]string{"X-Tenant-Id", acme, "X-Tenant-Reason", strings.Repeat("a", 201)}},
		{"two reasons", e.operator, 400, "invalid_tenant_header",
			[]string{"X-Tenant-Id", acme, "X-Tenant-Reason", "a", "X-Tenant-Reason", "b"}},
		{"the operator's sign-in", e.operator, 403, "tenant_override_forbidden",
			[]string{"X-Tenant-Id", acme, "Auth", ""}},
	} {
		at := path
		method := "GET"
		if strings.Contains(tt.name, "sign-in") {
			at, method = "/api/v1/auth/logout", "POST"
		}
		got := e.send(method, at, tt.token, "", tt.header...).want(t, tt.name, tt.status, tt.code)
		if got.body["items"] != nil {
			t.Errorf("%s: data came along", tt.name)
		}
	}
	agent := e.agentToken()
	if got := e.send("GET", "/api/v1/agent", agent, "", "X-Tenant-Id", e.home); got.status/100 != 4 {
		t.Errorf("an agent with the header = %d", got.status)
	}
	if got := e.log(acme, "tenant.cross_access"); len(got) != 1 || !strings.HasPrefix(got[0], "denied") {
		t.Errorf("acme's log says %q; want one refusal a minute", got)
	}
	if got := e.log(e.home, "tenant.cross_access"); len(got) != 0 {
		t.Errorf("the log of a tenant that nobody entered says %q", got)
	}
}

func TestWithoutAnEntryInBothLogsNothingIsReadElsewhere(t *testing.T) {
	for _, blocked := range []string{"target", "home"} {
		t.Run(blocked, func(t *testing.T) {
			e := newEstate(t)
			acme := e.tenant.Tenant
			e.send("POST", "/api/v1/identities", e.token, `{"external_id":"CANARY-1","email":"e1@acme.test"}`).
				want(t, "acme's own", 201, "")
			id := acme
			if blocked == "home" {
				id = e.home
			}
			conn, err := pgx.Connect(context.Background(), e.database.AdminURL)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.Background())
			_, err = conn.Exec(context.Background(), `
				create function no_more() returns trigger language plpgsql as $$ begin raise exception 'blocked'; end $$;
				create trigger no_more before insert on audit_event for each row when (new.tenant_id = '`+id+`') execute function no_more()`)
			if err != nil {
				t.Fatal(err)
			}
			got := e.send("GET", "/api/v1/identities", e.operator, "", "X-Tenant-Id", acme).
				want(t, "a read", 503, "audit_unavailable")
			if strings.Contains(got.raw, "CANARY") {
				t.Error("data came along")
			}
			for _, in := range []string{acme, e.home} {
				if entries := e.log(in, "tenant.cross_access"); len(entries) != 0 {
					t.Errorf("the log of %s says %q; want both or neither", in, entries)
				}
			}
		})
	}
}

func TestWhoIsNoOperatorAnyMoreLeavesOtherTenantsWithinFiveSeconds(t *testing.T) {
	e := newEstate(t)
	visit := func(token string) received {
		return e.send("GET", "/api/v1/identities", token, "", "X-Tenant-Id", e.tenant.Tenant)
	}
	visit(e.operator).want(t, "at first", 200, "")
	e.in(e.home, `update app_user set control_plane_admin = false where email = 'op@main.test'`)
	within(
		t,
		"the former operator still visits",
		func() bool { return visit(e.operator).code() == "tenant_override_forbidden" },
	)
	visit(e.auditor).want(t, "the other operator", 200, "")
	e.in(e.home, `update tenant set status = 'suspended' where id = current_tenant()`)
	within(
		t,
		"operators of a suspended tenant still visit",
		func() bool { return visit(e.auditor).code() == "tenant_suspended" },
	)
}

func TestATenantsLimitsAreThoseOfItsTokens(t *testing.T) {
	e := newEstate(t)
	rate := func() viewer.Rate {
		v, err := e.app.Auth.AuthenticateUser(
			context.Background(),
			e.token,
			&http.Request{Header: http.Header{}, URL: mustParse(t, "/api/v1/identities")},
		)
		if err != nil {
			t.Fatal(err)
		}
		return v.Rate
	}
	if got := rate(); got != (viewer.Rate{}) {
		t.Errorf("at first %+v; want the usual one", got)
	}
	acme := tenantsPath + "/" + e.tenant.Tenant
	e.send("POST", acme+"/limits", e.operator, `{"rps":30}`).want(t, "limits", 200, "")
	within(t, "the rate is the old one", func() bool { return rate() == viewer.Rate{PerSecond: 30, Burst: 60} })
	e.send("POST", acme+"/limits", e.operator, `{"burst":500}`).want(t, "limits", 200, "")
	within(t, "the burst is the old one", func() bool { return rate() == viewer.Rate{PerSecond: 100, Burst: 500} })
	e.send("POST", acme+"/limits", e.operator, `{}`).want(t, "limits", 200, "")
	within(t, "the limits are still there", func() bool { return rate() == viewer.Rate{} })
	e.send("POST", acme+"/limits", e.operator, `{"rps":0}`).want(t, "a rate of nothing", 422, "validation_failed")
}

func TestATenantThatWantsToHearsOfOperators(t *testing.T) {
	e := newEstate(t)
	acme := e.tenant.Tenant
	e.in(
		acme,
		`insert into event_wish (tenant_id, listener, kind) values (current_tenant(), 'test',
			'tenant.operator_access')`,
	)
	visit := func() {
		t.Helper()
		e.send("GET", "/api/v1/identities", e.operator, "", "X-Tenant-Id", acme, "X-Tenant-Reason", "ticket 7").
			want(t, "a visit", 200, "")
	}
	heard := func() (data string) {
		t.Helper()
		err := e.db.As(t.Context(), e.tenant, func(tx *pg.Tx) error {
			const sql = `
				select coalesce(string_agg(concat_ws(' ', data ->> 'operator', data ->> 'reason', data ->> 'path'),
				    '; '), '')
				  from event
				 where kind = 'tenant.operator_access'`
			return tx.QueryRow(t.Context(), sql).Scan(&data)
		})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	visit()
	if got := heard(); got != "" {
		t.Errorf("a tenant that did not ask heard %q", got)
	}
	e.send("PATCH", "/api/v1/settings/tenant", e.token, `{"settings":{"notify_operator_access":true}}`).
		want(t, "ask", 200, "")
	visit()
	visit()
	if got, want := heard(), "op@main.test ticket 7 /api/v1/identities"; got != want {
		t.Errorf("the tenant heard %q; want %q once", got, want)
	}
}
