package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// careful is a pack with a decision table, a requirement, and a policy whose access is reviewed.
const careful = `apiVersion: grantwright.pack/v1
kind: SectorPack
metadata: {key: careful, version: VERSION, name: Careful, sector: healthcare, publisher: Me, languages: [en]}
parameters:
  - {key: wards, type: "string[]", default: [Nursing, "A|B"], required: true, prompt: "Wards"}
roles:
  - {key: nurse, name: Nurse, entitlements: [{select: {connector: {tag: ehr}, name: Nurse read}}]}
accessGrantPolicies:
  - key: by-site
    name: By site
    mode: enforce
    subject: {match: all, rules: []}
    table:
      columns: [department, location]
      rows:
        - {cells: [["{{wards}}"], "*"], grant: [{role: nurse}], comment: wards}
        - {cells: [Sales, "Be*"], grant: [{select: {connector: {tag: crm}, name: Leads}}]}
        - {cells: [Sales, Zürich], grant: [{select: {connector: {tag: ehr}, name: Nurse read}}, {select: {connector: {tag: crm}, name: Leads}}]}
  - key: trained
    name: Trained
    mode: enforce
    effect: require
    subject: {match: all, rules: []}
    grant: [{select: {connector: {tag: crm}, name: Leads}}]
    require: [{select: {connector: {tag: ehr}, name: MFA}}]
    constraints: {needsTraining: Data protection}
  - key: reviewed
    name: Reviewed
    mode: enforce
    subject: {match: all, rules: [{field: title, op: eq, value: chief}]}
    grant: [{select: {connector: {tag: ehr}, name: Nurse read}}]
    lifecycle: {onNoMatch: review}
  - key: tagged
    name: Tagged
    mode: enforce
    subject: {match: all, rules: [{field: department, op: eq, value: Audit}]}
    grant: [{tag: SOX}]
tests:
  - {name: audit, given: {identity: {department: Audit}}, expectOnly: [tagged]}
  - {name: a nurse, given: {identity: {department: Nursing}}, expectOnly: [by-site, nurse]}
  - {name: a ward with a bar, given: {identity: {department: "A|B", title: chief}}, expectOnly: [by-site, nurse, reviewed]}
  - {name: somebody else, given: {identity: {department: Legal}}, expectOnly: []}
  - {name: sales, given: {identity: {department: Sales, location: Bern}}, expectOnly: [by-site, trained]}
`

func carefulPack(version string, replace ...string) map[string]string {
	return map[string]string{"pack.yaml": strings.NewReplacer(replace...).Replace(
		strings.Replace(careful, "VERSION", version, 1))}
}

// stored is a policy by its name, or nil.
func (h *house) stored(name string) map[string]any {
	h.T.Helper()
	for _, p := range h.Must(200, "admin", "GET", "/policies/access-grant?limit=100", nil).Items() {
		if p["name"] == name {
			return h.Must(200, "admin", "GET", "/policies/access-grant/"+str(p["id"]), nil).Body
		}
	}
	return nil
}

// rows are the rows of a decision table, in short: the cells and how many entitlements and roles each assigns.
func rows(p map[string]any) (out []string) {
	if p == nil {
		return nil
	}
	for _, r := range p["table"].(map[string]any)["rows"].([]any) {
		row := r.(map[string]any)
		words := []string{}
		for _, c := range row["cells"].([]any) {
			words = append(words, c.(string))
		}
		out = append(out, strings.Join(words, " & ")+": "+strings.Repeat("r", len(row["role_ids"].([]any)))+
			strings.Repeat("e", len(row["entitlement_ids"].([]any))))
	}
	return out
}

func (h *house) pending(want string) {
	h.T.Helper()
	if got := h.Must(200, "admin", "GET", packs+"/careful/objects?state=pending_binding", nil).
		Values("object_key"); str(
		got,
	) != want {
		h.T.Errorf("%v wait; want %s", got, want)
	}
}

