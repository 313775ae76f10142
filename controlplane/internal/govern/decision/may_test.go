package decision_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// becomes changes a token into what a test needs that no sign-in of the test's house makes.
func (h *house) elsewhere(token, kind string) {
	h.Let(token, h.Tenant.Tenant, "", viewer.Admin)
	h.Change(token, func(v *viewer.Viewer) {
		switch kind {
		case "home":
			v.Home, v.ControlPlaneAdmin = uuid.NewString(), true
		case "service":
			v.Kind, v.Scopes = viewer.Service, []string{"decision-tasks:read", "decision-tasks:write"}
		}
	})
}

func TestWhoSeesATask(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid", "dora")
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("owner", h.Tenant.Tenant, "", viewer.ResourceOwner)
	h.Let("nobody", h.Tenant.Tenant, "")
	other := pgtest.Tenant(t, h.DB, "other")
	h.Let("foreign", other.Tenant, "", viewer.Admin)
	h.Let("twin", other.Tenant, p[0], viewer.Auditor) // an identity of the same id elsewhere sees nothing here
	n := question("a", p[0])
	n.Assignees = append(n.Assignees, decision.Assignee{IdentityID: p[1], Via: decision.Delegate, ActingFor: &p[2]})
	n.Roles = []string{"resource_owner"}
	id := h.one(n)
	for _, tt := range []struct {
		as     string
		status int
		all    int
		mine   int
	}{
		{"ann", 200, 1, 1}, {"bob", 200, 1, 1}, {"cid", 200, 1, 0}, {"dora", 404, 0, 0}, {"admin", 200, 1, 0},
		{"auditor", 200, 1, 0},
		{"owner", 200, 1, 1}, {"nobody", 404, 0, 0}, {"foreign", 404, 0, 0}, {"twin", 404, 0, 0},
	} {
		if a := h.Call(tt.as, "GET", "/decision-tasks/"+id, nil); a.Status != tt.status {
			t.Errorf("%s reads it: %d; want %d", tt.as, a.Status, tt.status)
		}
		if got := len(h.Must(200, tt.as, "GET", "/decision-tasks?assigned=all", nil).Items()); got != tt.all {
			t.Errorf("%s lists %d of all; want %d", tt.as, got, tt.all)
		}
		a := h.Must(200, tt.as, "GET", "/decision-tasks", nil)
		if len(a.Items()) != tt.mine || a.Body["total"] != float64(tt.mine) {
			t.Errorf("%s has %d of %v in the inbox; want %d", tt.as, len(a.Items()), a.Body["total"], tt.mine)
		}
		if got := h.Must(200, tt.as, "GET", "/decision-tasks/summary", nil).Body["open"]; got != float64(tt.mine) {
			t.Errorf("%s counts %v; want %d", tt.as, got, tt.mine)
		}
	}
	if got := len(h.Must(200, "cid", "GET", "/decision-tasks?assigned=delegated", nil).Items()); got != 1 {
		t.Errorf("delegated by cid: %d; want 1", got)
	}
	for _, path := range []string{"claim", "decide", "reassign", "comments", "undo", "escalate", "release"} {
		body := map[string]any{"claim": nil, "undo": nil, "release": nil, "decide": map[string]any{"action": "approve"},
			"reassign": map[string]any{"to": []string{p[3]}, "reason": "x"},
			"comments": map[string]any{"text": "x"}, "escalate": map[string]any{"reason": "x"}}[path]
		for _, as := range []string{"dora", "foreign"} {
			h.Refused(404, "not_found", as, "POST", "/decision-tasks/"+id+"/"+path, body)
		}
	}
}

