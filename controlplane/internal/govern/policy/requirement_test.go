package policy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// requires is the body of an enforced policy: who holds a group must have the others.
func requires(name string, because []string, companions ...string) map[string]any {
	return map[string]any{
		"name": name, "mode": "enforce", "effect": "require", "subject": everybody,
		"resources": map[string]any{"entitlement_ids": because},
		"companion": map[string]any{"entitlement_ids": companions},
	}
}

// gaps are the gaps in a state, as the API lists them to a token.
func (h *house) gaps(as, state string) []map[string]any {
	h.T.Helper()
	return h.Must(200, as, "GET", "/policies/requirement-gaps?state="+state, nil).Items()
}

// lacks are the names of what is missing, by the open gaps.
func (h *house) lacks() string {
	h.T.Helper()
	return fmt.Sprint(h.Strings(`select i.display_name || ': ' || string_agg(m ->> 'display', ' ' order by n)
		  from requirement_gap g
		  join identity i on i.id = g.identity_id
		 cross join lateral jsonb_array_elements(g.missing) with ordinality m (m, n)
		 where g.state = 'open'
		 group by i.display_name order by 1`))
}

func TestWhoHoldsAccessMustHaveItsCompanions(t *testing.T) {
	h := open(t)
	policy := h.enforce(requires("VPN needs MFA", h.groups[:1], h.groups[1], h.groups[2]))
	boss := h.Person("boss", "")
	ann, bob, eve := h.Person("ann", boss), h.Person("bob", ""), h.Person("eve", "")
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	account := h.Account(h.system, "ann", ann)
	h.Account(h.system, "eve", eve)
	bobs := h.Account(h.system, "bob", bob)
	h.settle()
	if got := h.lacks(); got != "[]" {
		t.Fatalf("lacking without the access: %s", got)
	}

	// A sync run reads grants. What is missing is found by the change.
	h.Grant(h.system, account, h.groups[0])
	h.Grant(h.system, bobs, h.groups[0])
	h.Grant(h.system, bobs, h.groups[1])
	h.settle()
	if got := h.lacks(); got != "[ann: group-1 group-2 bob: group-2]" {
		t.Fatalf("lacking: %s", got)
	}
	if a, b := len(h.gaps("admin", "open")), len(h.gaps("boss", "open")); a != 2 || b != 1 {
		t.Errorf("the admin is shown %d gaps and the manager %d; want 2 and 1", a, b)
	}
	gap := h.gaps("boss", "open")[0]
	at := "/policies/requirement-gaps/" + gap["id"].(string)
	h.Refused(
		403,
		"forbidden",
		"boss",
		"POST",
		at+"/exempt",
		map[string]any{"reason": "x", "until": "2999-01-01T00:00:00Z"},
	)

	// Evaluated again, it is the same gap. A group that is given closes it.
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+policy, map[string]any{"description": "again"})
	h.settle()
	last := h.Grant(h.system, account, h.groups[1])
	h.Grant(h.system, bobs, h.groups[2])
	h.settle()
	if got := h.lacks(); got != "[ann: group-2]" {
		t.Errorf("lacking: %s", got)
	}
	h.Grant(h.system, account, h.groups[2])
	h.settle()
	found := h.Must(200, "boss", "GET", at, nil)
	if found.Text("state") != "closed" || found.Text("resolution") != "satisfied" {
		t.Errorf("the gap is %v", found.Body)
	}

	// It comes back when a grant ends, and is closed when nothing is required any more.
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, last)
	h.settle()
	if found = h.Must(200, "boss", "GET", at, nil); found.Text("state") != "open" || found.Body["reopened_at"] == nil {
		t.Errorf("the gap that came back is %v", found.Body)
	}
	stats := h.Must(200, "admin", "GET", "/policies/access-grant/"+policy, nil).Body["stats"].(map[string]any)
	if stats["matched"] != 2.0 || stats["lacking"] != 2.0 { // of the last full evaluation
		t.Errorf("stats: %v", stats)
	}
	h.Must(200, "admin", "POST", "/policies/access-grant/"+policy+"/mode", map[string]any{"mode": "shadow"})
	h.settle()
	if found = h.Must(200, "boss", "GET", at, nil); found.Text("resolution") != "not_required" {
		t.Errorf("in shadow mode the gap is %v", found.Body)
	}
	stats = h.Must(200, "admin", "GET", "/policies/access-grant/"+policy, nil).Body["stats"].(map[string]any)
	if stats["matched"] != 2.0 || stats["lacking"] != 1.0 {
		t.Errorf("stats in shadow mode: %v", stats)
	}
	if n := h.Count(`select count(*) from access_reason`); n != 0 {
		t.Errorf("%d reasons were written; a requirement gives and takes nothing", n)
	}
	audited := fmt.Sprint(h.Strings(`select action || ' ' || count(*) from audit_event
		where action like 'requirement_gap.%' group by action order by 1`))
	if audited != "[requirement_gap.closed 3 requirement_gap.opened 2 requirement_gap.reopened 1]" {
		t.Errorf("audited: %s", audited)
	}
}