// TestAPackBringsTablesRequirementsAndReviews installs a pack before all systems are connected: rows and requirements
// are bound when they come. The new version and the tenant change different rows, and both changes apply.
func TestAPackBringsTablesRequirementsAndReviews(t *testing.T) {
	h := open(t)
	ehr := h.system("ehr", "ehr")
	h.Entitlement(ehr, "Nurse read")
	ann := h.hire("ann", "Nursing")
	sue := h.hire("sue", "Sales")
	h.Exec(`update identity set location = 'Bern', title = 'chief' where id = $1`, sue)
	h.upload(carefulPack("1.0.0"))
	h.Must(200, "admin", "POST", packs+"/careful/install", map[string]any{"confirm": h.planned("careful")})
	h.settle()
	if got, want := rows(
		h.stored("By site"),
	), []string{
		`Nursing|A\|B & *: r`,
		"Sales & Zürich: e",
	}; !cmp.Equal(
		got,
		want,
	) {
		t.Errorf("rows %q; want %q", got, want)
	}
	if h.stored("Trained") != nil {
		t.Error("a requirement exists although nobody can hold what brings it, so it would be for everyone")
	}
	if got := h.holds(ann) + "/" + h.holds(sue); got != "Nurse read/Nurse read" {
		t.Errorf("ann and sue hold %s", got)
	}
	h.pending("[by-site trained]")

	crm := h.system("crm", "crm")
	leads := h.Entitlement(crm, "Leads")
	h.look()
	h.settle()
	want := []string{`Nursing|A\|B & *: r`, "Sales & Be*: e", "Sales & Zürich: ee"}
	if got := rows(h.stored("By site")); !cmp.Equal(got, want) {
		t.Errorf("rows with the second system %q; want %q", got, want)
	}
	trained := h.stored("Trained")
	if trained == nil || str(trained["resources"].(map[string]any)["entitlement_ids"]) != "["+leads+"]" ||
		trained["companion"] != nil {
		t.Fatalf("the requirement is %v", trained)
	}
	h.pending("[trained]")
	if got := h.holds(sue); got != "Leads Nurse read" {
		t.Errorf("sue holds %s", got)
	}
	mfa := h.Entitlement(ehr, "MFA")
	h.look()
	if got := str(h.stored("Trained")["companion"].(map[string]any)["entitlement_ids"]); got != "["+mfa+"]" {
		t.Errorf("required is %s", got)
	}
	h.pending("[]")
	for _, o := range h.Must(200, "admin", "GET", packs+"/careful/objects?kind=access_grant_policy", nil).Items() {
		if o["pristine"] != true {
			t.Errorf("%v differs in %v", o["object_key"], o["changed"])
		}
	}

	// What gets a tag later is assigned too, and nothing waits for it.
	ida := h.hire("ida", "Audit")
	h.settle()
	h.Exec(`update entitlement set compliance_tags = '{SOX}' where id = $1`, mfa)
	h.settle()
	if got := h.holds(ida); got != "MFA" {
		t.Errorf("ida of Audit holds %s", got)
	}

	// Sue is no chief any more: what the policy Reviewed gave stays until a decision.
	h.Exec(`update identity set title = 'clerk' where id = $1`, sue)
	h.settle()
	if n := h.Count(`select count(*) from policy_review where identity_id = $1 and state = 'open'`, sue); n != 1 {
		t.Errorf("%d reviews", n)
	}

	// The tenant adds a row; the new version changes one and adds another.
	table := h.stored("By site")["table"].(map[string]any)
	table["rows"] = append(
		table["rows"].([]any),
		map[string]any{"cells": []string{"Legal", "*"}, "entitlement_ids": []string{mfa}},
	)
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+str(h.stored("By site")["id"])+"?confirm=any",
		map[string]any{"table": table})
	h.upload(
		carefulPack(
			"1.1.0",
			`        - {cells: [Sales, Zürich], grant: [{select: {connector: {tag: ehr}, name: Nurse read}}, {`,
			`        - {cells: [Chefs, "*"], grant: [{role: nurse}]}
        - {cells: [Sales, Zürich], grant: [{`,
		),
	)
	h.Must(200, "admin", "POST", packs+"/careful/upgrade", map[string]any{"confirm": h.planned("careful")})
	want = []string{`Nursing|A\|B & *: r`, "Sales & Be*: e", "Chefs & *: r", "Sales & Zürich: e", "Legal & *: e"}
	if got := rows(h.stored("By site")); !cmp.Equal(got, want) {
		t.Errorf("merged rows %q; want %q", got, want)
	}
	if got := h.Must(200, "admin", "GET", packs+"/careful/conflicts?state=open", nil).Items(); len(got) != 0 {
		t.Errorf("conflicts %v", got)
	}
}

