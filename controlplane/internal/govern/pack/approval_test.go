package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ruled is a clinic's pack with an approval rule for its nurses, and one for everything else.
const ruled = `approvalRules:
  - {key: nursing, name: Clinical access, roles: [nurse], stages: [{approvers: [manager]}, {approvers: [role_owner, admin]}], respondWithin: P5D}
  - {key: rest, name: Everything else, stages: [{approvers: [resource_owner]}]}
`

// rulesHere are the tenant's approval rules in words.
func (h *house) rulesHere() []string {
	h.T.Helper()
	return h.Strings(`
		select r.name || ' | ' || coalesce((select string_agg(o.key, ',') from role o
		    where r.applies_to -> 'role_ids' ? o.id::text), '')
		       || case when (r.applies_to ->> 'default')::boolean then 'default' else '' end
		       || ' | ' || (select string_agg((s ->> 'name') || ' ' || (s ->> 'respond_within'), ', ')
		           from jsonb_array_elements(r.branches #> '{0,outcome,stages}') s)
		       || ' | ' || (r.terms ->> 'request_ttl') || ' | ' || coalesce(r.origin ->> 'pack_version',
		           r.origin ->> 'kind')
		  from approval_rule r order by r.name`)
}

func (h *house) wantRules(want ...string) {
	h.T.Helper()
	if diff := cmp.Diff(append([]string{}, want...), h.rulesHere()); diff != "" {
		h.T.Errorf("approval rules (-want +got):\n%s", diff)
	}
}

const (
	nursing = "Clinical access | nurse | Manager P5D, Role owner or Administrator P5D | P20D | "
	theRest = "Everything else | default | Owner P3D | P14D | "
)

func TestAPackBringsApprovalRules(t *testing.T) {
	h := open(t)
	h.upload(clinic("1.0.0", ruled))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "add"); got != "b hr nurse nurses shadowed default nurse two nursing rest" {
		t.Errorf("the plan adds %q", got)
	}
	h.wantRules()
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{"confirm": planned.Text("plan_hash")})
	h.wantRules(nursing+"1.0.0", theRest+"1.0.0")
	objects := h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=approval_rule", nil)
	if got := objects.Values("pristine"); !cmp.Equal(got, []any{true, true}) {
		t.Errorf("pristine = %v", got)
	}
	for _, id := range objects.Values("object_id") {
		h.Must(200, "admin", "GET", "/approval-rules/"+id.(string), nil)
	}

	// Another version with the same rules changes nothing of them; what it drops goes.
	h.upload(clinic("1.1.0", ruled))
	planned = h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "change") + keys(planned.Body, "conflict"); got != "" {
		t.Errorf("a version with the same rules changes %q", got)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantRules(nursing+"1.1.0", theRest+"1.1.0")
	h.upload(clinic("1.2.0", strings.Split(ruled, "  - {key: rest")[0]))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantRules(nursing + "1.2.0")
}

func TestApprovalRulesOfAPackAreMerged(t *testing.T) {
	h := open(t)
	h.upload(clinic("1.0.0", ruled))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	rule := func(name string) string {
		return "/approval-rules/" + h.Strings(`select id::text from approval_rule where name = $1`, name)[0]
	}
	h.Must(200, "admin", "PATCH", rule("Clinical access"), map[string]any{"name": "Our nurses", "priority": 7})
	h.Must(200, "admin", "PATCH", rule("Everything else"), map[string]any{"description": "ours"})
	h.upload(
		clinic(
			"1.1.0",
			ruled,
			"name: Clinical access",
			"name: Access of nurses",
			"name: Everything else",
			"name: All else",
		),
	)
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantRules(
		strings.Replace(theRest, "Everything", "All", 1)+"1.1.0",
		strings.Replace(nursing, "Clinical access", "Our nurses", 1)+"1.1.0",
	)
	if n := h.Count(`select count(*) from approval_rule where priority = 7 or description = 'ours'`); n != 2 {
		t.Errorf("%d of 2 changes of the tenant have stayed", n)
	}
	open := h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items()
	if len(open) != 1 || open[0]["kind"] != "approval_rule" || str(open[0]["fields"]) != "[name]" {
		t.Fatalf("open conflicts: %v", open)
	}
	h.Must(200, "admin", "POST", packs+"/conflicts/"+open[0]["id"].(string)+"/resolve", map[string]any{"use": "theirs"})
	if got := h.Strings(
		`select name from approval_rule where priority = 7`,
	); !cmp.Equal(
		got,
		[]string{"Access of nurses"},
	) {
		t.Errorf("after theirs was taken, it is called %q", got)
	}
	// Deleted by the tenant, it is not made again.
	h.Must(204, "admin", "DELETE", rule("All else"), nil)
	h.upload(clinic("1.2.0", ruled))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	if n := h.Count(`select count(*) from approval_rule`); n != 1 {
		t.Errorf("%d approval rules; want the one that was not deleted", n)
	}
}

