package rolemodel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestARoleGivesItselfByItsRuleAndFollowsWhatChanges(t *testing.T) {
	h := open(t)
	h.crowd(40)
	h.Exec(
		`insert into lifecycle_policy (tenant_id, mover_grace) values (current_tenant(), interval '0')
			on conflict (tenant_id) do update set mover_grace = interval '0'`,
	)
	ann, ben := h.hire("ann", "Ward"), h.hire("ben", "Office")
	inner := h.make(map[string]any{"name": "Inner", "entitlement_ids": h.groups[1:2]})
	ward := h.make(
		map[string]any{
			"name":            "Ward",
			"entitlement_ids": h.groups[:1],
			"child_role_ids":  []string{id(inner)},
			"membership_rule": about("department", "eq", "Ward"),
		},
	)
	h.settle()
	h.expect(ann, "[group-0 group-1]")
	h.expect(ben, "[]")

	h.Exec(`update identity set department = 'Ward' where id = $1`, ben)
	h.settle()
	h.expect(ben, "[group-0 group-1]")
	h.Must(200, "admin", "PATCH", inner, map[string]any{"entitlement_ids": h.groups[2:3]})
	h.settle()
	h.expect(ann, "[group-0 group-2]")

	tomorrow := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	h.Must(
		200,
		"admin",
		"PATCH",
		ward,
		map[string]any{
			"membership_exclusions": []any{
				map[string]any{"identity_id": ann, "reason": "on a project", "until": tomorrow},
			},
		},
	)
	h.settle()
	h.expect(ann, "[]")
	h.expect(ben, "[group-0 group-2]")
	h.pass(time.Now().Add(48 * time.Hour))
	h.expect(ann, "[group-0 group-2]")

	h.Exec(`update identity set department = 'Office' where id = $1`, ben)
	h.settle()
	h.expect(ben, "[]")
	h.Must(200, "admin", "POST", ward+"/deprecate", nil)
	h.Exec(`update identity set department = 'Ward' where id = $1`, ben)
	h.settle()
	h.expect(ben, "[]") // closed for new members
	h.expect(ann, "[group-0 group-2]")
	h.Must(200, "admin", "PATCH", inner, map[string]any{"entitlement_ids": h.groups[3:4]})
	h.settle()
	h.expect(ann, "[group-0 group-3]") // who has it is kept true
	h.publish(ward)
	h.settle()
	h.expect(ben, "[group-0 group-3]")
	h.Must(200, "admin", "PATCH", ward, map[string]any{"membership_rule": nil})
	h.settle()
	h.expect(ann, "[]")
	if n := h.Count(
		`select count(*) from access_reason where source_type = 'role' and (kind <> 'role' or role_id <> source_id)`,
	); n != 0 {
		t.Errorf("%d reasons of rules do not name their role", n)
	}
}

func TestMoversKeepARoleForAsLongAsTheLifecycleSays(t *testing.T) {
	h := open(t)
	h.crowd(20)
	ann := h.hire("ann", "Ward")
	h.Exec(
		`insert into lifecycle_policy (tenant_id, mover_grace) values (current_tenant(), interval '5 days')
			on conflict (tenant_id) do update set mover_grace = interval '5 days'`,
	)
	ward := h.make(
		map[string]any{
			"name":            "Ward",
			"entitlement_ids": h.groups[:2],
			"membership_rule": about("department", "eq", "Ward"),
		},
	)
	h.settle()
	h.Exec(`update identity set department = 'Office' where id = $1`, ann)
	h.settle()
	h.expect(ann, "[group-0 ends group-1 ends]")
	h.Must(200, "admin", "PATCH", ward, map[string]any{"entitlement_ids": h.groups[:1]})
	h.settle()
	h.expect(ann, "[group-0 ends group-1 ends]") // what runs out runs out
	h.Exec(`update identity set department = 'Ward' where id = $1`, ann)
	h.settle()
	h.expect(ann, "[group-0]")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, ann)
	h.settle()
	h.expect(ann, "[]")
}

