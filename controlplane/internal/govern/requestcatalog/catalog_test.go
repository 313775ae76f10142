package requestcatalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/requestcatalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

const catalog = "/access-requests/catalog"

func open(t testing.TB) *recordtest.House {
	t.Helper()
	h := recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&requestcatalog.Service{DB: db, Cursors: cursors}).Routes()
	})
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir',
			'The directory', 'ldap')`,
		system,
	)
	return h
}

// called are the names of a catalog's items, in its order.
func called(a recordtest.Answer) []string {
	names := []string{}
	for _, n := range a.Values("name") {
		names = append(names, fmt.Sprint(n))
	}
	return names
}

func TestEverybodyHasTheirOwnCatalogAndNobodyElses(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	ada, stranger := h.Person("ada", boss), h.Person("stranger", "")
	h.Let("ada", h.Tenant.Tenant, ada)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("nobody", h.Tenant.Tenant, "")
	offer(h, "wiki", "")
	offer(h, "ledger", `{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Finance"}]}`)
	bundle(h, "clerk", "")
	h.Exec(`update identity set department = 'Finance' where id = $1`, stranger)

	if diff := cmp.Diff([]string{"clerk", "wiki"}, called(h.Must(200, "ada", "GET", catalog, nil))); diff != "" {
		t.Errorf("ada's own: -want +got\n%s", diff)
	}
	got := h.Must(200, "admin", "GET", catalog+"?for_identity_id="+stranger, nil)
	if diff := cmp.Diff(
		[]any{"open to all", "its condition is met: department is Finance", "open to all"},
		got.Values("why_visible"),
	); diff != "" ||
		got.Body["total"] != 3.0 {
		t.Errorf("the stranger's, as an administrator: total %v, -want +got\n%s", got.Body["total"], diff)
	}
	h.Must(200, "boss", "GET", catalog+"?for_identity_id="+ada, nil)
	h.Must(200, "auditor", "GET", catalog+"?for_identity_id="+ada, nil)
	h.Refused(404, "not_found", "ada", "GET", catalog+"?for_identity_id="+boss, nil)
	h.Refused(404, "not_found", "boss", "GET", catalog+"?for_identity_id="+stranger, nil)
	h.Refused(404, "not_found", "admin", "GET", catalog+"?for_identity_id="+uuid.NewString(), nil)
	if got := h.Must(200, "nobody", "GET", catalog, nil); got.Body["total"] != 0.0 {
		t.Errorf("who is linked to no identity has a catalog of %v", got.Body["total"])
	}
	if got := h.Must(200, "ada", "GET", catalog+"/search", nil); got.Body["total"] != 2.0 {
		t.Errorf("searched for nothing: %v; want all of it", got.Body["total"])
	}
	h.Refused(400, "invalid_parameter", "ada", "GET", catalog+"?kind=group", nil)
}

func TestWordsFindWhatIsNamedSoFirst(t *testing.T) {
	h := open(t)
	ada := h.Person("ada", "")
	h.Let("ada", h.Tenant.Tenant, ada)
	payroll := offer(h, "GRP-PayrollReaders", "")
	about := offer(h, "hr-all", "")
	opens := offer(h, "x17", "")
	inside := h.Entitlement(system, "Payroll archive")
	hidden := bundle(h, "payroll-hidden", "")
	clerk, above := bundle(h, "clerk", "", inside), bundle(h, "head", "")
	h.Exec(`insert into role_child (tenant_id, role_id, child_id) values (current_tenant(), $1, $2)`, above, clerk)
	h.Exec(`update role set requestable = false where id = $1`, hidden)
	h.Exec(`update entitlement set business_description = 'Everything of people, the payroll too' where id = $1`, about)
	h.Exec(
		`update entitlement set resource = '{"type": "share", "display_name": "Payroll Zürich"}' where id = $1`,
		opens,
	)
	for q, want := range map[string][]string{
		"payroll":         {"GRP-PayrollReaders", "hr-all", "clerk", "head", "x17"},
		"PAY":             {"GRP-PayrollReaders", "hr-all", "clerk", "head", "x17"},
		"payroll+archive": {"clerk", "head"}, "zurich": {"x17"}, "zuerich": {"x17"}, "Z%C3%9CRICH+payroll": {"x17"},
		"readers": {"GRP-PayrollReaders"}, "roll": {}, "%25": {},
		"grp-payroll": {"GRP-PayrollReaders"},
	} {
		if diff := cmp.Diff(
			want,
			called(h.Must(200, "ada", "GET", catalog+"/search?q="+q, nil)),
		); q != "%25" &&
			diff != "" {
			t.Errorf("%s: -want +got\n%s", q, diff)
		}
	}
	// What changes is found as it is.
	h.Exec(`update entitlement set display_name = 'Wages archive' where id = $1`, inside)
	h.Exec(`delete from role_child`)
	h.Exec(`update entitlement set requestable = false where id = $1`, payroll)
	for q, want := range map[string][]string{"wages": {"clerk"}, "readers": {}} {
		if diff := cmp.Diff(want, called(h.Must(200, "ada", "GET", catalog+"/search?q="+q, nil))); diff != "" {
			t.Errorf("afterwards, %s: -want +got\n%s", q, diff)
		}
	}
}