func TestTrainingAndManagersAreRequired(t *testing.T) {
	h := open(t)
	h.enforce(map[string]any{
		"name":    "Trained",
		"mode":    "enforce",
		"effect":  "require",
		"subject": about("department", "eq", "Ward"),
		"constraints": map[string]any{
			"needs_training": "GDPR 2026",
			"needs_manager":  true,
			"countries":      []string{"CH"},
		},
	})
	h.hire("boss", "Office", "country", "CH")
	ann := h.hire("ann", "Ward", "country", "CH", "manager_external_id", "boss")
	h.hire("bob", "Ward", "country", "CH", "attributes", map[string]any{"trainings": []string{"gdpr 2026"}})
	h.hire("eve", "Ward", "country", "DE")
	h.settle()
	if got := h.lacks(); got != "[ann X: GDPR 2026 bob X: a manager]" {
		t.Fatalf("lacking: %s", got)
	}
	h.patch(ann, map[string]any{"attributes": map[string]any{"trainings": []string{"GDPR 2026"}}})
	h.settle()
	if got := h.lacks(); got != "[bob X: a manager]" {
		t.Errorf("lacking after the training: %s", got)
	}
}

func TestADenialIsStrongerThanARequirement(t *testing.T) {
	h := open(t)
	ann := h.hire("ann", "Sales")
	h.enforce(requires("all need", nil, h.groups[0], h.groups[1]))
	h.settle()
	if got := h.lacks(); got != "[ann X: group-0 group-1]" {
		t.Fatalf("lacking: %s", got)
	}
	h.enforce(map[string]any{"name": "not sales", "mode": "enforce", "effect": "deny",
		"subject": about("department", "eq", "Sales"), "resources": map[string]any{"entitlement_ids": h.groups[:1]}})
	// What a policy assigns is being provisioned, and so is not missing.
	h.enforce(h.rule("sales", about("department", "eq", "Sales"), h.groups[1]))
	h.settle()
	if got := h.lacks(); got != "[]" {
		t.Errorf("lacking what is denied or assigned: %s", got)
	}
	h.patch(ann, map[string]any{"department": "IT"})
	h.settle()
	if got := h.lacks(); got != "[ann X: group-0 group-1]" {
		t.Errorf("lacking again: %s", got)
	}
}