func TestWhatSomebodyHasTakenTheRuleDoesNotGiveAgain(t *testing.T) {
	h := open(t)
	h.crowd(20)
	ann := h.hire("ann", "Ward")
	ward := h.make(
		map[string]any{
			"name":            "Ward",
			"entitlement_ids": h.groups[:2],
			"membership_rule": about("department", "eq", "Ward"),
		},
	)
	h.make(map[string]any{"name": "Other", "membership_rule": about("department", "eq", "Nowhere")})
	a := h.Must(201, "admin", "POST", ward+"/members", map[string]any{"identity_id": ann, "reason": "also by hand"})
	if ways := a.Body["ways"].([]any); len(ways) != 1 {
		t.Errorf("ways before the evaluation: %v", ways)
	}
	h.settle()
	h.expect(ann, "[group-0 group-0 group-1 group-1]")
	h.Exec(
		`update access_reason set state = 'ended', ended_at = now(),
			end_reason = 'a reviewer took it' where identity_id = $1 and entitlement_id = $2`,
		ann,
		h.groups[0],
	)
	h.Must(200, "admin", "PATCH", ward, map[string]any{"entitlement_ids": h.groups[:3]})
	h.settle()
	h.expect(ann, "[group-1 group-1 group-2 group-2]")
	h.Must(
		200,
		"admin",
		"PATCH",
		ward,
		map[string]any{"membership_rule": about("department", "in", []string{"Ward", "Wards"})},
	)
	h.settle()
	h.expect(ann, "[group-0 group-1 group-1 group-2 group-2]") // another rule gives anew, an assignment does not
}

