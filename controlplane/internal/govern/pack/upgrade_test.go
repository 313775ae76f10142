package pack_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
)

// installed is a house in which the clinic's pack is installed, with ada the nurse.
func installed(t *testing.T, parameters map[string]any) (*house, string) {
	t.Helper()
	h := open(t)
	h.Entitlement(h.system("ehr", "ehr"), "Nurse read")
	h.Entitlement(h.system("dir", ""), "Staff")
	h.upload(clinic("1.0.0", ""))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{"parameters": parameters})
	ada := h.hire("ada", "Nursing")
	h.settle()
	if got := h.holds(ada); got != "Nurse read Staff" {
		t.Fatalf("ada holds %q", got)
	}
	return h, ada
}

// policy is the id of a policy by its name.
func (h *house) policy(name string) string {
	h.T.Helper()
	ids := h.Strings(`select id::text from access_policy where name = $1 and deleted_at is null`, name)
	if len(ids) != 1 {
		h.T.Fatalf("%d policies are called %s", len(ids), name)
	}
	return ids[0]
}

func TestAnUpgradeMergesThreeWays(t *testing.T) {
	h, ada := installed(t, nil)
	// The tenant renames one policy and describes the other.
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+h.policy("Nurses"), map[string]any{"name": "Our nurses"})
	h.Must(
		200,
		"admin",
		"PATCH",
		"/policies/access-grant/"+h.policy("Everybody"),
		map[string]any{"description": "ours"},
	)
	objects := h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=birthright", nil)
	if got := objects.Values("pristine"); got[0] != false || got[1] != false {
		t.Errorf("pristine after changes = %v", got)
	}
	// The new version renames the same policy, gives the other another name, and drops the one in shadow.
	h.upload(clinic(
		"1.1.0",
		"",
		"name: Nurses\n",
		"name: Nurses of wards\n",
		"name: Everybody\n",
		"name: All of us\n",
		"accessGrantPolicies:\n  - key: shadowed\n    name: Shadowed\n    subject: {match: all, rules: [{field: "+
			"title, op: contains, value: chief}]}\n    grant: [{role: nurse}]\n",
		"",
	))
	h.Refused(409, "pack_conflict", "admin", "POST", packs+"/clinic/install", map[string]any{})
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	for member, want := range map[string]string{"add": "", "change": "everybody", "conflict": "nurses",
		"remove": "shadowed"} {
		if got := keys(planned.Body, member); got != want {
			t.Errorf("plan: %s = %q; want %q", member, got, want)
		}
	}
	for _, member := range []string{"add", "change", "remove", "conflict", "skip"} {
		for _, item := range planned.Body[member].([]any) {
			if of := item.(map[string]any); of["fields"] == nil || of["waiting"] == nil {
				t.Errorf("%s: a list is null: %v", member, of)
			}
		}
	}
	diff, _ := planned.Body["birthrights"].([]any)
	if len(diff) != 1 || diff[0].(map[string]any)["object_key"] != "everybody" {
		t.Errorf("birthrights that change: %v", diff)
	}
	done := h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	if done.Text("version") != "1.1.0" || done.Text("previous_version") != "1.0.0" ||
		done.Body["open_conflicts"] != 1.0 {
		t.Errorf("after the upgrade: %v", done.Body)
	}
	if n := h.Count(
		`select count(*) from access_policy where name = 'All of us' and description = 'ours'
			and origin ->> 'pack_version' = '1.1.0'`,
	); n != 1 {
		t.Error("what the two changed apart is not merged")
	}
	if n := h.Count(`select count(*) from access_policy where name = 'Our nurses' and deleted_at is null`); n != 1 {
		t.Error("the tenant's name has not stayed")
	}
	if n := h.Count(`select count(*) from access_policy where name = 'Shadowed' and deleted_at is null`); n != 0 {
		t.Error("what the new version has no more is still there")
	}
	again := h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	if again.Header.Get("ETag") != done.Header.Get("ETag") {
		t.Error("the same upgrade again has changed something")
	}
	h.Refused(409, "pack_conflict", "admin", "POST", packs+"/clinic/upgrade", map[string]any{"version": "1.0.0"})

	open := h.Must(200, "auditor", "GET", packs+"/clinic/conflicts?state=open", nil)
	c := open.Items()[0]
	mine, theirs := c["mine"].(map[string]any), c["theirs"].(map[string]any)
	if mine["name"] != "Our nurses" || theirs["name"] != "Nurses of wards" ||
		c["base"].(map[string]any)["name"] != "Nurses" {
		t.Errorf("conflict = %v", c)
	}
	resolve := packs + "/conflicts/" + c["id"].(string) + "/resolve"
	h.Refused(422, "validation_failed", "admin", "POST", resolve, map[string]any{"use": "merged"})
	h.Refused(412, "precondition_failed", "admin", "POST", resolve, map[string]any{"use": "mine"}, "If-Match", `"7"`)
	h.Must(
		200,
		"admin",
		"POST",
		resolve,
		map[string]any{"use": "merged", "merged": map[string]any{"name": "Our nurses of wards"}},
	)
	h.Refused(409, "already_resolved", "admin", "POST", resolve, map[string]any{"use": "mine"})
	h.policy("Our nurses of wards")
	h.settle()
	if got := h.holds(ada); got != "Nurse read Staff" {
		t.Errorf("ada holds %q", got)
	}
}