func TestAnExemptionIsForWhatIsMissingAndForATime(t *testing.T) {
	h := open(t)
	h.at = time.Now()
	h.enforce(requires("all need", nil, h.groups[0], h.groups[1]))
	ann := h.Person("ann", "")
	account := h.Account(h.system, "ann", ann)
	h.settle()
	at := "/policies/requirement-gaps/" + h.gaps("admin", "open")[0]["id"].(string)
	until := h.at.Add(48 * time.Hour).UTC().Format(time.RFC3339)
	h.Refused(422, "validation_failed", "admin", "POST", at+"/exempt",
		map[string]any{"reason": "x", "until": "2001-01-01T00:00:00Z"})
	h.Refused(409, "invalid_transition", "admin", "DELETE", at+"/exemption", nil)
	exempt := func() {
		t.Helper()
		h.Must(200, "admin", "POST", at+"/exempt", map[string]any{"reason": "a token is on its way", "until": until})
		h.settle()
	}
	state := func(want string) {
		t.Helper()
		if found := h.Must(200, "admin", "GET", at, nil); found.Text("state") != want {
			t.Errorf("the gap is %v; want %s", found.Body, want)
		}
	}
	exempt()
	state("exempted")
	h.Must(200, "admin", "DELETE", at+"/exemption", nil)
	state("open")

	// Less may be missing; what was not missing then is not covered.
	given := h.Grant(h.system, account, h.groups[1])
	h.settle()
	exempt()
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, given)
	h.settle()
	state("open")

	exempt()
	h.at = h.at.Add(72 * time.Hour)
	h.settle()
	state("open")
	if n := h.Count(`select count(*) from audit_event where action = 'requirement_gap.exemption_lapsed'`); n != 1 {
		t.Errorf("the end of the exemption was audited %d times", n)
	}
}

func TestASimulationShowsWhoLacksWhat(t *testing.T) {
	h := open(t)
	ann, bob := h.hire("ann", "Sales"), h.hire("bob", "IT")
	h.Grant(h.system, h.Account(h.system, "ann", ann), h.groups[0])
	h.Grant(h.system, h.Account(h.system, "bob", bob), h.groups[1])
	body := requires("a needs b", h.groups[:1], h.groups[1])
	plan := h.Must(200, "admin", "POST", "/policies/access-grant/simulate", body)
	if plan.Body["matched"] != 1.0 || plan.Body["people_lacking"] != 1.0 || plan.Body["identities_affected"] != 1.0 ||
		plan.Body["identities_reason_only"] != 0.0 || plan.Body["grants_added"] != 0.0 {
		t.Fatalf("simulated: %v", plan.Body)
	}
	one := plan.Body["sample"].([]any)[0].(map[string]any)
	missing := one["missing"].([]any)[0].(map[string]any)
	if one["identity_id"] != ann || missing["id"] != h.groups[1] || missing["display"] != "group-1" {
		t.Errorf("sample: %v", one)
	}
	if n := h.Count(`select count(*) from requirement_gap`); n != 0 {
		t.Errorf("a simulation wrote %d gaps", n)
	}
}

func TestARequirementNamesWhatPeopleMustHave(t *testing.T) {
	h := open(t)
	refused := func(change map[string]any, pointer string) {
		t.Helper()
		body := requires("a needs b", h.groups[:1], h.groups[1])
		for k, v := range change {
			body[k] = v
		}
		a := h.Refused(422, "validation_failed", "admin", "POST", "/policies/access-grant", body)
		if got := a.Body["errors"].([]any)[0].(map[string]any)["pointer"]; got != pointer {
			t.Errorf("%v points to %v; want %s", change, got, pointer)
		}
	}
	refused(map[string]any{"companion": nil}, "#/companion")
	refused(map[string]any{"effect": "assign"}, "#/companion")
	refused(map[string]any{"birthright": true}, "#/birthright")
	refused(map[string]any{"circuit_breaker": map[string]any{"max_changes": 5, "window": "PT1H"}}, "#/circuit_breaker")
	refused(map[string]any{"companion": map[string]any{"role_ids": []string{h.groups[0]}}}, "#/companion/role_ids/0")
	id := h.enforce(requires("a needs b", h.groups[:1], h.groups[1]))
	for _, query := range []string{"effect=require", "entitlement_id=" + h.groups[1], "entitlement_id=" + h.groups[0]} {
		list := h.Must(200, "admin", "GET", "/policies/access-grant?"+query, nil).Items()
		if len(list) != 1 || list[0]["id"] != id {
			t.Errorf("%s lists %v", query, list)
		}
	}
	// What is out of use cannot be had, and is not missing.
	h.Grant(h.system, h.Account(h.system, "ann", h.Person("ann", "")), h.groups[0])
	h.settle()
	h.Exec(`update entitlement set removed_at = now() where id = $1`, h.groups[1])
	h.settle()
	if got := h.lacks(); got != "[]" {
		t.Errorf("lacking what is gone: %s", got)
	}
}
