package pack_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

func TestAPackIsPlannedInstalledAndFires(t *testing.T) {
	h := open(t)
	ehr, dir := h.system("ehr", "ehr, clinical"), h.system("dir", "")
	read := h.Entitlement(ehr, "Nurse read")
	h.Entitlement(ehr, "Nurse write")
	h.Entitlement(ehr, "Billing")
	h.Entitlement(dir, "Staff")
	h.upload(clinic("1.0.0", ""))
	ada := h.hire("ada", "Nursing")
	bea := h.hire("bea", "Sales")
	h.Grant(ehr, h.Account(ehr, "ada", ada), read)

	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "add"); got != "b hr nurse nurses everybody shadowed default nurse two" {
		t.Errorf("plan adds %q", got)
	}
	if got := keys(planned.Body, "skip"); got != "" {
		t.Errorf("plan skips %q", got)
	}
	impact := planned.Body["impact"].(map[string]any)
	if impact["identities_affected"] != 2.0 || impact["grants_added"] != 4.0 || impact["accounts_created"] != 2.0 {
		t.Errorf(
			"impact = %v affected, %v added, %v accounts; want 2, 4, 2",
			impact["identities_affected"],
			impact["grants_added"],
			impact["accounts_created"],
		)
	}
	// What ada holds in the system already gets a reason, and is nothing new.
	if impact["grants_held"] != 1.0 || impact["identities_reason_only"] != 0.0 {
		t.Errorf(
			"impact = %v held, %v people with reasons only; want 1, 0",
			impact["grants_held"],
			impact["identities_reason_only"],
		)
	}
	if n := h.Count(
		`select (select count(*) from role) + (select count(*) from access_policy) + (select count(*)
			from sector_pack_installation) + (select count(*) from work_item where kind = 'policy_sweep')`,
	); n != 0 {
		t.Errorf("planning has left %d rows behind", n)
	}
	h.Refused(409, "confirmation_required", "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.Refused(409, "plan_changed", "admin", "POST", packs+"/clinic/install", map[string]any{"confirm": "0123"})
	confirm := map[string]any{"confirm": planned.Text("plan_hash")}
	first := h.Must(200, "admin", "POST", packs+"/clinic/install", confirm)
	again := h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	if first.Text("installed_at") != again.Text("installed_at") ||
		first.Header.Get("ETag") != again.Header.Get("ETag") {
		t.Error("the same installation again has changed something")
	}
	if got := keysOf(h.Must(200, "admin", "GET", "/entitlements/roles?managed_by=pack", nil)); got != "nurse" {
		t.Errorf("roles managed by a pack: %q; want nurse", got)
	}
	if got := keysOf(h.Must(200, "admin", "GET", "/entitlements/roles?managed_by=ui", nil)); got != "" {
		t.Errorf("roles managed by users: %q; want none", got)
	}
	h.settle()
	if got := h.holds(ada); got != "Nurse read Nurse write Staff" {
		t.Errorf("ada holds %q", got)
	}
	if got := h.holds(bea); got != "Staff" {
		t.Errorf("bea holds %q", got)
	}
	cleo := h.hire("cleo", "nursing")
	h.settle()
	if got := h.holds(cleo); got != "Nurse read Nurse write Staff" {
		t.Errorf("somebody who is hired afterwards holds %q", got)
	}
	if n := h.Count(`select count(*) from access_policy where mode = 'enforce' and birthright`); n != 2 {
		t.Errorf("%d birthrights are enforced; want 2", n)
	}
	if n := h.Count(`select count(*) from access_policy where mode = 'shadow' and not birthright`); n != 1 {
		t.Errorf("%d other policies are in shadow; want 1", n)
	}
	if n := h.Count(
		`select count(*) from lifecycle_policy where mover_grace = '3 days' and delete_after = '30 days'
			and origin ->> 'pack_id' = 'clinic'`,
	); n != 1 {
		t.Error("the lifecycle is not the pack's")
	}
	if n := h.Count(`select count(*) from audit_event where action = 'sector_pack.installed'`); n != 1 {
		t.Errorf("%d entries of the installation in the log; want 1", n)
	}
	h.Refused(
		409,
		"pack_conflict",
		"admin",
		"POST",
		packs+"/clinic/install",
		map[string]any{"parameters": map[string]any{"wards": []string{"Surgery"}}},
	)
}