// A role that both have renamed is in conflict. Birthrights go on giving it, so that nobody loses access while that is
// decided.
func TestARoleInConflictIsStillGiven(t *testing.T) {
	h, ada := installed(t, nil)
	ids := h.Strings(`select id::text from role where key = 'nurse'`)
	if got := h.Strings(
		`select case when origin ->> 'kind' = 'sector_pack' then 'pack' end from role where key = 'nurse'`,
	); len(got) != 1 ||
		got[0] != "pack" {
		t.Fatalf("the role is of %v; want the pack", got)
	}
	h.Exec(`update role set name = 'Our nurse' where id = $1`, ids[0])
	before := h.Strings(`select resources::text from access_policy where name = 'Nurses'`)
	h.upload(clinic("1.1.0", "", "{key: nurse, name: Nurse, ", "{key: nurse, name: Ward nurse, "))
	done := h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	if done.Body["open_conflicts"] != 1.0 {
		t.Fatalf("after the upgrade: %v; want one conflict, about the role", done.Body)
	}
	if after := h.Strings(
		`select resources::text from access_policy where name = 'Nurses'`,
	); strings.Join(
		after,
		"",
	) != strings.Join(
		before,
		"",
	) {
		t.Errorf("the birthright gives %v; before %v", after, before)
	}
	h.settle()
	if got := h.holds(ada); got != "Nurse read Staff" {
		t.Errorf("ada holds %q", got)
	}
}

func TestOtherParametersAreAnUpgrade(t *testing.T) {
	h, ada := installed(t, nil)
	bea := h.hire("bea", "Surgery")
	h.settle()
	change := map[string]any{"parameters": map[string]any{"wards": []string{"Surgery"}}}
	refused := h.Refused(409, "confirmation_required", "admin", "POST", packs+"/clinic/upgrade", change)
	impact := refused.Body["impact"].(map[string]any)
	if impact["identities_affected"] != 2.0 || impact["grants_added"] != 1.0 || impact["grants_ended"] != 1.0 {
		t.Errorf("impact = %v", impact)
	}
	change["confirm"] = impact["plan_hash"]
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", change)
	h.settle()
	if a, b := h.holds(ada), h.holds(bea); a != "Staff" || b != "Nurse read Staff" {
		t.Errorf("ada holds %q and bea %q", a, b)
	}
	// What was chosen stays chosen.
	h.upload(clinic("1.2.0", ""))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if n := planned.Body["impact"].(map[string]any)["identities_affected"]; n != 0.0 {
		t.Errorf("a version with nothing new affects %v people", n)
	}
}

