package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eligible is the pack clinic with a policy of who can request the role, and one that applies in office hours.
func eligible(version string, replace ...string) map[string]string {
	files := clinic(version, "", "  - key: shadowed\n", `  - key: may-ask
    name: May ask
    effect: eligible
    mode: enforce
    subject: {match: all, rules: [{field: department, op: in, value: "{{wards}}"}]}
    grant: [{role: nurse}]
    constraints: {maxDuration: P30D, requiresJustification: true, employmentTypes: [employee, intern], needsManager: true}
  - key: office
    name: Office hours
    subject: {match: all, rules: [{field: title, op: contains, value: chief}]}
    grant: [{role: nurse}]
    constraints: {countries: [CH]}
    schedule: {to: "2099-12-31T23:00:00+01:00", weekly: [{days: [fri, mon], starts: "08:00", ends: "18:00"}]}
  - key: shadowed
`)
	files["pack.yaml"] = strings.NewReplacer(replace...).Replace(files["pack.yaml"])
	return files
}

func TestAPackBringsEligibilityConstraintsAndSchedules(t *testing.T) {
	h := open(t)
	h.Entitlement(h.system("ehr", "ehr"), "Nurse read")
	h.upload(eligible("1.0.0"))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	stored := func(name string) map[string]any {
		for _, p := range h.Must(200, "admin", "GET", "/policies/access-grant?limit=100", nil).Items() {
			if p["name"] == name {
				return p
			}
		}
		t.Fatalf("there is no policy %s", name)
		return nil
	}
	may := stored("May ask")
	want := map[string]any{
		"max_duration": "P30D", "requires_mfa": false, "requires_justification": true,
		"requires_external_reference": false, "employment_types": []any{"employee", "intern"}, "countries": []any{},
		"needs_training": nil, "needs_manager": true,
	}
	if diff := cmp.Diff(
		want,
		may["constraints"],
	); diff != "" || may["effect"] != "eligible" ||
		may["mode"] != "enforce" {
		t.Errorf("%v %v, constraints (-want +got)\n%s", may["effect"], may["mode"], diff)
	}
	times := map[string]any{"from": nil, "to": "2099-12-31T22:00:00Z", "weekly": []any{map[string]any{
		"days": []any{"mon", "fri"}, "starts": "08:00", "ends": "18:00"}}}
	if diff := cmp.Diff(times, stored("Office hours")["schedule"]); diff != "" {
		t.Errorf("schedule (-want +got)\n%s", diff)
	}
	for _, o := range h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=access_grant_policy", nil).Items() {
		if o["pristine"] != true {
			t.Errorf("%v differs in %v", o["object_key"], o["changed"])
		}
	}
	// The tenant lets interns out and asks for a ticket; the new version lets students in and shortens the requests.
	h.Exec(`update access_policy set constraints = constraints || '{"employment_types": ["employee"],
		"requires_external_reference": true}' where name = 'May ask'`)
	h.upload(eligible("1.1.0", "[employee, intern]", "[employee, intern, student]", "P30D", "P14D",
		"    schedule: {to", "    schedule: {from: \"2026-01-01T00:00:00Z\", to"))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	want["max_duration"], want["requires_external_reference"] = "P14D", true
	want["employment_types"] = []any{"employee", "student"}
	if diff := cmp.Diff(want, stored("May ask")["constraints"]); diff != "" {
		t.Errorf("merged constraints (-want +got)\n%s", diff)
	}
	times["from"] = "2026-01-01T00:00:00Z"
	if diff := cmp.Diff(times, stored("Office hours")["schedule"]); diff != "" {
		t.Errorf("the schedule of the new version (-want +got)\n%s", diff)
	}
	if got := h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items(); len(got) != 0 {
		t.Errorf("conflicts %v", got)
	}
}

// TestWhatOnlyLetsPeopleAskChangesNobodysAccess: a plan counts what people get, with constraints and schedules.
func TestWhatOnlyLetsPeopleAskChangesNobodysAccess(t *testing.T) {
	h := open(t)
	h.Entitlement(h.system("ehr", "ehr"), "Nurse read")
	for name, country := range map[string]string{"ann": "CH", "bob": "FR"} {
		id := h.Person(name, "")
		h.Exec(`update identity set department = 'Nursing', title = 'chief', country = $2 where id = $1`, id, country)
	}
	nobody := []string{`value: "{{wards}}"}]}
    grant: [{role: nurse}]
    lifecycle`, `value: [Nowhere]}]}
    grant: [{role: nurse}]
    lifecycle`}
	grants := func(files map[string]string) any {
		h.upload(files)
		return h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{}).Body["impact"].(map[string]any)["grants_added"]
	}
	if got := grants(eligible("1.0.0", nobody...)); got != 0.0 {
		t.Errorf("who may ask gains %v", got)
	}
	office := append([]string{"    name: Office hours\n", "    name: Office hours\n    mode: enforce\n"}, nobody...)
	always := `{days: [mon, tue, wed, thu, fri, sat, sun], starts: "00:00", ends: "24:00"}`
	open := append([]string{`{days: [fri, mon], starts: "08:00", ends: "18:00"}`, always}, office...)
	if got := grants(eligible("1.1.0", open...)); got != 1.0 {
		t.Errorf("in the country, at any time: %v", got)
	}
	closed := append([]string{`to: "2099-`, `to: "2020-`}, office...)
	if got := grants(eligible("1.2.0", closed...)); got != 0.0 {
		t.Errorf("after the end: %v", got)
	}
}

func TestTermsThatAPolicyOfAPackCannotHaveAreFound(t *testing.T) {
	h := open(t)
	for _, tt := range []struct{ name, from, to, want string }{
		{"a term of requests", "effect: eligible", "effect: assign", "#/accessGrantPolicies/0/constraints/maxDuration"},
		{"an unknown employment type", "intern]", "queen]", "#/accessGrantPolicies/0/constraints/employmentTypes"},
		{"an end before the start", `{to: "2099`, `{from: "2100-01-01T00:00:00Z", to: "2099`, "#/accessGrantPolicies/1/schedule/to"},
		{"a time without zone", "+01:00", "", "#/accessGrantPolicies/1/schedule/to"},
		{"another effect", "effect: eligible", "effect: allow", "#/accessGrantPolicies/0/effect"},
		{"a birthright that is asked for", "    name: Nurses\n", "    name: Nurses\n    effect: eligible\n", "#/birthrights/0/effect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := eligible("1.0.0", tt.from, tt.to)
			r := h.Must(200, "admin", "POST", packs+"/validate", map[string]any{"archive": h.packed(files)})
			if text := str(r.Body); !strings.Contains(text, tt.want) {
				t.Errorf("the place %s is not named: %s", tt.want, text)
			}
		})
	}
}
