package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// withControl is the pack clinic with a mitigating control that its policy allows.
func withControl(version string, replace ...string) map[string]string {
	return clinic(version, `
mitigationPolicies:
  - key: log
    name: Log
    controlType: detective
    procedure: Sign twice
    severities: [high]
    evidence: {kind: report, cadence: P14D, grace: P3D}
    onLapse: escalate
    maxDuration: P60D`, append([]string{"severity: high, sides", "severity: high, allowedMitigations: [log], sides"},
		replace...)...)
}

// controls are the mitigating controls, and the policies with the controls that they name.
func (h *house) controls() []string {
	return h.Strings(`
		select c.name || ' | ' || c.control_type || ' ' || c.effectiveness || ' ' || c.max_duration || ' ' ||
		       (c.applies_to ->> 'severities') || ' | ' || (c.evidence ->> 'kind') || ' ' || c.on_lapse || ' ' ||
		       (c.evidence ->> 'cadence') || ' ' || (c.evidence ->> 'grace') || ' | ' ||
		       coalesce(c.origin ->> 'pack_version', c.origin ->> 'kind')
		  from mitigating_control c
		 where c.deleted_at is null
		 union all
		select p.name || ': ' || (select coalesce(string_agg(c.name, ', ' order by c.name), '')
		                            from mitigating_control c
		                           where c.id = any(p.mitigation_policy_ids)) || ' | ' ||
		       coalesce(p.origin ->> 'pack_version', p.origin ->> 'kind')
		  from separation_policy p
		 where p.deleted_at is null
		 order by 1`)
}

func (h *house) wantControls(want ...string) {
	h.T.Helper()
	if diff := cmp.Diff(append([]string{}, want...), h.controls()); diff != "" {
		h.T.Errorf("controls and the policies that name them (-want +got)\n%s", diff)
	}
}