func TestFiltersPagesAndTotalsAgree(t *testing.T) {
	h := open(t)
	h.Let("ada", h.Tenant.Tenant, h.Person("ada", ""))
	other := uuid.NewString()
	for i := range 7 {
		id := offer(h, fmt.Sprint("thing ", i), "")
		h.Exec(
			`update entitlement set risk_level = case when $2 % 2 = 0 then 'high' else 'low' end,
				compliance_tags = case when $2 < 3 then '{SOX}'::text[] else '{}' end where id = $1`,
			id,
			i,
		)
	}
	held := h.Entitlement(other, "elsewhere")
	h.Exec(`update entitlement set risk_level = 'critical' where id = $1`, held)
	bundle(h, "thing-role", "", held)
	for query, want := range map[string]int{
		"": 8, "?kind=role": 1, "?kind=entitlement": 7, "?risk_level=high": 4, "?risk_level=critical": 1,
		"?risk_level=high,critical": 5, "?tag=SOX": 3,
		"?connector_id=" + other: 1, "?connector_id=" + system: 7, "?tag=SOX&risk_level=low": 1,
		"?q=thing&risk_level=high": 4, "?q=elsewhere": 1, "?q=nothing": 0,
	} {
		got := h.Must(200, "ada", "GET", catalog+query, nil)
		if got.Body["total"] != float64(want) || len(got.Items()) != want {
			t.Errorf("%s: total %v, %d items; want %d", query, got.Body["total"], len(got.Items()), want)
		}
	}
	for _, q := range []string{"?", "?q=thing&"} {
		var walked []string
		page := h.Must(200, "ada", "GET", catalog+q+"limit=3", nil)
		for {
			walked = append(walked, called(page)...)
			next, more := page.Body["next_cursor"].(string)
			if !more {
				break
			}
			page = h.Must(200, "ada", "GET", catalog+q+"limit=3&cursor="+next, nil)
		}
		whole := h.Must(200, "ada", "GET", catalog+q+"limit=500", nil)
		if diff := cmp.Diff(called(whole), walked); diff != "" || len(walked) != 8 {
			t.Errorf("%s walked: -whole +walked\n%s", q, diff)
		}
		if got := h.Must(
			200,
			"ada",
			"GET",
			catalog+q+"limit=3&offset=6",
			nil,
		); len(got.Items()) != 2 ||
			got.Body["total"] != 8.0 {
			t.Errorf("%s from the seventh: %d of %v", q, len(got.Items()), got.Body["total"])
		}
	}
}

