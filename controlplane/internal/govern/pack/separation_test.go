package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// separated are the duties and policies of the tenant, with what the pack brings of them and where they are from.
func (h *house) separated() []string {
	return h.Strings(`
		select d.name || ' | ' || string_agg(coalesce(m.duty_tag, r.key), ',') || ' | ' ||
		           coalesce(d.origin ->> 'pack_version', d.origin ->> 'kind')
		  from duty d
		  join duty_member m on m.duty_id = d.id
		  left join role r on r.id = m.role_id
		 where d.deleted_at is null
		 group by d.id, d.name, d.origin
		 union all
		select p.name || ' | ' || p.kind || ' ' || p.mode || ' ' || p.severity || ' | ' ||
		       (select string_agg(d.name, ' / ' order by d.name) from duty d where d.id = any(p.duty_ids)) || ' | ' ||
		           coalesce(p.origin ->> 'pack_version', p.origin ->> 'kind')
		  from separation_policy p
		 where p.deleted_at is null
		 order by 1`)
}

func (h *house) wantSeparated(want ...string) {
	h.T.Helper()
	if diff := cmp.Diff(want, h.separated()); diff != "" {
		h.T.Errorf("duties and policies (-want +got)\n%s", diff)
	}
}

func TestAPackBringsDutiesAndThePoliciesThatSeparateThem(t *testing.T) {
	h := open(t)
	h.upload(clinic("1.0.0", "", "name: Nurse,", "name: Nurse, dutyTags: [b],", "roles: [nurse]}, ", "dutyTags: [a]}, ",
		"{key: b, name: B}", "{key: b, name: B}, {key: a, name: A, description: First}"))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.wantSeparated("A | a | 1.0.0", "B | b | 1.0.0", "Two | pair shadow high | A / B | 1.0.0")
	if got := h.Strings(`select unnest(duty_tags) from role`); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("the role has the duty tags %v", got)
	}
	objects := h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=sod_policy", nil).Items()
	if len(objects) != 1 || objects[0]["state"] != "installed" || objects[0]["pristine"] != true ||
		objects[0]["object_id"] == nil {
		t.Errorf("objects %v", objects)
	}
	// What the tenant and the new version both change is a conflict; the rest is merged.
	h.Exec(`update separation_policy set severity = 'low', mode = 'enforce'`)
	h.upload(clinic("1.1.0", "", "severity: high", "severity: critical, rationale: Care", "{key: b, name: B}",
		"{key: b, name: Nurses}"))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantSeparated("Nurses | b | 1.1.0", "Role: Nurse | nurse | 1.1.0",
		"Two | pair enforce low | Nurses / Role: Nurse | 1.1.0")
	conflicts := h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items()
	if len(conflicts) != 1 || conflicts[0]["kind"] != "sod_policy" || str(conflicts[0]["fields"]) != "[severity]" {
		t.Fatalf("conflicts %v", conflicts)
	}
	h.Must(
		200,
		"admin",
		"POST",
		packs+"/conflicts/"+conflicts[0]["id"].(string)+"/resolve",
		map[string]any{"use": "theirs"},
	)
	if got := strings.Join(h.separated(), ", "); !strings.Contains(got, "enforce critical") {
		t.Errorf("after theirs was taken: %s", got)
	}
	if got := h.Strings(`select rationale from separation_policy`); !cmp.Equal(got, []string{"Care"}) {
		t.Errorf("the rationale is %v", got)
	}
}

func TestDutiesAndPoliciesOfAPackAreUninstalledInThreeWays(t *testing.T) {
	for mode, want := range map[string][]string{
		"remove_all": {},
		"detach":     {"B | b | manual", "Role: Nurse | nurse | manual", "Two | pair shadow high | B / Role: Nurse | manual"},
		// The policy was changed, so it stays, with the duties that it names.
		"remove_unused": {"B | b | manual", "Role: Nurse | nurse | manual", "Two | pair shadow low | B / Role: Nurse | manual"},
	} {
		t.Run(mode, func(t *testing.T) {
			h := open(t)
			h.upload(clinic("1.0.0", ""))
			h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
			if mode == "remove_unused" {
				h.Exec(`update separation_policy set severity = 'low'`)
			}
			body := map[string]any{"mode": mode}
			dry := h.Must(200, "admin", "POST", packs+"/clinic/uninstall?dry_run=true", body)
			body["confirm"] = dry.Text("plan_hash")
			h.Must(200, "admin", "POST", packs+"/clinic/uninstall", body)
			h.wantSeparated(want...)
		})
	}
}

