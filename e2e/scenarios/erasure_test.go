package scenarios

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

func erased(t *testing.T, h *harness.House, operator *api.Client, c *customer, s *samples, second *rig.ControlPlane) {
	at := tenants + "/" + c.ID
	words := []string{
		"canary-of-acme",
		"canary@acme.example",
		"by-visitor",
		s.company.People[7].Mail,
		s.company.People[7].Login,
	}
	before := rows(h.Dump(), c.ID)
	for _, table := range []string{"identity", "account", "access_grant", "connector", "app_user", "auth_session",
		"api_token", "audit_event", "sync_run", "tenant_key"} {
		if before[table] == 0 {
			t.Errorf("before it is erased the tenant has no row in %s", table)
		}
	}
	h.Expect(
		"422 validation_failed",
		operator,
		"POST",
		at+"/close",
		map[string]string{"confirm": "main", "reason": "contract ended", "grace": "PT0S"},
	)
	h.Expect("200", operator, "POST", at+"/close", map[string]string{"confirm": "acme", "reason": "contract ended"})
	h.Expect("403 tenant_suspended", c.key, "GET", "/identities", nil)
	h.Expect("200", operator, "POST", at+"/reopen", nil)
	h.Expect("200", c.key, "GET", "/identities", nil)
	h.Expect(
		"200",
		operator,
		"POST",
		at+"/close",
		map[string]string{"confirm": "acme", "reason": "contract ended", "grace": "PT0S"},
	)
	h.Expect("409 tenant_erased", operator, "POST", at+"/reopen", nil)
	var saw string
	harness.Eventually(t, "the tenant is erased", func() bool {
		saw = harness.Outcome(h.Ask(operator, "GET", at, nil))
		return saw == "404 not_found"
	}, &saw)

	dump := h.Dump()
	if after := rows(dump, c.ID); len(after) > 0 {
		t.Errorf("after it was erased the tenant has rows in %v", after)
	}
	for _, word := range words {
		if bytes.Contains(dump, []byte(word)) {
			t.Errorf("after the tenant was erased a backup holds %q", word)
		}
	}
	for _, base := range []string{h.Plane.URL(), second.URL()} {
		for _, token := range []string{c.admin.Token(), c.key.Token()} {
			if a := h.Ask(c.admin.At(base).As(token), "GET", "/identities", nil); a.Status != 401 {
				t.Errorf("a token of the erased tenant answers %s", harness.Outcome(a))
			}
		}
	}
	h.Expect(
		"401 invalid_credentials",
		c.admin.As(""),
		"POST",
		"/auth/login",
		credentials(c.email, harness.Password(c.email)),
	)
	for _, action := range []string{"tenant.closed", "tenant.erased"} {
		if h.Total(operator, "/audit-events?subject_id="+c.ID+"&action="+action) == 0 {
			t.Errorf("the operator's own log does not tell of %s", action)
		}
	}
	h.Expect("200", h.Admin, "GET", "/identities", nil)
}

// rows counts the rows of a tenant by table: those whose tenant_id it is, and that of the tenant itself.
func rows(dump []byte, id string) map[string]int {
	count := map[string]int{}
	table, at := "", -1
	for line := range strings.Lines(string(dump)) {
		line = strings.TrimRight(line, "\n")
		if head, found := strings.CutPrefix(line, "COPY public."); found && strings.HasSuffix(line, " FROM stdin;") {
			name, list, _ := strings.Cut(strings.TrimSuffix(head, ") FROM stdin;"), " (")
			key := "tenant_id"
			if name == "tenant" {
				key = "id"
			}
			table, at = name, slices.Index(strings.Split(list, ", "), key)
			continue
		}
		if line == `\.` {
			at = -1
		}
		if at < 0 {
			continue
		}
		if values := strings.Split(line, "\t"); at < len(values) && values[at] == id {
			count[table]++
		}
	}
	return count
}