// planned is the hash of a plan.
func (h *house) planned(key string) string {
	h.T.Helper()
	return str(h.Must(200, "admin", "POST", packs+"/"+key+"/plan", map[string]any{}).Body["plan_hash"])
}

// TestAPlanCountsWhoWouldLackSomething: and who would keep access until a decision, not as a loss.
func TestAPlanCountsWhoWouldLackSomething(t *testing.T) {
	h := open(t)
	ehr, crm := h.system("ehr", "ehr"), h.system("crm", "crm")
	for _, name := range []string{"Nurse read", "MFA"} {
		h.Entitlement(ehr, name)
	}
	leads := h.Entitlement(crm, "Leads")
	sue := h.hire("sue", "Sales")
	h.Exec(`update identity set title = 'chief' where id = $1`, sue)
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, effect, kind, source_type,
		source_id, state) values (current_tenant(), gen_random_uuid(), $1, $2, $3, 'allow', 'manual', 'manual', gen_random_uuid(), 'active')`,
		sue,
		crm,
		leads,
	)
	h.upload(carefulPack("1.0.0"))
	plan := h.Must(200, "admin", "POST", packs+"/careful/plan", map[string]any{}).Body
	if got := plan["impact"].(map[string]any)["people_lacking"]; got != 1.0 {
		t.Errorf("%v people lack something", got)
	}
	h.Must(200, "admin", "POST", packs+"/careful/install", map[string]any{"confirm": plan["plan_hash"]})
	h.settle()
	if n := h.Count(`select count(*) from requirement_gap where state = 'open'`); n != 1 {
		t.Errorf("%d gaps", n)
	}
	h.upload(carefulPack("1.1.0", "value: chief", "value: boss", "title: chief", "title: boss"))
	effect := h.Must(200, "admin", "POST", packs+"/careful/plan", map[string]any{}).Body["impact"].(map[string]any)
	if effect["grants_ended"] != 0.0 || effect["people_to_review"] != 1.0 || effect["grants_to_review"] != 1.0 {
		t.Errorf(
			"ended %v, to review %v of %v",
			effect["grants_ended"],
			effect["grants_to_review"],
			effect["people_to_review"],
		)
	}
}

// TestUninstallingLeavesReviewedAccessToADecision: the three ways of taking a pack back.
func TestUninstallingLeavesReviewedAccessToADecision(t *testing.T) {
	for mode, want := range map[string]string{"detach": "[By site Reviewed Tagged Trained]", "remove_unused": "[Reviewed]", "remove_all": "[Reviewed]"} {
		t.Run(mode, func(t *testing.T) {
			h := open(t)
			ehr, crm := h.system("ehr", "ehr"), h.system("crm", "crm")
			for _, name := range []string{"Nurse read", "MFA"} {
				h.Entitlement(ehr, name)
			}
			h.Entitlement(crm, "Leads")
			sue := h.hire("sue", "Legal")
			h.Exec(`update identity set title = 'chief' where id = $1`, sue)
			h.upload(carefulPack("1.0.0"))
			h.Must(200, "admin", "POST", packs+"/careful/install", map[string]any{"confirm": h.planned("careful")})
			h.settle()
			dry := h.Must(
				200,
				"admin",
				"POST",
				packs+"/careful/uninstall?dry_run=true",
				map[string]any{"mode": mode},
			).Body
			h.Must(
				200,
				"admin",
				"POST",
				packs+"/careful/uninstall",
				map[string]any{"mode": mode, "confirm": dry["plan_hash"]},
			)
			h.settle()
			left := h.Strings(`select name from access_policy where deleted_at is null order by name`)
			if str(left) != want {
				t.Errorf("%s stay; want %s", left, want)
			}
			open := h.Count(`select count(*) from policy_review where state = 'open'`)
			if got := h.holds(sue); got != "Nurse read" || (mode == "remove_all") != (open == 1) {
				t.Errorf("sue holds %s, and %d reviews are open", got, open)
			}
		})
	}
}

func TestTablesAndRequirementsThatCannotBeAreFound(t *testing.T) {
	h := open(t)
	for _, tt := range []struct{ name, from, to, want string }{
		{"a field that a column cannot compare", "[department, location]", "[department, start_date]", "#/accessGrantPolicies/0/table/columns/1"},
		{"a row with a cell too many", `[Sales, "Be*"]`, `[Sales, "Be*", x]`, "#/accessGrantPolicies/0/table/rows/1/cells"},
		{"a cell that cannot be read", `"Be*"`, `"B*e"`, "#/accessGrantPolicies/0/table/rows/1/cells/1"},
		{"a row that assigns nothing", `, grant: [{role: nurse}], comment`, `, comment`, "#/accessGrantPolicies/0/table/rows/0/grant"},
		{"a role that is not there", "grant: [{role: nurse}]", "grant: [{role: nurze}]", "#/accessGrantPolicies/0/table/rows/0/grant/0/role"},
		{"an account in a row", "grant: [{role: nurse}]", "grant: [{account: {tag: ehr}}]", "#/accessGrantPolicies/0/table/rows/0/grant/0"},
		{"a table that denies", "    table:", "    effect: deny\n    table:", "#/accessGrantPolicies/0/effect"},
		{"a table and grants", "    table:", "    grant: [{role: nurse}]\n    table:", "#/accessGrantPolicies/0/grant"},
		{"nothing that is required", "    require: [{select: {connector: {tag: ehr}, name: MFA}}]\n    constraints: {needsTraining: Data protection}\n", "", "#/accessGrantPolicies/1/require"},
		{"requirements of a policy that assigns", "    effect: require\n", "", "#/accessGrantPolicies/1/require"},
		{"a required account", "require: [{select: {connector: {tag: ehr}, name: MFA}}]", "require: [{account: {tag: ehr}}]", "#/accessGrantPolicies/1/require/0"},
		{"a row by tag", "grant: [{role: nurse}]", "grant: [{tag: SOX}]", "#/accessGrantPolicies/0/table/rows/0/grant/0"},
		{"a review of a denial", "    name: Reviewed\n", "    name: Reviewed\n    effect: deny\n", "#/accessGrantPolicies/2/lifecycle/onNoMatch"},
		{"no access at all", "    grant: [{select: {connector: {tag: ehr}, name: Nurse read}}]\n    lifecycle", "    lifecycle", "#/accessGrantPolicies/2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(careful, tt.from) {
				t.Fatalf("the pack does not have %s", tt.from)
			}
			r := h.Must(
				200,
				"admin",
				"POST",
				packs+"/validate",
				map[string]any{"archive": h.packed(carefulPack("1.0.0", tt.from, tt.to))},
			)
			if text := str(r.Body); !strings.Contains(text, tt.want) {
				t.Errorf("the place %s is not named: %s", tt.want, text)
			}
		})
	}
}