func TestATenantsOwnDutyStands(t *testing.T) {
	h := open(t)
	h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), gen_random_uuid(), 'b')`)
	h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, duty_tag)
		select tenant_id, id, 0, 0, 'duty_tag', 'ours' from duty`)
	h.upload(clinic("1.0.0", ""))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "conflict"); got != "b" {
		t.Errorf("the plan has the conflicts %q", got)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.wantSeparated(
		"Role: Nurse | nurse | 1.0.0",
		"Two | pair shadow high | Role: Nurse / b | 1.0.0",
		"b | ours | manual",
	)
}

// TestBuiltInPacksBringAllOfTheirPolicies installs all of them into one tenant.
func TestBuiltInPacksBringAllOfTheirPolicies(t *testing.T) {
	h := open(t)
	skipped := map[string]string{}
	for _, key := range []string{
		"baseline", "education", "financial-services", "healthcare-provider", "manufacturing", "public-sector",
	} {
		planned := h.Must(200, "admin", "POST", packs+"/"+key+"/plan", map[string]any{})
		body := map[string]any{"confirm": planned.Text("plan_hash")}
		h.Must(200, "admin", "POST", packs+"/"+key+"/install", body)
		for _, o := range h.Must(200, "admin", "GET", packs+"/"+key+"/objects?limit=500", nil).Items() {
			if o["state"] == "skipped" {
				skipped[o["kind"].(string)] = o["reason"].(string)
			}
			if kind := o["kind"]; (kind == "sod_policy" || kind == "duty_tag" || kind == "mitigation_policy") &&
				o["object_id"] == nil {
				t.Errorf("%s: %s %v is %v", key, kind, o["object_key"], o["state"])
			}
		}
	}
	want := map[string]string{
		"certification_template": "kept_until_reviews", "report_section": "kept_until_reports",
	}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("kinds that are skipped (-want +got)\n%s", diff)
	}
	modes := h.Strings(`select distinct mode from separation_policy`)
	if n := h.Count(`select count(*) from separation_policy`); n < 6 || !cmp.Equal(modes, []string{"shadow"}) {
		t.Errorf("%d policies in the modes %v", n, modes)
	}
	controls := h.Strings(`select c.name || ' ' || count(p.id) from mitigating_control c
		left join separation_policy p on c.id = any(p.mitigation_policy_ids)
		group by c.id, c.name order by c.name`)
	if want := []string{
		"Log of double checks 2", "Monthly review of new accounts 1", "Monthly sample of payments 1",
		"Report of changed transcripts and fees 2", "Second signature 1", "Stock count by another person 1",
	}; !cmp.Equal(controls, want) {
		t.Errorf("controls with the number of their policies %v", controls)
	}
	t.Logf("%d duties, %d policies, %d conflicts", h.Count(`select count(*) from duty`),
		h.Count(`select count(*) from separation_policy`), h.Count(`select count(*) from sector_pack_conflict`))
}

// fourEyes makes an enforced policy of the tenant between two entitlements.
func (h *house) fourEyes(one, two string) {
	h.T.Helper()
	duties := []string{}
	for _, entitlement := range []string{one, two} {
		duty := uuid.Must(uuid.NewV7()).String()
		h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1::uuid, ($1::uuid)::text)`, duty)
		h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
			values (current_tenant(), $1, 0, 0, 'entitlement', $2)`, duty, entitlement)
		duties = append(duties, duty)
	}
	h.Exec(`insert into separation_policy (tenant_id, id, name, mode, kind, sides, duty_ids, effects)
		values (current_tenant(), $1, 'Four eyes', 'enforce', 'pair', jsonb_build_array(
		    jsonb_build_object('label', 'one', 'duty_ids', jsonb_build_array($2::text)),
		    jsonb_build_object('label', 'two', 'duty_ids', jsonb_build_array($3::text))),
		    array[$2::text, $3::text]::uuid[], '{"on_request": "block"}')`, uuid.Must(uuid.NewV7()).String(),
		duties[0], duties[1])
}

