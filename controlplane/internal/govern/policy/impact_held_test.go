package policy_test

import "testing"

// TestAnImpactTellsNewAccessFromANewReason for what people hold in the system already.
func TestAnImpactTellsNewAccessFromANewReason(t *testing.T) {
	h := open(t)
	people := map[string]string{}
	for _, name := range []string{"ann", "bob", "cid", "dan"} {
		people[name] = h.hire(name, "Sales")
	}
	// ann holds the group, bob did until lately, cid has an account alone, dan nothing.
	h.Grant(h.system, h.Account(h.system, "ann", people["ann"]), h.groups[0])
	gone := h.Grant(h.system, h.Account(h.system, "bob", people["bob"]), h.groups[0])
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, gone)
	h.Account(h.system, "cid", people["cid"])
	body := h.rule("sales", about("department", "eq", "Sales"), h.groups[0])
	body["resources"] = map[string]any{"entitlement_ids": h.groups[:1], "connector_ids": []string{h.system}}
	impact := h.Must(200, "admin", "POST", "/policies/access-grant/simulate", body).Body
	for name, want := range map[string]any{"identities_affected": 4.0, "grants_added": 8.0, "grants_held": 4.0,
		"identities_reason_only": 1.0, "accounts_created": 1.0} {
		if impact[name] != want {
			t.Errorf("%s = %v; want %v", name, impact[name], want)
		}
	}
	held := map[string]int{}
	for _, of := range impact["sample"].([]any) {
		p := of.(map[string]any)
		for _, g := range p["gains"].([]any) {
			if g.(map[string]any)["held"] == true {
				held[p["identity_id"].(string)]++
			}
		}
	}
	for name, want := range map[string]int{"ann": 2, "bob": 1, "cid": 1, "dan": 0} {
		if got := held[people[name]]; got != want {
			t.Errorf("%s holds %d of what is gained already; want %d", name, got, want)
		}
	}
}
