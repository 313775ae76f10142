package directory_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnAccountIsLinkedUnlinkedAndIgnored(t *testing.T) {
	h := open(t)
	ada := h.Person("ada", "")
	at := "/accounts/" + h.Account(ldap, "svc", "")
	refused := h.Refused(409, "invalid_transition", "admin", "POST", at+"/unlink", nil)
	if diff := cmp.Diff([]any{"manual", "ignored"}, refused.Body["allowed"]); diff != "" {
		t.Errorf("allowed: -want +got\n%s", diff)
	}
	h.Refused(422, "validation_failed", "admin", "POST", at+"/link", map[string]any{"identity_id": ada})
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		at+"/link",
		`{"identity_id":"0197a000-0000-7000-8000-00000000dead","reason":"x"}`,
	)
	linked := h.Must(
		200,
		"admin",
		"POST",
		at+"/link",
		map[string]any{"identity_id": ada, "reason": "she runs it"},
		"If-Match",
		`"1"`,
	)
	correlation, _ := linked.Body["correlation"].(map[string]any)
	if linked.Text("identity_id") != ada || correlation["state"] != "manual" ||
		correlation["reason"] != "she runs it" ||
		correlation["decided_by"] != "admin" {
		t.Errorf("got %v", linked.Body)
	}
	if diff := cmp.Diff(map[string]any{"id": ada, "display": "ada"}, linked.Body["identity"]); diff != "" {
		t.Errorf("identity: -want +got\n%s", diff)
	}
	h.Refused(412, "precondition_failed", "admin", "POST", at+"/unlink", nil, "If-Match", `"1"`)
	h.Refused(409, "invalid_transition", "admin", "POST", at+"/ignore", `{"reason":"x"}`)
	if got := h.Must(
		200,
		"admin",
		"POST",
		at+"/unlink",
		`{"reason":"she left"}`,
	); got.Body["identity_id"] != nil ||
		got.Body["orphaned"] != false {
		t.Errorf("unlinked, and an orphan from the first day: %v", got.Body)
	}
	h.Exec(`update account set unowned_since = now() - interval '31 days'`)
	if got := h.Must(
		200,
		"admin",
		"GET",
		at,
		nil,
	); got.Body["orphaned"] != true ||
		got.Body["orphan_reason"] != "no_owner" {
		t.Errorf("a month after it was unlinked: %v", got.Body)
	}
	if got := h.Must(200, "admin", "POST", at+"/ignore", nil); got.Body["orphaned"] != false {
		t.Errorf("ignored, and still orphaned: %v", got.Body)
	}
	got := h.Strings(`select action from audit_event order by seq`)
	if diff := cmp.Diff([]string{"account.linked", "account.unlinked", "account.ignored"}, got); diff != "" {
		t.Errorf("audited: -want +got\n%s", diff)
	}
}

func TestAnAccountIsPatched(t *testing.T) {
	h := open(t)
	at := "/accounts/" + h.Account(ldap, "svc", "")
	a := h.Must(200, "admin", "PATCH", at, `{"account_type":"service","purpose":"Backups","managed":"protected"}`)
	if a.Text("account_type") != "service" || a.Text("purpose") != "Backups" || a.Header.Get("ETag") != `"2"` {
		t.Errorf("got %v", a.Body)
	}
	cleared := h.Must(200, "admin", "PATCH", at, `{"purpose":null,"account_type":null}`)
	if cleared.Body["purpose"] != nil || cleared.Text("account_type") != "unknown" ||
		cleared.Text("managed") != "protected" {
		t.Errorf("got %v", cleared.Body)
	}
	h.Refused(422, "unknown_field", "admin", "PATCH", at, `{"username":"root"}`)
	h.Refused(422, "validation_failed", "admin", "PATCH", at, `{"managed":"perhaps"}`)
}

func TestAccountListsTellOrphansFromTheRest(t *testing.T) {
	h := open(t)
	ada, bob := h.Person("ada", ""), h.Person("bob", "")
	h.Account(ldap, "ada", ada)
	h.Account(ldap, "bob", bob)
	h.Account(ldap, "stray", "")
	named := h.Account(ldap, "named", "")
	off := h.Account(ldap, "off", "")
	gone := h.Account(ldap, "gone", bob)
	h.Account(ldap, "young", "")
	daemon := h.Account(ldap, "daemon", "")
	h.Exec(`update account set account_type = 'service' where id = $1`, daemon)
	h.Exec(`update account set first_seen_at = now() - interval '31 days' where username in ('stray', 'named')`)
	h.Exec(`update account set identity_external_id = 'nobody', correlation_state = 'disputed' where id = $1`, named)
	h.Exec(`update account set status = 'disabled', privileged = true where id = $1`, off)
	h.Exec(`update account set status = 'deleted' where id = $1`, gone)
	h.Must(200, "admin", "POST", "/identities/"+bob+"/deactivate", `{"reason":"left"}`)
	for path, want := range map[string][]string{
		"/accounts?limit=2": {"ada", "bob", "stray", "named", "off", "young",
			"daemon"},
		"/accounts?limit=2&sort=-username": {"young", "stray", "off", "named", "daemon",
			"bob", "ada"},
		"/accounts?status=deleted":                                    {"gone"},
		"/accounts?orphaned=true":                                     {"bob", "stray", "named", "daemon"},
		"/accounts?orphaned=false":                                    {"ada", "off", "young"},
		"/accounts/orphaned?limit=2":                                  {"bob", "stray", "named", "daemon"},
		"/accounts/orphaned?orphan_reason=no_owner,owner_deactivated": {"bob", "stray", "daemon"},
		"/accounts/uncorrelated?limit=1":                              {"stray", "off", "young", "daemon"},
		"/accounts/disputed?limit=1":                                  {"named"},
		"/accounts?correlation=disputed,linked":                       {"ada", "bob", "named"},
		"/accounts?privileged=true":                                   {"off"},
		"/accounts?identity_id=" + ada:                                {"ada"},
		"/accounts?q=STRA&connector_id=" + ldap:                       {"stray"},
		"/accounts?account_type=service":                              {"daemon"},
		"/identities/" + bob + "/accounts?limit=1":                    {"bob"},
	} {
		got, total := walk(h, "admin", withQuery(path), "username", func() {})
		if diff := cmp.Diff(want, got); diff != "" || int(total) != len(want) {
			t.Errorf("%s: total %v; -want +got\n%s", path, total, diff)
		}
	}
	reasons, _ := walk(h, "admin", "/accounts/orphaned?limit=9", "orphan_reason", func() {})
	if diff := cmp.Diff(
		[]string{"owner_deactivated", "no_owner", "owner_unresolved", "no_owner"},
		reasons,
	); diff != "" {
		t.Errorf("reasons: -want +got\n%s", diff)
	}
	one := h.Must(200, "admin", "GET", "/accounts/"+named, nil)
	if diff := cmp.Diff(map[string]any{"grants": 0.0}, one.Body["counts"]); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
	h.Refused(404, "not_found", "admin", "GET", "/accounts/nothing", nil)
}

// withQuery makes sure that a cursor can be appended.
func withQuery(path string) string {
	for _, c := range path {
		if c == '?' {
			return path
		}
	}
	return fmt.Sprint(path, "?limit=50")
}