func TestWhatTheTenantHadStandsAndIsDecidedAbout(t *testing.T) {
	h := open(t)
	h.Entitlement(h.system("ehr", "ehr"), "Nurse read")
	billing := h.Entitlement(h.system("erp", "erp"), "Billing")
	own := h.Must(
		201,
		"admin",
		"POST",
		"/entitlements/roles",
		map[string]any{"key": "nurse", "name": "Our nurse", "entitlement_ids": []string{billing}},
	)
	ada := h.hire("ada", "Nursing")
	h.upload(clinic("1.0.0", ""))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "conflict"); got != "nurse" {
		t.Errorf("conflicts: %q", got)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.settle()
	if got := h.holds(ada); got != "" {
		t.Errorf("a role that the pack does not know was given: ada holds %q", got)
	}
	h.look()
	open := h.Must(200, "admin", "GET", packs+"/clinic/conflicts", nil)
	h.Must(
		200,
		"admin",
		"POST",
		packs+"/conflicts/"+open.Items()[0]["id"].(string)+"/resolve",
		map[string]any{"use": "theirs"},
	)
	h.settle()
	if got := h.holds(ada); got != "Nurse read" {
		t.Errorf("after the pack's was taken, ada holds %q", got)
	}
	dry := h.Must(200, "admin", "POST", packs+"/clinic/uninstall?dry_run=true", map[string]any{"mode": "remove_all"})
	if got := keys(dry.Body, "detach"); got != "nurse" {
		t.Errorf("uninstalling leaves %q; what the tenant had stays", got)
	}
	h.Must(
		200,
		"admin",
		"POST",
		packs+"/clinic/uninstall",
		map[string]any{"mode": "remove_all", "confirm": dry.Text("plan_hash")},
	)
	h.Must(200, "admin", "GET", "/entitlements/roles/"+own.Text("id"), nil)
}

func TestUninstallingLeavesOrTakes(t *testing.T) {
	for _, tt := range []struct {
		mode, grace string
		holds       string // what ada holds afterwards, without an end
		policies    int    // that are left
		roles       int
		leaving     string
	}{
		{"detach", "P0D", "Nurse read Staff", 3, 1, ""},
		{"remove_unused", "P0D", "Nurse read Staff", 2, 1, ""},
		{"remove_all", "P0D", "", 0, 1, "nurses nurse"},
		{"remove_all", "P7D", "", 1, 1, "nurses nurse"},
	} {
		t.Run(tt.mode+" "+tt.grace, func(t *testing.T) {
			h, ada := installed(t, map[string]any{"grace": tt.grace})
			dry := h.Must(200, "admin", "POST", packs+"/clinic/uninstall?dry_run=true", map[string]any{"mode": tt.mode})
			if n := h.Count(`select count(*) from sector_pack_installation where state = 'installed'`); n != 1 {
				t.Fatal("a dry run uninstalls")
			}
			if got := keys(dry.Body, "leaving"); got != tt.leaving {
				t.Errorf("leaving: %q; want %q", got, tt.leaving)
			}
			if tt.mode == "remove_all" {
				h.Refused(
					409,
					"confirmation_required",
					"admin",
					"POST",
					packs+"/clinic/uninstall",
					map[string]any{"mode": tt.mode},
				)
			}
			h.Must(
				200,
				"admin",
				"POST",
				packs+"/clinic/uninstall",
				map[string]any{"mode": tt.mode, "confirm": dry.Text("plan_hash")},
			)
			h.Refused(404, "not_found", "admin", "POST", packs+"/clinic/uninstall", map[string]any{"mode": tt.mode})
			h.settle()
			if got := h.holds(ada); got != tt.holds {
				t.Errorf("ada holds %q; want %q", got, tt.holds)
			}
			if tt.grace == "P7D" {
				if n := h.Count(
					`select count(*) from access_reason where state = 'active' and ends_at > now() + interval '6 days'`,
				); n != 1 {
					t.Errorf("%d reasons run out after the grace; want 1", n)
				}
			}
			h.look()
			if n := h.Count(`select count(*) from access_policy where deleted_at is null`); n != tt.policies {
				t.Errorf("%d policies are left; want %d", n, tt.policies)
			}
			wantRoles := tt.roles
			if tt.mode == "remove_all" && tt.grace == "P0D" {
				wantRoles = 0 // nobody holds anything through it any more
			}
			if n := h.Count(`select count(*) from role where lifecycle <> 'retired'`); n != wantRoles {
				t.Errorf("%d roles are left; want %d", n, wantRoles)
			}
			if tt.mode != "remove_all" {
				if n := h.Count(
					`select count(*) from access_policy where origin ->> 'kind' <> 'manual' and deleted_at is null`,
				); n != 0 {
					t.Errorf("%d policies still say that they are a pack's", n)
				}
				return
			}
			if n := h.Count(
				`select count(*) from lifecycle_policy where mover_grace <> '0' or delete_after is not null`,
			); n != 0 {
				t.Error("the pack's lifecycle is still there")
			}
			if tt.grace == "P7D" {
				return
			}
			// Installed again, it is as new: access comes from new reasons, not from old ones.
			planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
			h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{"confirm": planned.Text("plan_hash")})
			h.settle()
			if got := h.holds(ada); got != "Nurse read Staff" {
				t.Errorf("after it was installed again, ada holds %q", got)
			}
		})
	}
}

