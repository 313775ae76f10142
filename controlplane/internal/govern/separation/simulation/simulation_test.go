package simulation_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

const base = "/policies/separation-of-duties"

type object = map[string]any

func open(t testing.TB) *separationtest.World {
	t.Helper()
	return separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&separation.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})
}

// pair is a policy of the duties of the world.
func pair(w *separationtest.World, name string) object {
	return object{"name": name, "kind": "pair", "sides": []object{
		{"label": "Vendors", "duty_ids": []string{w.Duties["Maintain vendors"]}},
		{"label": "Payments", "duty_ids": []string{w.Duties["Pay"]}},
	}}
}

// expect compares the figures of an impact.
func expect(t *testing.T, what string, got object, fresh, closed, total float64) {
	t.Helper()
	if got["violations_new"] != fresh || got["violations_closed"] != closed || got["violations_total"] != total {
		t.Errorf("%s: %v new, %v closed, %v in all; want %v, %v, %v", what, got["violations_new"],
			got["violations_closed"], got["violations_total"], fresh, closed, total)
	}
}

func TestSimulatingAPolicyStoresNothingAndFindsEverybody(t *testing.T) {
	w := open(t)
	w.Exec(`update identity set department = 'Finance' where id = $1`, w.Ann)
	w.Grants("VENDOR-EDIT")
	w.Grants("FINANCE") // nested in PAY-RUN
	bob := w.Person("bob", "")
	w.GrantTo(w.House.Account(w.System, "bob", bob), "VENDOR-EDIT")
	a := w.Must(200, "admin", "POST", base+"/simulate", pair(w, "Vendors and payments")).Body
	expect(t, "unsaved", a, 1, 0, 1)
	policy := a["by_policy"].([]any)[0].(object)
	department, person := a["by_department"].([]any)[0].(object), a["sample"].([]any)[0].(object)
	if a["people_total"] != 2.0 || policy["policy_id"] != nil || policy["after"] != 1.0 || policy["before"] != 0.0 ||
		department["department"] != "Finance" || person["identity_id"] != w.Ann || len(a["notes"].([]any)) != 0 {
		t.Errorf("impact %v", a)
	}
	found := person["new"].([]any)[0].(object)
	if found["policy"] != "Vendors and payments" || found["sides"].([]any)[1] != "Payments" ||
		found["grade"] != "potential" {
		t.Errorf("violation %v", found)
	}
	if n := w.Count(`select count(*) from separation_policy`); n != 0 {
		t.Errorf("%d policies were stored by the simulation", n)
	}
	id := w.Must(201, "admin", "POST", base, pair(w, "Vendors and payments")).Text("id")
	expect(t, "draft", w.Must(200, "admin", "POST", base+"/"+id+"/simulate", nil).Body, 1, 0, 1)
	w.Must(200, "admin", "POST", base+"/"+id+"/mode", object{"mode": "shadow"})
	expect(t, "evaluated already", w.Must(200, "admin", "POST", base+"/"+id+"/simulate", nil).Body, 0, 0, 1)
}

func TestASavedPolicyIsSimulatedWithAChangedBody(t *testing.T) {
	w := open(t)
	w.Grants("VENDOR-EDIT")
	w.Grants("FINANCE")
	id := w.Must(201, "admin", "POST", base, pair(w, "Vendors and payments")).Text("id")
	w.Must(201, "admin", "POST", base, pair(w, "Other"))
	at := base + "/" + id
	w.Must(200, "admin", "POST", at+"/mode", object{"mode": "shadow"})
	w.Duty("Audit", "AUDIT")
	body := pair(w, "vendors and payments") // its own name is no duplicate
	body["sides"].([]object)[1]["duty_ids"] = []string{w.Duties["Audit"]}
	expect(t, "another side", w.Must(200, "admin", "POST", at+"/simulate", body).Body, 0, 1, 0)
	expect(t, "another text", w.Must(200, "admin", "POST", at+"/simulate", object{"description": "x"}).Body, 0, 0, 1)
	w.Refused(409, "duplicate_name", "admin", "POST", at+"/simulate", object{"name": "Other"})
	w.Refused(422, "validation_failed", "admin", "POST", at+"/simulate", object{"sides": []object{}})
	got := w.Must(200, "admin", "GET", at, nil)
	if got.Text("description") != "" || got.Body["version"] != 2.0 {
		t.Errorf("the simulation has changed the policy: %v", got.Body)
	}
}

func TestSimulatingADutyCoversAllPoliciesThatNameIt(t *testing.T) {
	w := open(t)
	w.Grants("VENDOR-EDIT")
	w.Grants("FINANCE")
	w.Policy("Enforced", "enforce", "block", "Maintain vendors", "Pay")
	w.Policy("Draft", "draft", "block", "Pay", "Maintain vendors")
	members := func(group string) object {
		return object{"all_of": []object{{"members": []object{
			{"kind": "entitlement", "entitlement_id": w.Groups[group]}}}}}
	}
	at := "/policies/duties/" + w.Duties["Pay"]
	a := w.Must(200, "admin", "POST", at+"/simulate", members("AUDIT")).Body
	expect(t, "without payments", a, 0, 2, 0)
	if len(a["by_policy"].([]any)) != 2 || a["identities_affected"] != 1.0 {
		t.Errorf("impact %v", a)
	}
	if got := w.Must(200, "admin", "GET", at, nil); got.Body["version"] != 1.0 ||
		w.Count(`select count(*) from audit_event where action = 'duty.updated'`) != 0 {
		t.Errorf("the simulation has changed the duty: %v", got.Body)
	}
	expect(t, "unchanged", w.Must(200, "admin", "POST", at+"/simulate", object{"description": "x"}).Body, 0, 0, 2)
	blind := w.Must(200, "admin", "POST", at+"/simulate", object{"all_of": []object{{"members": []object{
		{"kind": "external", "connector_id": w.System, "external_id": "not read"}}}}}).Body
	if len(blind["notes"].([]any)) != 2 || len(blind["by_policy"].([]any)[0].(object)["blind_sides"].([]any)) != 1 {
		t.Errorf("a duty without entitlements: %v", blind)
	}
	w.Refused(422, "validation_failed", "admin", "POST", at+"/simulate", object{"all_of": []object{}})
}

func TestSimulatingExemptionsEndsTheViolationsOfExemptPeople(t *testing.T) {
	w := open(t)
	w.Exec(`update identity set department = 'Finance' where id = $1`, w.Ann)
	w.Grants("VENDOR-EDIT")
	w.Grants("FINANCE")
	policy := pair(w, "Vendors and payments")
	policy["mode"] = "shadow"
	at := base + "/" + w.Must(201, "admin", "POST", base, policy).Text("id") + "/simulate"
	exempt := object{"exemptions": object{"field": "department", "op": "eq", "value": "Finance"}}
	expect(t, "exempt", w.Must(200, "admin", "POST", at, exempt).Body, 0, 1, 0)
}