func TestMembersAreGivenTakenAndToldOf(t *testing.T) {
	h := open(t)
	h.crowd(40)
	boss := h.hire("boss", "Office")
	ann, ben, gone := h.hire("ann", "Ward"), h.hire("ben", "Office"), h.hire("gone", "Office")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, gone)
	h.Exec(`update identity set manager_id = $2 where id = $1`, ben, boss)
	unseen := h.hire("unseen", "Office")
	h.Let("owner", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("ben", h.Tenant.Tenant, ben)
	h.Let("nobody", h.Tenant.Tenant, h.hire("x", "Office"))
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	ward := h.make(
		map[string]any{
			"name":             "Ward",
			"entitlement_ids":  h.groups[:2],
			"owner_ids":        []string{boss},
			"max_duration":     "P30D",
			"default_duration": "P7D",
			"parameters": []any{
				map[string]any{
					"name":           "site",
					"type":           "string",
					"required":       true,
					"allowed_values": []string{"north", "south"},
				},
			},
			"membership_rule": about("department", "eq", "Ward"),
		},
	)
	h.settle()
	members := ward + "/members"
	body := func(more ...any) map[string]any {
		m := map[string]any{"identity_id": ben, "reason": "stands in", "parameters": map[string]any{"site": "north"}}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	late := time.Now().AddDate(0, 0, 31)
	for _, tt := range []struct {
		status       int
		code, as     string
		body         map[string]any
		wrong, where string
	}{
		{422, "validation_failed", "admin", body("parameters", map[string]any{}), "required", "#/parameters/site"},
		{422, "validation_failed", "admin", body("parameters", map[string]any{"site": "east"}), "invalid",
			"#/parameters/site"},
		{422, "validation_failed", "admin", body("parameters", map[string]any{"site": "north", "x": 1}),
			"unknown_parameter", "#/parameters/x"},
		{422, "validation_failed", "admin", body("ends_at", late), "too_long", "#/ends_at"},
		{422, "validation_failed", "admin", body("ends_at", time.Now().Add(-time.Hour)), "in_the_past", "#/ends_at"},
		{422, "validation_failed", "admin", body("starts_at", time.Now().Add(-time.Hour)), "in_the_past",
			"#/starts_at"},
		{422, "validation_failed", "admin", body("identity_id", uuid.NewString()), "unknown_identity", "#/identity_id"},
		{409, "person_has_left", "admin", body("identity_id", gone), "", ""},
		{422, "validation_failed", "owner", body("identity_id", gone), "unknown_identity", "#/identity_id"},
		{422, "validation_failed", "owner", body("identity_id", unseen), "unknown_identity", "#/identity_id"},
		{403, "own_role", "owner", body("identity_id", boss), "", ""},
		{404, "not_found", "nobody", body(), "", ""},
		{403, "read_only_role", "auditor", body(), "", ""},
	} {
		a := h.Refused(tt.status, tt.code, tt.as, "POST", members, tt.body)
		if tt.wrong != "" {
			first, _ := a.Body["errors"].([]any)[0].(map[string]any)
			if first["code"] != tt.wrong || first["pointer"] != tt.where {
				t.Errorf("%v; want %s at %s", first, tt.wrong, tt.where)
			}
		}
	}
	h.Must(201, "owner", "POST", members, body())
	h.Refused(409, "already_assigned", "admin", "POST", members, body())
	h.expect(ben, "[group-0 ends group-1 ends]")
	if n := h.Count(
		`select count(*) from role_assignment where ends_at - starts_at between interval '6 days 23 hours'
			and interval '7 days 1 hour'`,
	); n != 1 {
		t.Error("without an end it does not last for default_duration")
	}
	if got := h.Must(200, "owner", "GET", members, nil).Values("display"); fmt.Sprint(got) != "[ann ben]" {
		t.Errorf("members: %v", got)
	}
	for kind, want := range map[string]string{"rule": "[ann]", "manual": "[ben]", "policy": "[]", "request": "[]"} {
		if got := h.Must(200, "auditor", "GET", members+"?kind="+kind, nil).Values("display"); fmt.Sprint(got) != want {
			t.Errorf("members by %s: %v; want %s", kind, got, want)
		}
	}
	h.Refused(404, "not_found", "nobody", "GET", members, nil)
	held := h.Must(200, "ben", "GET", "/identities/"+ben+"/roles", nil).Items()
	if len(held) != 1 || held[0]["name"] != "Ward" || held[0]["until"] == nil ||
		fmt.Sprint(held[0]["fulfilment"]) != "map[active:0 failed:0 total:2]" {
		t.Errorf("roles of ben: %v", held)
	}
	h.Refused(404, "not_found", "nobody", "GET", "/identities/"+ben+"/roles", nil)
	h.Refused(404, "not_found", "admin", "GET", "/identities/x/roles", nil)

	h.Refused(422, "validation_failed", "admin", "PATCH", members+"/"+ben, map[string]any{"ends_at": nil})
	h.Refused(422, "validation_failed", "admin", "PATCH", members+"/"+ben, map[string]any{"ends_at": late})
	h.Refused(
		404,
		"not_found",
		"admin",
		"PATCH",
		members+"/"+ann,
		map[string]any{"ends_at": time.Now().AddDate(0, 0, 20)},
	)
	until := time.Now().AddDate(0, 0, 20).UTC().Truncate(time.Second)
	if a := h.Must(
		200,
		"owner",
		"PATCH",
		members+"/"+ben,
		map[string]any{"ends_at": until},
	); a.Text("until") != until.Format(time.RFC3339) {
		t.Errorf("extended until %v; want %v", a.Body["until"], until)
	}
	h.Refused(409, "member_by_rule", "admin", "DELETE", members+"/"+ann, nil)
	h.Refused(404, "not_found", "admin", "DELETE", members+"/"+boss, nil)
	h.Must(204, "owner", "DELETE", members+"/"+ben+"?reason=done", nil)
	h.Refused(404, "not_found", "admin", "DELETE", members+"/"+ben, nil)
	h.expect(ben, "[]")
	h.settle()
	h.expect(ben, "[]")
}

func TestAScheduledAssignmentBeginsAndEndsAndItsRoleIsKeptTrueMeanwhile(t *testing.T) {
	h := open(t)
	h.crowd(20)
	ann := h.hire("ann", "Ward")
	ward := h.make(map[string]any{"name": "Ward", "entitlement_ids": h.groups[:1]})
	begin, end := time.Now().Add(24*time.Hour), time.Now().Add(72*time.Hour)
	h.Must(
		201,
		"admin",
		"POST",
		ward+"/members",
		map[string]any{"identity_id": ann, "reason": "for two days", "starts_at": begin, "ends_at": end},
	)
	h.settle()
	h.expect(ann, "[group-0 ends scheduled]")
	h.Must(200, "admin", "PATCH", ward, map[string]any{"entitlement_ids": h.groups[:2]})
	h.settle()
	h.expect(ann, "[group-0 ends scheduled group-1 ends scheduled]")
	h.pass(begin.Add(time.Minute))
	h.expect(ann, "[group-0 ends group-1 ends]")
	states := func() string {
		return fmt.Sprint(h.Strings(`select state || ' ' || coalesce(end_reason, '') from role_assignment`))
	}
	if got := states(); got != "[active ]" {
		t.Errorf("assignment: %s", got)
	}
	h.Must(200, "admin", "PATCH", ward, map[string]any{"entitlement_ids": h.groups[1:3]})
	h.settle()
	h.expect(ann, "[group-1 ends group-2 ends]")
	h.pass(end.Add(time.Minute))
	h.expect(ann, "[]")
	if got := states(); got != "[ended its time was over]" {
		t.Errorf("assignment: %s", got)
	}
}

func TestWhoLeavesLosesAssignmentsForGood(t *testing.T) {
	h := open(t)
	ann := h.hire("ann", "Ward")
	ward := h.make(map[string]any{"name": "Ward", "entitlement_ids": h.groups[:1]})
	h.Must(201, "admin", "POST", ward+"/members", map[string]any{"identity_id": ann, "reason": "x"})
	h.Exec(`update identity set status = 'deactivated' where id = $1`, ann)
	h.settle()
	h.Exec(`update identity set status = 'active' where id = $1`, ann)
	h.settle()
	h.expect(ann, "[]")
	if n := h.Count(
		`select count(*) from role_assignment where state = 'ended' and end_reason = 'the person has left'`,
	); n != 1 {
		t.Error("the assignment has not ended")
	}
}
