package correlate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestAConnectorsRulesAreReadReplacedAndGuarded(t *testing.T) {
	w := open(t)
	at := "/connectors/" + w.connector + "/correlation"
	first := w.Must(200, "admin", "GET", at, nil)
	if first.Body["is_default"] != true || first.Body["auto_link"] != 0.9 || first.Body["propose"] != 0.5 ||
		len(first.Body["rules"].([]any)) != 3 {
		t.Errorf("the defaults are %v", first.Body)
	}
	after := w.Must(
		200,
		"admin",
		"PUT",
		at,
		m{"auto_link": 0.8, "rules": []m{rule("alike", "display_name", "display_name", "trigram ≥ 0.60", 0.85)}},
		"If-Match",
		first.Header.Get("ETag"),
	)
	one := after.Body["rules"].([]any)[0].(map[string]any)
	if after.Body["is_default"] != false || one["conditions"].([]any)[0].(map[string]any)["match"] != "trigram>=0.6" {
		t.Errorf("after: %v", after.Body)
	}
	w.Refused(412, "precondition_failed", "admin", "PUT", at, m{}, "If-Match", first.Header.Get("ETag"))
	same := w.Must(
		200,
		"admin",
		"PUT",
		at,
		m{"auto_link": 0.8, "rules": after.Body["rules"]},
		"If-Match",
		after.Header.Get("ETag"),
	)
	if same.Header.Get("ETag") != after.Header.Get("ETag") {
		t.Error("the same settings made a new version")
	}
	none := w.Must(200, "admin", "PUT", at, m{"rules": []m{}})
	if none.Body["is_default"] != false || len(none.Body["rules"].([]any)) != 0 {
		t.Errorf("no rules at all: %v", none.Body)
	}
	if back := w.Must(
		200,
		"admin",
		"PUT",
		at,
		m{},
	); back.Body["is_default"] != true ||
		len(back.Body["rules"].([]any)) != 3 {
		t.Errorf("back to the defaults: %v", back.Body)
	}
	if diff := cmp.Diff([]string{"auto_link,is_default,rules", "auto_link,rules", "is_default,rules"}, w.Strings(`
		select string_agg(c ->> 'field', ',' order by c ->> 'field') from audit_event,
		    json_array_elements(event::json -> 'changes') c group by seq order by seq`)); diff != "" {
		t.Errorf("audited: -want +got\n%s", diff)
	}
}

func TestRulesThatCannotWorkAreRefusedWithWhatIsWrong(t *testing.T) {
	w := open(t)
	at := "/connectors/" + w.connector + "/correlation"
	got := w.Refused(422, "validation_failed", "admin", "PUT", at, m{"auto_link": 0.4, "propose": 0.6, "rules": []m{
		rule(
			"a",
			"mail",
			"email",
			"exact",
			0.5,
		),
		rule("a", "email", "e-mail", "same", 0.5),
		rule("Same Record", "email", "email", "exact", 0.5),
		rule("same_record", "email", "email", "exact", 0.5),
		rule("none", "email", "email", "exact", 0),
		{
			"id":         "v",
			"veto":       true,
			"weight":     0.3,
			"conditions": []m{{"source": "attributes.", "identity": "email", "match": "prefix_1"}},
		},
	}})
	want := map[string]string{
		"#/propose":                       "too_large",
		"#/rules/0/conditions/0/source":   "unknown_field",
		"#/rules/1/id":                    "duplicate",
		"#/rules/1/conditions/0/identity": "unknown_field",
		"#/rules/1/conditions/0/match":    "unknown_match",
		"#/rules/2/id":                    "invalid",
		"#/rules/3/id":                    "reserved",
		"#/rules/4/weight":                "required",
		"#/rules/5/weight":                "not_allowed",
		"#/rules/5/conditions/0/source":   "unknown_field",
		"#/rules/5/conditions/0/match":    "unknown_match",
	}
	wrong := map[string]string{}
	for _, e := range got.Body["errors"].([]any) {
		e := e.(map[string]any)
		wrong[e["pointer"].(string)] = e["code"].(string)
		if !strings.Contains(e["detail"].(string), " ") {
			t.Errorf("%v says nothing of how to mend it", e)
		}
	}
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, body := range []any{m{"rule": []m{}}, m{"rules": []m{{"id": "x", "weight": 0.5, "conditons": []m{}}}},
		m{"auto_link": 2}, m{"rules": []m{{"id": "x", "weight": 0.5, "conditions": []m{}}}}} {
		if a := w.Call("admin", "PUT", at, body); a.Status != 422 {
			t.Errorf("%v: got %d %v; want 422", body, a.Status, a.Body)
		}
		if a := w.Call("admin", "POST", "/accounts/correlation/preview", body); a.Status != 422 {
			t.Errorf("preview of %v: got %d %v; want 422", body, a.Status, a.Body)
		}
	}
	w.Refused(
		404,
		"not_found",
		"admin",
		"POST",
		"/accounts/correlation/preview",
		m{"connector_id": "0197a000-0000-7000-8000-00000000dead"},
	)
	if n := w.Count(`select count(*) from connector where correlation <> '{}'`); n != 0 {
		t.Error("a refused body was written")
	}
}