// TestAPlanShowsTheViolationsThatItWouldCause: ann would get the role by a birthright, and bob holds both already.
func TestAPlanShowsTheViolationsThatItWouldCause(t *testing.T) {
	h := open(t)
	ehr := h.system("ehr", "ehr")
	nurse, dispense := h.Entitlement(ehr, "Nurse read"), h.Entitlement(ehr, "Dispense")
	h.Exec(`update entitlement set duty_tags = '{b}' where id = $1`, dispense)
	for name, holds := range map[string][]string{"ann": {dispense}, "bob": {nurse, dispense}, "cem": {nurse}} {
		id := h.Person(name, "")
		account := h.Account(ehr, name, id)
		for _, e := range holds {
			h.Grant(ehr, account, e)
		}
	}
	h.Exec(`update identity set department = 'Nursing' where display_name = 'ann'`)
	h.upload(clinic("1.0.0", ""))
	plan := func() map[string]any {
		p := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{}).Body
		return p["separation"].(map[string]any)
	}
	figures := func(p map[string]any) string {
		out := str(p["violations_new"]) + " new of " + str(p["identities_affected"]) + "; " + str(p["violations_total"])
		for _, of := range p["by_policy"].([]any) {
			of := of.(map[string]any)
			out += "; " + of["name"].(string) + " " + str(of["before"]) + " " + str(of["after"])
		}
		return out
	}
	if got := figures(plan()); got != "2 new of 2; 2; Two 0 2" {
		t.Errorf("the plan shows %s", got)
	}
	if n := h.Count(`select count(*) from separation_policy`); n != 0 {
		t.Errorf("%d policies were stored by the plan", n)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{"confirm": h.Must(200, "admin", "POST",
		packs+"/clinic/plan", map[string]any{}).Text("plan_hash")})
	h.settle()
	if got := figures(plan()); got != "0 new of 0; 2" {
		t.Errorf("once it is installed, the plan shows %s", got)
	}
}

func TestAPackWhoseRoleContainsAConflictIsNotInstalled(t *testing.T) {
	h := open(t)
	ehr := h.system("ehr", "ehr")
	h.fourEyes(h.Entitlement(ehr, "Nurse read"), h.Entitlement(ehr, "Nurse write"))
	h.upload(clinic("1.0.0", ""))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	found := planned.Body["separation"].(map[string]any)["role_conflicts"].([]any)
	if len(found) != 1 || found[0].(map[string]any)["role_name"] != "Nurse" ||
		!strings.Contains(
			found[0].(map[string]any)["detail"].(string),
			`The role Nurse would violate the policy "Four eyes"`,
		) {
		t.Errorf("conflicts in roles %v", found)
	}
	body := map[string]any{"confirm": planned.Text("plan_hash")}
	h.Refused(409, "separation_of_duties", "admin", "POST", packs+"/clinic/install", body)
	if n := h.Count(`select (select count(*) from role) + (select count(*) from sector_pack_installation)`); n != 0 {
		t.Errorf("%d roles and installations", n)
	}
	h.Exec(`update separation_policy set mode = 'shadow', version = version + 1`)
	h.Must(200, "admin", "POST", packs+"/clinic/install", body)
	// A conflict that was there before is no reason to refuse an upgrade.
	h.Exec(`update separation_policy set mode = 'enforce', version = version + 1 where name = 'Four eyes'`)
	h.upload(clinic("1.1.0", "", "name: Nurse,", "name: Nurses,"))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
}

func TestASelectorThatWouldMakeARoleAConflictWaits(t *testing.T) {
	h := open(t)
	ehr := h.system("ehr", "ehr")
	read := h.Entitlement(ehr, "Nurse read")
	h.upload(clinic("1.0.0", "", `nameLike: "Nurse*"}}]}`,
		`nameLike: "Nurse*"}}, {select: {connector: {tag: ehr}, name: Ward}}]}`))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.fourEyes(read, h.Entitlement(ehr, "Ward"))
	state := func() string {
		o := h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=role", nil).Items()[0]
		reason := ""
		for _, p := range o["pending"].([]any) {
			reason += " " + str(p.(map[string]any)["reason"])
		}
		return str(o["state"]) + reason + " " + str(h.Count(`select count(*) from role_entitlement`))
	}
	h.look()
	if got := state(); got != "pending_binding separation_of_duties 1" {
		t.Errorf("the role is %s", got)
	}
	h.look()
	if got := state(); got != "pending_binding separation_of_duties 1" {
		t.Errorf("at another look the role is %s", got)
	}
	h.Exec(`update separation_policy set mode = 'shadow', version = version + 1`)
	h.look()
	if got := state(); got != "installed 2" {
		t.Errorf("without an enforced policy the role is %s", got)
	}
}

func TestAConflictIsNotResolvedIntoARoleThatViolatesAPolicy(t *testing.T) {
	h := open(t)
	ehr := h.system("ehr", "ehr")
	one, two := h.Entitlement(ehr, "Nurse read"), h.Entitlement(ehr, "Nurse write")
	h.Must(201, "admin", "POST", "/entitlements/roles",
		map[string]any{"key": "nurse", "name": "Ours", "entitlement_ids": []string{one}, "lifecycle": "active"})
	h.upload(clinic("1.0.0", ""))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.fourEyes(one, two)
	conflicts := h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items()
	at := packs + "/conflicts/" + conflicts[0]["id"].(string) + "/resolve"
	h.Refused(409, "separation_of_duties", "admin", "POST", at, map[string]any{"use": "theirs"})
	h.Must(200, "admin", "POST", at, map[string]any{"use": "merged", "merged": map[string]any{"name": "Both"}})
}