func TestWhatASelectorDoesNotFindIsBoundWhenItComes(t *testing.T) {
	h := open(t)
	h.upload(clinic("1.0.0", ""))
	ada := h.hire("ada", "Nursing")
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "pending_binding"); got != "nurse everybody" {
		t.Errorf("plan leaves %q pending", got)
	}
	if got := keys(planned.Body, "add"); got != "b hr nurse nurses shadowed default nurse two" {
		t.Errorf("plan adds %q: a policy that gives nothing yet cannot be made", got)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.settle()
	if got := h.holds(ada); got != "" {
		t.Errorf("ada holds %q before anything is there", got)
	}
	h.look()
	ehr := h.system("ehr", "ehr")
	h.Entitlement(ehr, "Nurse read")
	h.look()
	h.settle()
	if got := h.holds(ada); got != "Nurse read" {
		t.Errorf("after the first system came, ada holds %q", got)
	}
	h.Entitlement(h.system("dir", ""), "Staff")
	// The end of a run is noticed without waiting for the minute.
	h.Exec(`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, finished_at)
		select current_tenant(), gen_random_uuid(), id, 'full', false, 1000, 'succeeded',
		    now() from connector where business_id = 'dir'`)
	if n := h.bind(); n != 1 {
		t.Fatalf("%d installations were looked at; want 1", n)
	}
	if n := h.bind(); n != 0 {
		t.Errorf("%d installations are looked at although nothing waits; want none", n)
	}
	h.settle()
	if got := h.holds(ada); got != "Nurse read Staff" {
		t.Errorf("after both came, ada holds %q", got)
	}
	if n := h.Count(`select count(*) from sector_pack_installation where pending`); n != 0 {
		t.Error("something still waits")
	}
	h.Entitlement(ehr, "Nurse admin")
	h.look()
	h.settle()
	if got := h.holds(ada); got != "Nurse read Staff" {
		t.Errorf("a selector that was bound grows by itself: ada holds %q", got)
	}
	objects := h.Must(200, "auditor", "GET", packs+"/clinic/objects?kind=birthright", nil)
	if got := objects.Values("pristine"); len(got) != 2 || got[0] != true || got[1] != true {
		t.Errorf("pristine = %v", got)
	}
}

func TestNobodyElseMayInstall(t *testing.T) {
	h := open(t)
	h.Refused(403, "read_only_role", "auditor", "POST", packs+"/baseline/install", map[string]any{})
	h.Refused(403, "forbidden", "manager", "GET", packs, nil)
	list := h.Must(200, "auditor", "GET", packs+"?limit=2", nil)
	if list.Body["total"] != 6.0 || len(list.Items()) != 2 {
		t.Errorf("total %v, %d items; want 6, 2", list.Body["total"], len(list.Items()))
	}
	next := h.Must(200, "auditor", "GET", packs+"?limit=500&cursor="+list.Text("next_cursor"), nil)
	if len(next.Items()) != 4 || next.Body["next_cursor"] != nil {
		t.Errorf("the second page has %d items", len(next.Items()))
	}
	h.Refused(404, "not_found", "admin", "POST", packs+"/absent/install", map[string]any{})
	h.Refused(404, "not_found", "admin", "GET", packs+"/baseline/installation", nil)
	h.Refused(404, "not_found", "admin", "GET", packs+"/baseline/versions/9.9.9", nil)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		packs+"/baseline/install",
		map[string]any{"parameters": map[string]any{"outsiders": []string{"robot"}, "x": 1}},
	)
}

func TestEveryBuiltInPackCanBeInstalledTogether(t *testing.T) {
	h := open(t)
	dir := h.system("dir", "")
	h.Entitlement(dir, "All-Staff")
	ada := h.hire("ada", "Nursing")
	for _, key := range []string{"baseline", "financial-services", "healthcare-provider", "public-sector",
		"manufacturing", "education"} {
		planned := h.Must(200, "admin", "POST", packs+"/"+key+"/plan", map[string]any{})
		h.Must(200, "admin", "POST", packs+"/"+key+"/install", map[string]any{"confirm": planned.Text("plan_hash")})
		h.Must(200, "auditor", "GET", packs+"/"+key+"/versions/"+planned.Text("version"), nil)
	}
	h.settle()
	if got := h.holds(ada); got != "All-Staff account" {
		t.Errorf("ada holds %q", got)
	}
	open := h.Must(200, "admin", "GET", packs+"/education/conflicts?state=open", nil)
	if got := open.Values("kind"); len(got) != 1 || got[0] != "lifecycle_policy" {
		t.Errorf("conflicts are about %v; want the lifecycle, which another pack has brought", got)
	}
}

// keysOf are the keys of the roles in an answer.
func keysOf(r recordtest.Answer) string {
	var keys []string
	for _, item := range r.Body["items"].([]any) {
		keys = append(keys, item.(map[string]any)["key"].(string))
	}
	return strings.Join(keys, " ")
}