func TestATenantsOwnDefaultRuleStands(t *testing.T) {
	h := open(t)
	own := map[string]any{
		"name":       "Ask the administrators",
		"applies_to": map[string]any{"default": true},
		"branches": []any{map[string]any{"outcome": map[string]any{
			"kind": "chain",
			"stages": []any{
				map[string]any{
					"name": "Admins",
					"groups": []any{
						map[string]any{"approvers": []any{map[string]any{"kind": "app_role", "app_role": "admin"}}},
					},
				},
			},
		}}},
	}
	made := h.Must(201, "admin", "POST", "/approval-rules", own)
	h.upload(clinic("1.0.0", ruled))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	mine := "Ask the administrators | default | Admins P3D | P14D | manual"
	h.wantRules(mine, nursing+"1.0.0")
	open := h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items()
	if len(open) != 1 || open[0]["object_key"] != "rest" || open[0]["base"] != nil {
		t.Fatalf("open conflicts: %v", open)
	}
	h.Must(200, "admin", "POST", packs+"/conflicts/"+open[0]["id"].(string)+"/resolve", map[string]any{"use": "mine"})
	dry := h.Must(200, "admin", "POST", packs+"/clinic/uninstall?dry_run=true", map[string]any{"mode": "remove_all"})
	h.Must(
		200,
		"admin",
		"POST",
		packs+"/clinic/uninstall",
		map[string]any{"mode": "remove_all", "confirm": dry.Text("plan_hash")},
	)
	h.wantRules(mine)
	h.Must(200, "admin", "GET", "/approval-rules/"+made.Text("id"), nil)
}

// A rule that something of the tenant names stays when the pack goes, or drops it.
func TestARuleThatIsUsedStays(t *testing.T) {
	for _, way := range []string{"uninstall", "upgrade"} {
		t.Run(way, func(t *testing.T) {
			h := open(t)
			h.upload(clinic("1.0.0", ruled))
			h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
			rule := h.Strings(`select id::text from approval_rule where name = 'Clinical access'`)[0]
			h.Must(
				201,
				"admin",
				"POST",
				"/entitlements/roles",
				map[string]any{"key": "own", "name": "Own", "approval_rule_id": rule},
			)
			if way == "uninstall" {
				dry := h.Must(
					200,
					"admin",
					"POST",
					packs+"/clinic/uninstall?dry_run=true",
					map[string]any{"mode": "remove_all"},
				)
				if got := keys(dry.Body, "detach"); got != "nursing" {
					t.Errorf("uninstalling leaves %q", got)
				}
				h.Must(
					200,
					"admin",
					"POST",
					packs+"/clinic/uninstall",
					map[string]any{"mode": "remove_all", "confirm": dry.Text("plan_hash")},
				)
			} else {
				h.upload(clinic("1.1.0", ""))
				done := h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
				if got := keys(done.Body["plan"].(map[string]any), "skip"); !strings.Contains(got, "nursing") {
					t.Errorf("the upgrade skips %q", got)
				}
			}
			if got := h.Strings(
				`select name || ' ' || (origin ->> 'kind') from approval_rule`,
			); !cmp.Equal(
				got,
				[]string{"Clinical access manual"},
			) {
				t.Errorf("approval rules %q", got)
			}
		})
	}
}

// A role that the tenant had is not under the pack's rule until it is decided that the role is the pack's.
func TestAnApprovalRuleWaitsForItsRole(t *testing.T) {
	h := open(t)
	h.Must(201, "admin", "POST", "/entitlements/roles", map[string]any{"key": "nurse", "name": "Our nurse"})
	h.upload(clinic("1.0.0", ruled))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "pending_binding"); !strings.Contains(got, "nursing") {
		t.Errorf("pending: %q", got)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.wantRules(theRest + "1.0.0")
	for _, c := range h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items() {
		h.Must(200, "admin", "POST", packs+"/conflicts/"+c["id"].(string)+"/resolve", map[string]any{"use": "theirs"})
	}
	h.wantRules(nursing+"1.0.0", theRest+"1.0.0")
}
