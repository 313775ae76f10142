package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	skipped := map[string]bool{}
	for _, key := range []string{
		"baseline", "education", "financial-services", "healthcare-provider", "manufacturing", "public-sector",
	} {
		planned := h.Must(200, "admin", "POST", packs+"/"+key+"/plan", map[string]any{})
		body := map[string]any{"confirm": planned.Text("plan_hash")}
		h.Must(200, "admin", "POST", packs+"/"+key+"/install", body)
		for _, o := range h.Must(200, "admin", "GET", packs+"/"+key+"/objects?limit=500", nil).Items() {
			if o["state"] == "skipped" {
				skipped[o["kind"].(string)] = true
			}
			if kind := o["kind"]; (kind == "sod_policy" || kind == "duty_tag") && o["object_id"] == nil {
				t.Errorf("%s: %s %v is %v", key, kind, o["object_key"], o["state"])
			}
		}
	}
	want := map[string]bool{"mitigation_policy": true, "certification_template": true, "report_section": true}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("kinds that are skipped (-want +got)\n%s", diff)
	}
	modes := h.Strings(`select distinct mode from separation_policy`)
	if n := h.Count(`select count(*) from separation_policy`); n < 6 || !cmp.Equal(modes, []string{"shadow"}) {
		t.Errorf("%d policies in the modes %v", n, modes)
	}
	t.Logf("%d duties, %d policies, %d conflicts", h.Count(`select count(*) from duty`),
		h.Count(`select count(*) from separation_policy`), h.Count(`select count(*) from sector_pack_conflict`))
}