func TestOnlyAdministratorsWrite(t *testing.T) {
	w := open(t)
	for _, r := range []viewer.Role{viewer.Auditor, viewer.Manager, viewer.ResourceOwner} {
		w.Let(string(r), w.Tenant.Tenant, "", r)
	}
	a := w.login("a", nil)
	for _, as := range []string{"auditor", "manager", "resource_owner"} {
		for path, method := range map[string]string{"/connectors/" + w.connector + "/correlation": "PUT",
			"/accounts/correlation/preview": "POST", "/accounts/correlation/run": "POST",
			"/accounts/bulk-link": "POST", "/accounts/" + a + "/reset-correlation": "POST",
			"/settings/orphans": "PUT"} {
			if got := w.Call(as, method, path, m{}); got.Status != 403 {
				t.Errorf("%s %s as %s = %d", method, path, as, got.Status)
			}
		}
	}
	w.Must(200, "auditor", "GET", "/connectors/"+w.connector+"/correlation", nil)
	if got := w.Must(200, "resource_owner", "GET", "/accounts/disputed", nil); got.Body["total"] != 0.0 {
		t.Errorf("a resource owner sees %v", got.Body)
	}
}

func TestManyAccountsAreLinkedAtOnceEachWithItsResult(t *testing.T) {
	w := open(t)
	ada := w.someone("ada", fields{"email": "ada@x.test", "employee_number": "1"})
	w.someone("bob", fields{"employee_number": "2"})
	w.someone("twin", fields{"employee_number": "2"})
	w.someone("gone", fields{"employee_number": "3", "status": "archived"})
	a, b, c := w.login("a", nil), w.login("b", nil), w.login("c", fields{"status": "deleted"})
	w.Must(200, "admin", "POST", "/accounts/"+a+"/link", m{"identity_id": ada, "reason": "x"})
	other := w.newConnector(w.Tenant, "other")
	w.insert(w.Tenant, "account", fields{"connector_id": other, "external_id": "b", "row_hash": []byte{}}, nil)
	pairs := []m{
		{
			"account_id":  a,
			"identity_id": ada,
		},
		{"external_id": "b", "email": "ADA@x.test"},
		{"external_id": "b", "employee_number": "1"},
		{
			"account_id":      c,
			"employee_number": "1",
		},
		{"external_id": "nobody", "employee_number": "1"},
		{"account_id": b, "employee_number": "2"},
		{
			"account_id":      b,
			"employee_number": "3",
		},
		{"account_id": b, "external_id": "b", "employee_number": "1"},
		{"account_id": b},
		{"account_id": "x", "email": "ada@x.test"},
	}
	outcomes := func(body m) (list []string) {
		t.Helper()
		for i, r := range w.Must(200, "admin", "POST", "/accounts/bulk-link", body).Body["results"].([]any) {
			r := r.(map[string]any)
			if r["index"] != float64(i) {
				t.Errorf("result %d is about item %v", i, r["index"])
			}
			list = append(
				list,
				strings.TrimSpace(fmt.Sprint(r["status"], " ", strings.ReplaceAll(fmt.Sprint(r["code"]), "<nil>", ""))),
			)
		}
		return list
	}
	want := []string{
		"unchanged",
		"linked",
		"failed duplicate_account",
		"failed account_deleted",
		"failed account_not_found",
		"failed ambiguous_identity",
		"failed identity_not_found",
		"failed invalid_item",
		"failed invalid_item",
		"failed account_not_found",
	}
	body := m{"pairs": pairs, "connector_id": w.connector, "reason": "import", "dry_run": true}
	if diff := cmp.Diff(want, outcomes(body)); diff != "" {
		t.Errorf("tried: -want +got\n%s", diff)
	}
	w.expect(b, "uncorrelated")
	body["dry_run"] = false
	if diff := cmp.Diff(want, outcomes(body)); diff != "" {
		t.Errorf("done: -want +got\n%s", diff)
	}
	w.expect(b, "manual ada import")
	if diff := cmp.Diff([]string{"failed ambiguous_account"}, outcomes(m{"pairs": pairs[1:2]})); diff != "" {
		t.Errorf("without a connector: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(
		[]string{"account.linked", "accounts.bulk_linked"},
		w.Strings(`select action from audit_event order by seq`),
	); diff != "" {
		t.Errorf("audited: -want +got\n%s", diff)
	}
}

func TestAccountsOfAFilterAreLinkedByAFieldOfTheIdentity(t *testing.T) {
	w := open(t)
	w.someone("ada", fields{"username": "al"})
	hit, miss, none := w.login(
		"hit",
		fields{"username": "al"},
	), w.login(
		"miss",
		fields{"username": "zz"},
	), w.login(
		"none",
		nil,
	)
	kept := w.login("kept", fields{"username": "al", "correlation_state": "ignored"})
	got := w.Must(
		200,
		"admin",
		"POST",
		"/accounts/bulk-link",
		m{"filter": m{"connector_id": w.connector}, "identity_field": "username", "reason": "logins"},
	)
	if diff := cmp.Diff(m{"linked": 1.0, "unchanged": 0.0, "failed": 2.0}, got.Body["counts"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.expect(hit, "manual ada logins")
	w.expect(miss, "uncorrelated")
	w.expect(none, "uncorrelated")
	w.expect(kept, "ignored")
	for _, body := range []m{{}, {"filter": m{}},
		{"pairs": []m{{"account_id": hit}}, "filter": m{}, "identity_field": "email"},
		{"pairs": []m{{"account_id": hit}}, "identity_field": "email"}} {
		w.Refused(422, "validation_failed", "admin", "POST", "/accounts/bulk-link", body)
	}
	many := make([]m, 10_001)
	for i := range many {
		many[i] = m{"account_id": hit}
	}
	if a := w.Call("admin", "POST", "/accounts/bulk-link", m{"pairs": many}); a.Status != 422 {
		t.Errorf("10,001 pairs: %d", a.Status)
	}
	w.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, row_hash) select current_tenant(),
			gen_random_uuid(), $1, 'n' || n, '' from generate_series(1, 10001) n`,
		w.connector,
	)
	w.Refused(422, "too_many", "admin", "POST", "/accounts/bulk-link", m{"filter": m{}, "identity_field": "email"})
}