func TestAnItemTellsWhatThePersonHasOfItAndHowLongItTakes(t *testing.T) {
	h := open(t)
	owner, ada := h.Person("owner", ""), h.Person("ada", "")
	h.Let("ada", h.Tenant.Tenant, ada)
	account := h.Account(system, "ada", ada)
	given, native, nested, asked := offer(
		h,
		"given",
		"",
	), offer(
		h,
		"native",
		"",
	), offer(
		h,
		"nested",
		"",
	), offer(
		h,
		"asked",
		"",
	)
	role := bundle(h, "role", "", given)
	h.Exec(
		`update role set parameters = '[{"name": "site", "type": "string", "required": true, `+
			`"allowed_values": ["north", "south"]}]' where id = $1`,
		role,
	)
	h.Exec(
		`update entitlement set owner_ids = array[$2::uuid], permission_summary = '{reads}', max_duration = 'P30D',
			default_duration = 'P7D', privileged = true, data_classes = '{pii}' where id = $1`,
		given,
		owner,
	)
	h.Grant(system, account, native)
	h.Exec(`update access_grant set directness = 'inherited' where id = $1`, h.Grant(system, account, nested))
	until := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		    source_id, ends_at)
		values (current_tenant(), gen_random_uuid(), $1, $2, $3, 'request', 'access_request', gen_random_uuid(), $4)`,
		ada,
		system,
		given,
		until,
	)
	h.Exec(
		`insert into role_assignment (tenant_id, id, role_id, identity_id, kind, state) values (current_tenant(),
			gen_random_uuid(), $1, $2, 'manual', 'active')`,
		role,
		ada,
	)
	request := func(number int, of, status string, took time.Duration) string {
		id := uuid.NewString()
		h.Exec(
			`insert into access_request (tenant_id, id, number, requested_for, requested_by, submitted_at)
				values (current_tenant(), $1, $2, $3, '{}', '2026-01-01')`,
			id,
			number,
			ada,
		)
		h.Exec(
			`insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, entitlement_id,
			    status, decision, decided_at)
			values (current_tenant(), gen_random_uuid(), $1, 0, $2, 'grant', $3, $4, case
			    when $4 = 'closed' then 'approved' end, case
			    when $4 = 'closed' then '2026-01-01'::timestamptz + $5::interval end)`,
			id,
			ada,
			of,
			status,
			took,
		)
		return id
	}
	request(1, asked, "closed", time.Hour)
	request(2, asked, "closed", 3*time.Hour)
	request(3, asked, "closed", 300*time.Hour)
	open := request(4, asked, "pending_approval", 0)
	items := map[string]map[string]any{}
	for _, item := range h.Must(200, "ada", "GET", catalog, nil).Items() {
		items[item["id"].(string)] = item
	}
	for id, want := range map[string]any{
		given:  map[string]any{"kinds": []any{"request"}, "until": "2031-02-03T04:05:06Z"},
		native: map[string]any{"kinds": []any{"native"}, "until": nil},
		nested: map[string]any{"kinds": []any{"inherited"}, "until": nil},
		role:   map[string]any{"kinds": []any{"role"}, "until": nil}, asked: nil,
	} {
		if diff := cmp.Diff(want, items[id]["already_held"]); diff != "" {
			t.Errorf("how %v is held: -want +got\n%s", items[id]["name"], diff)
		}
	}
	if diff := cmp.Diff(
		map[string]any{"request_id": open, "number": "REQ-000004"},
		items[asked]["pending"],
	); diff != "" ||
		items[asked]["typical_approval_time"] != "PT3H" {
		t.Errorf("what is asked for takes %v, pending -want +got\n%s", items[asked]["typical_approval_time"], diff)
	}
	got := items[given]
	for member, want := range map[string]any{
		"owners": []any{map[string]any{"id": owner, "display": "owner"}}, "permission_summary": []any{"reads"},
		"max_duration": "P30D", "default_duration": "P7D",
		"privileged": true, "tags": []any{"pii"}, "system": map[string]any{"id": system, "display": "The directory"},
		"description":           "what given is for",
		"typical_approval_time": nil, "pending": nil, "approval_rule": nil, "kind": "entitlement",
	} {
		if diff := cmp.Diff(want, got[member]); diff != "" {
			t.Errorf("%s: -want +got\n%s", member, diff)
		}
	}
	site := map[string]any{
		"name":           "site",
		"type":           "string",
		"required":       true,
		"allowed_values": []any{"north", "south"},
	}
	for id, want := range map[string][]any{given: {}, role: {site}} {
		if diff := cmp.Diff(want, items[id]["parameters"]); diff != "" {
			t.Errorf("parameters of %v: -want +got\n%s", items[id]["name"], diff)
		}
	}
	if items[role]["entitlement_count"] != 1.0 || items[role]["privileged"] != true {
		t.Errorf("the role: %v", items[role])
	}
}