func TestWhoSeesATaskAndMayNotDecideIsTold(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	n := question("a", p[0])
	n.Assignees[0] = decision.Assignee{IdentityID: p[1], Via: decision.Delegate, ActingFor: &p[2]}
	id := h.one(n)
	for _, as := range []string{"admin", "cid"} {
		a := h.Refused(
			403,
			"not_assigned",
			as,
			"POST",
			"/decision-tasks/"+id+"/decide",
			map[string]any{"action": "approve"},
		)
		if a.Text("detail") == "" || h.task(as, id)["you"].(map[string]any)["code"] != "not_assigned" {
			t.Errorf("%s is told %v", as, a.Body)
		}
	}
	h.Let("auditor", h.Tenant.Tenant, p[1], viewer.Auditor)
	h.Refused(
		403,
		"read_only_role",
		"auditor",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
}

func TestNobodyDecidesTheirOwnRequestUnderAnyHat(t *testing.T) {
	h := open(t)
	p := h.staff("requester", "approver", "other")
	h.Let("requesting-admin", h.Tenant.Tenant, p[0], viewer.Admin)
	user := uuid.NewString()
	h.Let("user-without-identity", h.Tenant.Tenant, "", viewer.Admin)
	h.Change("user-without-identity", func(v *viewer.Viewer) { v.ID = user })
	n := question("a", p[0], p[1])
	n.Kind, n.Roles, n.NotFor = "request_approval", []string{"admin"}, []string{p[0], user}
	n.Assignees = append(n.Assignees, decision.Assignee{IdentityID: p[2], Via: decision.Delegate, ActingFor: &p[0]})
	id := h.one(n)
	if got := people(h.task("approver", id)); got != "[approver/direct] [admin]" {
		t.Errorf("asked of %s: neither the requester nor their delegate", got)
	}
	for _, as := range []string{"requesting-admin", "user-without-identity"} {
		h.Refused(403, "own_request", as, "POST", "/decision-tasks/"+id+"/decide", map[string]any{"action": "approve"})
		h.Refused(403, "own_request", as, "POST", "/decision-tasks/"+id+"/claim", nil)
		h.Refused(
			403,
			"own_request",
			as,
			"POST",
			"/decision-tasks/"+id+"/reassign",
			map[string]any{"to": []string{p[2]}, "reason": "a friend"},
		)
		h.Refused(403, "own_request", as, "POST", "/decision-tasks/"+id+"/escalate", map[string]any{"reason": "hurry"})
		b := h.Must(
			200,
			as,
			"POST",
			"/decision-tasks/bulk-decide",
			map[string]any{"ids": []string{id}, "action": "approve"},
		)
		if r := b.Body["results"].([]any)[0].(map[string]any); r["result"] != "refused" || r["code"] != "own_request" ||
			r["detail"] == "" {
			t.Errorf("%s in bulk: %v", as, r)
		}
		if got := len(h.Must(200, as, "GET", "/decision-tasks", nil).Items()); got != 0 {
			t.Errorf("%s has it in the inbox", as)
		}
	}
	// By reassignment and by delegation.
	h.Refused(
		422,
		"own_request",
		"admin",
		"POST",
		"/decision-tasks/"+id+"/reassign",
		map[string]any{"to": []string{p[0]}, "reason": "x"},
	)
	h.Must(201, "approver", "POST", "/decision-tasks/delegations", map[string]any{"delegate_id": p[0]})
	if got := people(h.task("approver", id)); got != "[approver/direct] [admin]" {
		t.Errorf("after the approver has delegated to the requester: %s", got)
	}
	// By escalation to the manager.
	h.Exec(`update identity set manager_id = $1 where id = $2`, p[0], p[1])
	h.Refused(
		409,
		"no_manager",
		"approver",
		"POST",
		"/decision-tasks/"+id+"/escalate",
		map[string]any{"reason": "x", "to": "manager"},
	)
	// Across tenants, and by a token that stands for nobody.
	for _, kind := range []string{"home", "service"} {
		h.elsewhere(kind, kind)
		h.Refused(
			403,
			"approver_required",
			kind,
			"POST",
			"/decision-tasks/"+id+"/decide",
			map[string]any{"action": "approve"},
		)
		h.Refused(403, "approver_required", kind, "POST", "/decision-tasks/"+id+"/claim", nil)
	}
	if h.heard("a", "approve") != 0 {
		t.Error("somebody approved their own request")
	}
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		return decision.Assign(
			ctx,
			tx,
			id,
			[]decision.Assignee{{IdentityID: p[0], Via: decision.Escalation}},
			nil,
			"escalated",
		)
	})
	if got := people(h.task("approver", id)); got != "[approver/direct] [admin]" {
		t.Errorf("after the room escalated to the requester: %s", got)
	}
	if a := h.decide("approver", id, "approve"); a.Status != 200 {
		t.Errorf("the approver: %d %v", a.Status, a.Body)
	}
}

func TestCandidatesAreAllWhoCanDecide(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	for _, u := range [][2]string{{"root@acme.test", p[1]}, {"chief@acme.test", ""}} {
		h.Exec(
			`insert into app_user (tenant_id, id, email, display_name, identity_id, roles, status)
				values (current_tenant(), gen_random_uuid(), $1, $1, nullif($2, '')::uuid, '{admin}', 'active')`,
			u[0],
			u[1],
		)
	}
	n := question("a", p[0])
	n.Roles, n.NotFor = []string{"admin"}, []string{p[1]}
	id := h.one(n)
	var names []string
	for _, c := range h.task("ann", id)["candidates"].([]any) {
		names = append(names, c.(map[string]any)["display"].(string))
	}
	if want := []string{"ann", "chief@acme.test"}; !slices.Equal(names, want) {
		t.Errorf("candidates %v; want %v", names, want)
	}
}