// control makes a mitigating control of the tenant.
func (h *house) control(name string) string {
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into mitigating_control (tenant_id, id, name, applies_to, evidence, max_duration)
		values (current_tenant(), $1, $2, '{"sod_policy_ids": [], "severities": []}',
		    '{"required": true, "kind": "attestation", "cadence": "P30D", "grace": "P7D"}', 'P90D')`, id, name)
	return id
}

func TestAPackBringsMitigatingControlsThatItsPoliciesAllow(t *testing.T) {
	h := open(t)
	h.upload(withControl("1.0.0"))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "add"); !strings.Contains(got, "log") || keys(planned.Body, "skip") != "" {
		t.Errorf("the plan adds %q and skips %q", got, keys(planned.Body, "skip"))
	}
	h.wantControls()
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.wantControls(`Log | detective medium P60D ["high"] | report escalate P14D P3D | 1.0.0`, "Two: Log | 1.0.0")
	objects := h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=mitigation_policy", nil).Items()
	if len(objects) != 1 || objects[0]["state"] != "installed" || objects[0]["pristine"] != true ||
		objects[0]["object_id"] == nil {
		t.Errorf("objects %v", objects)
	}
	// The tenant allows one more control, and changes the longest duration, as the new version does.
	own := h.control("Ours")
	h.Exec(`update separation_policy set mitigation_policy_ids = mitigation_policy_ids || $1::uuid`, own)
	h.Exec(`update mitigating_control set max_duration = 'P30D' where name = 'Log'`)
	h.upload(withControl("1.1.0", "P60D", "P90D", "cadence: P14D", "cadence: P7D"))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantControls(
		`Log | detective medium P30D ["high"] | report escalate P7D P3D | 1.1.0`,
		`Ours | detective medium P90D [] | attestation reopen P30D P7D | manual`,
		"Two: Log, Ours | 1.1.0",
	)
	conflicts := h.Must(200, "admin", "GET", packs+"/clinic/conflicts?state=open", nil).Items()
	if len(conflicts) != 1 || conflicts[0]["kind"] != "mitigation_policy" ||
		str(conflicts[0]["fields"]) != "[max_duration]" {
		t.Fatalf("conflicts %v", conflicts)
	}
	at := packs + "/conflicts/" + conflicts[0]["id"].(string) + "/resolve"
	h.Must(200, "admin", "POST", at, map[string]any{"use": "theirs"})
	if got := h.controls()[0]; !strings.Contains(got, "P90D") {
		t.Errorf("after theirs was taken: %s", got)
	}
	// A version without the control leaves the policy with the tenant's own.
	h.upload(clinic("1.2.0", ""))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantControls(`Ours | detective medium P90D [] | attestation reopen P30D P7D | manual`, "Two: Ours | 1.2.0")
}

func TestMitigatingControlsOfAPackAreUninstalledInThreeWays(t *testing.T) {
	const brought = `Log | detective medium P60D ["high"] | report escalate P14D P3D | manual`
	for _, tt := range []struct {
		name, mode, before string
		want               []string
	}{
		{"remove all", "remove_all", "", nil},
		{"detach", "detach", "", []string{brought, "Two: Log | manual"}},
		{"unchanged", "remove_unused", "", nil},
		{
			"named by a changed policy", "remove_unused", `update separation_policy set severity = 'low'`,
			[]string{brought, "Two: Log | manual"},
		},
		{
			"changed", "remove_unused", `update mitigating_control set procedure = 'Sign three times'`,
			[]string{brought},
		},
		{
			"applied", "remove_all", `
			insert into mitigation (tenant_id, id, control_id, identity_id, policy_id, sides, owner_id, severity,
			                        duration, justification, requested_by, state, starts_at, ends_at)
			select c.tenant_id, gen_random_uuid(), c.id, i.id, p.id, '', i.id, 'high', 'P30D', 'x', '{}', 'active', now(),
			       now() + interval '30 days'
			  from mitigating_control c, separation_policy p, identity i`,
			[]string{brought},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t)
			h.Person("ann", "")
			h.upload(withControl("1.0.0"))
			h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
			if tt.before != "" {
				h.Exec(tt.before)
			}
			body := map[string]any{"mode": tt.mode}
			dry := h.Must(200, "admin", "POST", packs+"/clinic/uninstall?dry_run=true", body)
			body["confirm"] = dry.Text("plan_hash")
			h.Must(200, "admin", "POST", packs+"/clinic/uninstall", body)
			h.wantControls(tt.want...)
		})
	}
}

func TestATenantsOwnControlStandsAndIsNamedByThePolicy(t *testing.T) {
	h := open(t)
	h.control("log")
	h.upload(withControl("1.0.0"))
	planned := h.Must(200, "admin", "POST", packs+"/clinic/plan", map[string]any{})
	if got := keys(planned.Body, "conflict"); got != "log" {
		t.Errorf("the plan has the conflicts %q", got)
	}
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.wantControls("Two: log | 1.0.0", "log | detective medium P90D [] | attestation reopen P30D P7D | manual")
}

func TestAPolicyWaitsForAControlThatTheTenantHasDeleted(t *testing.T) {
	h := open(t)
	h.upload(withControl("1.0.0"))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	h.Exec(`update separation_policy set mitigation_policy_ids = '{}'`)
	h.Exec(`update mitigating_control set deleted_at = now()`)
	h.upload(withControl("1.1.0", "name: Two,", "name: Two, rationale: Care,"))
	h.Must(200, "admin", "POST", packs+"/clinic/upgrade", map[string]any{})
	h.wantControls("Two:  | 1.1.0")
	policy := func() map[string]any {
		return h.Must(200, "admin", "GET", packs+"/clinic/objects?kind=sod_policy", nil).Items()[0]
	}
	if o := policy(); o["state"] != "pending_binding" ||
		str(o["pending"]) != "[map[mitigation_policy:log reason:no_control]]" {
		t.Errorf("the policy is %v and waits for %v", o["state"], o["pending"])
	}
	h.look()
	if o := policy(); o["state"] != "pending_binding" {
		t.Errorf("without a control the policy is %v", o["state"])
	}
	h.control("LOG")
	h.look()
	if o := policy(); o["state"] != "installed" || len(o["pending"].([]any)) != 0 {
		t.Errorf("with a control of that name the policy is %v and waits for %v", o["state"], o["pending"])
	}
	h.wantControls("LOG | detective medium P90D [] | attestation reopen P30D P7D | manual", "Two: LOG | 1.1.0")
}

func TestLimitsOfControlsAreThoseOfTheService(t *testing.T) {
	h := open(t)
	longest := []string{"P60D", "P730D", "cadence: P14D", "cadence: P365D", "grace: P3D", "grace: P90D"}
	h.upload(withControl("1.0.0", longest...))
	h.Must(200, "admin", "POST", packs+"/clinic/install", map[string]any{})
	for _, too := range []string{"P731D", "PT1H"} {
		r := h.Must(
			200,
			"admin",
			"POST",
			packs+"/validate",
			map[string]any{"archive": h.packed(withControl("1.1.0", "P60D", too))},
		)
		if text := str(r.Body); !strings.Contains(text, too+" is outside the limits") {
			t.Errorf("a longest duration of %s: %s", too, text)
		}
	}
}
