package requestcatalog_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

const (
	finance = `{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Finance"}]}`
	anybody = `{"match": "all", "rules": []}`
)

// eligible makes a policy in force. resources, constraints and schedule are JSON.
func eligible(h *recordtest.House, name, subject string, priority int, resources, constraints, schedule string) string {
	h.T.Helper()
	return h.Strings(`
		insert into access_policy (tenant_id, id, name, mode, effect, priority, subject, resources, lifecycle,
		                           constraints, schedule)
		values (current_tenant(), gen_random_uuid(), $1, 'enforce', 'eligible', $2, $3::text::jsonb, $4::text::jsonb,
		        '{"when": ["active"]}', $5::text::jsonb, nullif($6, '')::jsonb) returning id::text`,
		name, priority, subject, resources, constraints, schedule)[0]
}

// listed are the items of a person's catalog, by name.
func listed(h *recordtest.House, as, query string) map[string]map[string]any {
	items := map[string]map[string]any{}
	for _, item := range h.Must(200, as, "GET", catalog+query, nil).Items() {
		items[item["name"].(string)] = item
	}
	return items
}

func names(items map[string]map[string]any) map[string]bool {
	out := map[string]bool{}
	for name := range items {
		out[name] = true
	}
	return out
}

func TestPoliciesSayWhoSeesWhatInTheCatalog(t *testing.T) {
	h := open(t)
	ada, bea := h.Person("ada", ""), h.Person("bea", "")
	h.Let("ada", h.Tenant.Tenant, ada)
	h.Let("bea", h.Tenant.Tenant, bea)
	h.Exec(`update identity set department = 'Finance' where id = $1`, ada)
	other := uuid.NewString()
	h.Exec(`insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1, 'crm', 'CRM', 'scim2')`, other)
	offer(h, "wiki", "")
	ledger := offer(h, "ledger", "")
	own := offer(h, "own", finance)
	leads := h.Entitlement(other, "leads")
	h.Exec(`update entitlement set requestable = true where id = $1`, leads)
	clerk := bundle(h, "clerk", "", leads)
	all := map[string]bool{"wiki": true, "ledger": true, "leads": true, "clerk": true, "own": true}

	if diff := cmp.Diff(all, names(listed(h, "ada", ""))); diff != "" {
		t.Errorf("without policies: -want +got\n%s", diff)
	}
	id := eligible(h, "Finance", finance, 100, `{"entitlement_ids": ["`+ledger+`", "`+own+`"], "role_ids": ["`+clerk+
		`"], "connector_ids": ["`+other+`"]}`, `{"max_duration": "P30D", "requires_justification": true}`, "")
	items := listed(h, "ada", "")
	if diff := cmp.Diff(all, names(items)); diff != "" {
		t.Errorf("who is meant: -want +got\n%s", diff)
	}
	why := "the policy Finance allows it: department is Finance"
	terms := map[string]any{"policy": "Finance", "max_duration": "P30D", "requires_justification": true,
		"requires_external_reference": false}
	for name, want := range map[string][]any{
		"wiki":   {"open to all", true, []any{}, nil},
		"ledger": {why, true, []any{}, terms},
		"leads":  {why, true, []any{}, terms}, // by its system
		"clerk":  {why, true, []any{}, terms},
		"own":    {"its condition is met: department is Finance; " + why, true, []any{}, terms},
	} {
		of := items[name]
		if diff := cmp.Diff(want, []any{of["why_visible"], of["requestable"], of["why_not"], of["terms"]}); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(map[string]bool{"wiki": true}, names(listed(h, "bea", ""))); diff != "" {
		t.Errorf("who is not: -want +got\n%s", diff)
	}
	page := h.Must(200, "bea", "GET", catalog+"/search?q=ledger", nil)
	if page.Body["total"] != 0.0 {
		t.Errorf("who is not finds %v by a word", page.Body["total"])
	}
	if got := listed(h, "admin", "?for_identity_id="+bea); len(got) != 1 {
		t.Errorf("an administrator sees %d items of hers", len(got))
	}
	// A role is not limited by the system of what it holds.
	h.Exec(
		`update access_policy set resources = jsonb_build_object('connector_ids', array[$2]) where id = $1`, id, other,
	)
	want := map[string]bool{"wiki": true, "ledger": true, "clerk": true}
	if diff := cmp.Diff(want, names(listed(h, "bea", ""))); diff != "" {
		t.Errorf("a system alone: -want +got\n%s", diff)
	}
	// Nor by a policy in shadow mode, one that is disabled, or one that is deleted.
	for _, off := range []string{"mode = 'shadow'", "enabled = false", "deleted_at = now()"} {
		h.Exec(`update access_policy set mode = 'enforce', enabled = true, deleted_at = null`)
		h.Exec(`update access_policy set ` + off)
		if got := listed(h, "bea", ""); len(got) != 4 {
			t.Errorf("%s: %v", off, names(got))
		}
	}
}

func TestWhatAPolicyDemandsIsSaidAndNotHidden(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	ada := h.Person("ada", boss)
	h.Let("ada", h.Tenant.Tenant, ada)
	ledger := `{"entitlement_ids": ["` + offer(h, "ledger", "") + `"]}`
	eligible(h, "Trained", anybody, 10, ledger,
		`{"needs_training": "SOX", "countries": ["CH"], "requires_mfa": true, "max_duration": "P90D"}`, "")
	ruling := func(want ...any) {
		t.Helper()
		of := listed(h, "ada", "")["ledger"]
		policy := any(nil)
		if terms, ok := of["terms"].(map[string]any); ok {
			policy = terms["policy"]
		}
		if diff := cmp.Diff(want, []any{of["requestable"], of["why_not"], policy}); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	factor := "the requester needs a second factor for sign-in"
	ruling(false, []any{"the country must be CH", "the training SOX is required", factor}, nil)
	h.Exec(`update identity set country = 'CH', attributes = '{"trainings": ["SOX"]}' where id = $1`, ada)
	ruling(false, []any{factor}, nil)

	// A policy of a lower priority that lets them is enough, and its terms count.
	closed := eligible(h, "Closed", anybody, 20, ledger, `{}`, `{"to": "2020-01-01T00:00:00Z", "weekly": []}`)
	ruling(false, []any{factor}, nil)
	eligible(h, "Lenient", anybody, 30, ledger, `{"max_duration": "P1D"}`, "")
	ruling(true, []any{}, "Lenient")
	h.Exec(`update access_policy set schedule = null where id = $1`, closed)
	ruling(true, []any{}, "Closed")

	// Whom a policy is not about, it does not concern, whatever else they meet.
	h.Exec(`update access_policy set lifecycle = '{"when": ["on_leave"]}'`)
	if got := listed(h, "ada", ""); len(got) != 0 {
		t.Errorf("in another state: %v", names(got))
	}
}

// TestWhoCanRequestAgreesWithAnOracle compares the catalog with a plain computation, for many small policies.
func TestWhoCanRequestAgreesWithAnOracle(t *testing.T) {
	h := open(t)
	departments := []string{"A", "B", "C", "D"}
	people, items := map[string]string{}, map[string][]string{}
	for _, d := range departments {
		id := h.Person("p"+d, "")
		h.Exec(`update identity set department = $2 where id = $1`, id, d)
		h.Let(d, h.Tenant.Tenant, id)
		people[d] = id
	}
	for n := range 16 {
		id := offer(h, fmt.Sprintf("item %02d", n), "")
		for bit, d := range departments {
			if n&(1<<bit) != 0 {
				items[id] = append(items[id], d)
				eligible(h, fmt.Sprint(d, n), fmt.Sprintf(
					`{"match": "all", "rules": [{"field": "department", "op": "eq", "value": %q}]}`, d), n+1,
					`{"entitlement_ids": ["`+id+`"]}`, `{}`, "")
			}
		}
		if items[id] == nil {
			items[id] = departments
		}
	}
	for _, d := range departments {
		want, got := map[string]bool{}, map[string]bool{}
		for id, of := range items {
			for _, each := range of {
				if each == d {
					want[id] = true
				}
			}
		}
		for _, item := range h.Must(200, d, "GET", catalog+"?limit=100", nil).Items() {
			got[item["id"].(string)] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", d, diff)
		}
	}
}

// TestPoliciesOfAnotherTenantLimitNothing although they name the same ids.
func TestPoliciesOfAnotherTenantLimitNothing(t *testing.T) {
	h := open(t)
	h.Let("ada", h.Tenant.Tenant, h.Person("ada", ""))
	wiki := offer(h, "wiki", "")
	h.ExecAs(pgtest.Tenant(t, h.DB, "second"), `
		insert into access_policy (tenant_id, id, name, mode, effect, subject, resources, lifecycle)
		values (current_tenant(), gen_random_uuid(), 'Theirs', 'enforce', 'eligible', '`+finance+`',
		        jsonb_build_object('entitlement_ids', array[$1::text]), '{"when": ["active"]}')`, wiki)
	if got := listed(h, "ada", ""); got["wiki"] == nil || got["wiki"]["requestable"] != true {
		t.Errorf("ada's catalog: %v", got)
	}
}

// TestASystemAndItsEntitlementsOpenEachOther in either direction.
func TestASystemAndItsEntitlementsOpenEachOther(t *testing.T) {
	h := open(t)
	h.Let("ada", h.Tenant.Tenant, h.Person("ada", ""))
	wiki := offer(h, "wiki", "")
	offer(h, "ledger", "")
	whole, one := `{"connector_ids": ["`+system+`"]}`, `{"entitlement_ids": ["`+wiki+`"]}`
	for _, c := range []struct {
		system, entitlement string
		want                map[string]bool
	}{
		{anybody, finance, map[string]bool{"wiki": true, "ledger": true}},
		{finance, anybody, map[string]bool{"wiki": true}},
		{finance, finance, map[string]bool{}},
		{anybody, "", map[string]bool{"wiki": true, "ledger": true}},
		{"", finance, map[string]bool{"ledger": true}},
	} {
		h.Exec(`delete from access_policy`)
		if c.system != "" {
			eligible(h, "Whole", c.system, 10, whole, `{}`, "")
		}
		if c.entitlement != "" {
			eligible(h, "One", c.entitlement, 20, one, `{}`, "")
		}
		if diff := cmp.Diff(c.want, names(listed(h, "ada", ""))); diff != "" {
			t.Errorf("system %s, entitlement %s: -want +got\n%s", c.system, c.entitlement, diff)
		}
	}
}