func TestAnUploadIsSignedBySomebodyTrusted(t *testing.T) {
	h := open(t)
	files := clinic("1.0.0", "")
	archive := h.packed(files)
	for range 2 {
		h.Must(201, "admin", "POST", packs+"/upload", map[string]any{"archive": archive})
	}
	if n := h.Count(`select count(*) from audit_event where action = 'sector_pack.uploaded'`); n != 1 {
		t.Errorf("%d entries of uploads; the same archive again is none", n)
	}
	h.Refused(
		409,
		"pack_exists",
		"admin",
		"POST",
		packs+"/upload",
		map[string]any{"archive": h.packed(clinic("1.0.0", "", "Clinic", "Klinik"))},
	)
	stranger := open(t) // another key
	h.Refused(
		422,
		"untrusted_pack",
		"admin",
		"POST",
		packs+"/upload",
		map[string]any{"archive": stranger.packed(clinic("2.0.0", ""))},
	)
	verdict := h.Must(
		200,
		"admin",
		"POST",
		packs+"/validate",
		map[string]any{"archive": stranger.packed(clinic("2.0.0", ""))},
	)
	if verdict.Body["valid"] != false || !strings.Contains(str(verdict.Body["problems"]), "untrusted_pack") {
		t.Errorf("verdict = %v", verdict.Body)
	}
	broken := clinic("3.0.0", "", "op: in", "op: inn", "role: nurse}", "role: nurze}")
	refused := h.Refused(
		422,
		"invalid_pack",
		"admin",
		"POST",
		packs+"/upload",
		map[string]any{"archive": h.packed(broken)},
	)
	if text := str(refused.Body["problems"]); !strings.Contains(text, "did you mean nurse") ||
		!strings.Contains(text, "pack.yaml") {
		t.Errorf("problems = %s", text)
	}
	lenient := openWith(t, func(s *pack.Service) { s.AllowUnsigned = true })
	lenient.upload(files)
	lenient.Must(201, "admin", "POST", packs+"/upload", map[string]any{"archive": stranger.packed(clinic("2.0.0", ""))})
	if got := lenient.Must(
		200,
		"admin",
		"GET",
		packs+"/clinic",
		nil,
	); got.Text("version") != "2.0.0" ||
		got.Body["signature"].(map[string]any)["verified"] != false {
		t.Errorf("the newest is %v", got.Body)
	}
}
