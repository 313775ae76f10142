package request_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// mitigable lets the policy be mitigated by a control that tom carries out, and gives the IDs of both.
func (h *house) mitigable() (policy, control string) {
	h.T.Helper()
	control = newID()
	h.Exec(`insert into mitigating_control (tenant_id, id, name, control_owner_ids, max_duration, evidence)
		values (current_tenant(), $1, 'Dual check', array[$2::uuid], 'P90D',
		    '{"kind": "attestation", "cadence": "P30D", "grace": "P7D"}')`, control, h.tom)
	h.Exec(`update separation_policy set mitigation_policy_ids = array[$1::uuid], max_mitigation = 'P60D',
		version = version + 1`, control)
	return h.Strings(`select id::text from separation_policy`)[0], control
}

func proposing(request map[string]any, policy, control, duration string) map[string]any {
	request["mitigations"] = []any{map[string]any{"policy_id": policy, "mitigation_policy_id": control,
		"duration": duration}}
	return request
}

// agree approves the only proposed mitigation as another administrator.
func (h *house) agree() {
	h.T.Helper()
	id := h.Strings(`select id::text from mitigation where state = 'proposed'`)[0]
	v := viewer.Viewer{Tenant: h.Tenant.Tenant, Kind: viewer.User, ID: newID(), Display: "other",
		Roles: []viewer.Role{viewer.Admin}}
	ctx := context.Background()
	if err := h.DB.As(ctx, v, func(tx *pg.Tx) error {
		_, err := mitigation.Approved(ctx, tx, id, "", time.Now())
		return err
	}); err != nil {
		h.T.Fatal(err)
	}
}

func TestRequestGoesOnWithAMitigationThatAnotherPersonApproves(t *testing.T) {
	h := open(t)
	h.rule("by manager", byManager, `{}`, h.vault)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.Grant(h.system, h.annsAccount, h.group)
	h.Refused(409, "separation_of_duties", "ann", "POST", "/access-requests", wish(h.ann, h.vault))
	policy, control := h.mitigable()
	a := h.Refused(409, "separation_of_duties", "ann", "POST", "/access-requests", wish(h.ann, h.vault))
	if !strings.Contains(a.Text("detail"), `Or propose a mitigation, such as "Dual check".`) {
		t.Errorf("the refusal says %s", a.Text("detail"))
	}
	for _, bad := range []struct{ policy, control, duration, code, pointer string }{
		{policy, control, "P61D", "validation_failed", "#/mitigations/0/duration"},
		{policy, newID(), "P30D", "validation_failed", "#/mitigations/0/mitigation_policy_id"},
		{newID(), control, "P30D", "validation_failed", "#/mitigations/0/policy_id"},
	} {
		a := h.Refused(422, bad.code, "ann", "POST", "/access-requests",
			proposing(wish(h.ann, h.vault), bad.policy, bad.control, bad.duration))
		if fields, _ := a.Body["errors"].([]any); len(fields) == 0 ||
			fields[0].(map[string]any)["pointer"] != bad.pointer {
			t.Errorf("%+v is refused at %v", bad, a.Body["errors"])
		}
	}
	p := h.Must(200, "ann", "POST", "/access-requests/preview",
		proposing(wish(h.ann, h.vault), policy, control, "P30D"))
	if p.Body["submittable"] != true || p.Body["separation_of_duties"].(map[string]any)["effect"] != "warn" {
		t.Errorf("the preview says %v", p.Body)
	}
	made := h.ask("ann", proposing(wish(h.ann, h.vault), policy, control, "P30D"))
	if n := h.Count(`select count(*) from decision_task where kind = 'request_approval'
		and context -> 'separation_of_duties' ->> 0 like '%proposes a mitigation for P30D%'`); n == 0 {
		t.Error("the approver is not told of the mitigation")
	}

	// The access waits for the mitigation.
	verdict := map[string]any{"decisions": []any{map[string]any{"item_id": item(made, 0), "action": "approve",
		"comment": "fine"}}}
	path := "/access-requests/" + made.Text("id") + "/decisions"
	early := h.Refused(409, "separation_of_duties", "mia", "POST", path, verdict)
	if !strings.Contains(early.Text("detail"), `The mitigation "Dual check" has not been approved.`) {
		t.Errorf("the early approval is refused with %s", early.Text("detail"))
	}
	h.agree()
	h.Must(200, "mia", "POST", path, verdict)
	if n := h.Count(`select count(*) from mitigation where state = 'active' and request_id is not null
		and ends_at between now() + interval '29 days' and now() + interval '31 days'`); n != 1 {
		t.Errorf("%d mitigations are active; want 1 for 30 days", n)
	}
}

func TestMitigationOfARequestThatEndsIsNotDecidedAnyMore(t *testing.T) {
	h := open(t)
	h.rule("by manager", byManager, `{}`, h.vault)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.Grant(h.system, h.annsAccount, h.group)
	policy, control := h.mitigable()
	made := h.ask("ann", proposing(wish(h.ann, h.vault), policy, control, "P30D"))
	h.Must(200, "ann", "POST", "/access-requests/"+made.Text("id")+"/cancel", map[string]any{"reason": "not needed"})
	ctx := context.Background()
	if err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		due, err := queue.Take(ctx, tx, "mitigation", 10)
		if err != nil {
			return err
		}
		return (&mitigation.Service{Now: time.Now}).Kinds()[0].Work(ctx, tx, due)
	}); err != nil {
		t.Fatal(err)
	}
	if state := h.Strings(`select state from mitigation`); state[0] != "resolved" {
		t.Errorf("the mitigation is %s; want resolved", state[0])
	}
}

func TestAccessWithoutAnApproverTakesNoProposal(t *testing.T) {
	h := open(t)
	h.rule("at once", `[{"outcome": {"kind": "auto_approve", "reason": "small"}}]`, `{}`, h.vault)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.Grant(h.system, h.annsAccount, h.group)
	policy, control := h.mitigable()
	h.Refused(409, "mitigation_needs_approval", "ann", "POST", "/access-requests",
		proposing(wish(h.ann, h.vault), policy, control, "P30D"))
	if n := h.Count(`select count(*) from mitigation`); n != 0 {
		t.Errorf("%d mitigations were written; want none", n)
	}
}
