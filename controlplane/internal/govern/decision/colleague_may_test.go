package decision_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func TestOnlyWhoCanReceiveATaskIsFound(t *testing.T) {
	h := open(t)
	p := h.staff("Peer Asked", "Peer Subject")
	for i, id := range p {
		h.account(id, "active")
		h.Let([]string{"asked", "subject"}[i], h.Tenant.Tenant, id)
	}
	for name, status := range map[string]string{"Peer Notice": "notice", "Peer Ahead": "pre_hire",
		"Peer Leave": "on_leave", "Peer Gone": "deactivated", "Peer Past": "archived"} {
		h.Exec(`update identity set status = $2 where id = $1`, h.worker(name, "", ""), status)
	}
	h.Exec(`update identity set kind = 'non_human' where id = $1`, h.worker("Peer Robot", "", ""))
	h.Person("Peer Nouser", "")
	h.account(h.Person("Peer Invited", ""), "invited")
	h.account(h.Person("Peer Disabled", ""), "disabled")
	h.worker("Peer Fine", "", "")
	other := pgtest.Tenant(t, h.DB, "second")
	h.Exec(`update app_user set deleted_at = now() where identity_id = $1`, h.worker("Peer Deleted", "", ""))
	own := h.Tenant
	h.Tenant = other
	h.worker("Peer Elsewhere", "", "")
	h.Tenant = own
	n := question("a", p[0])
	n.NotFor = []string{p[1]}
	path := "/decision-tasks/" + h.one(n) + "/colleagues"
	expect := func(world, receive, delegates string) {
		t.Helper()
		for _, who := range []string{"asked", "admin"} {
			if got := h.finds(who, path, "peer"); got != receive {
				t.Errorf("%s: %s finds %s; want %s", world, who, got, receive)
			}
		}
		if got := h.finds("asked", "/decision-tasks/delegations/colleagues", "peer"); got != delegates {
			t.Errorf("%s: as delegates %s; want %s", world, got, delegates)
		}
	}
	// An identity provider that creates users lets in who was invited and who has no user any more, as long as they
	// have an address.
	expect(
		"with a provider",
		"Peer Deleted, Peer Fine, Peer Invited, Peer Notice",
		"Peer Deleted, Peer Fine, Peer Invited, Peer Notice, Peer Subject",
	)
	h.Exec(`update identity_provider set create_users = false`)
	expect(
		"with a provider that creates no users",
		"Peer Fine, Peer Invited, Peer Notice",
		"Peer Fine, Peer Invited, Peer Notice, Peer Subject",
	)
	h.Exec(`update identity_provider set enabled = false`)
	expect("without a provider", "Peer Fine, Peer Notice", "Peer Fine, Peer Notice, Peer Subject")
}

func TestAUserWithoutARecordWhoNeverDecidesIsNotFoundByOne(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	bob := h.worker("Bob", "", "")
	user := h.Strings(`select id::text from app_user where identity_id = $1`, bob)[0]
	n := question("a", ann)
	n.NotFor = []string{user}
	if got := h.finds("ann", "/decision-tasks/"+h.one(n)+"/colleagues", "bob"); got != "" {
		t.Errorf("found %s, who asked before they had a record", got)
	}
}

func TestWhoMayNotHandATaskOnFindsNobody(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	h.worker("Dora", "", "")
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("outside", pgtest.Tenant(t, h.DB, "second").Tenant, "", viewer.Admin)
	own := question("own", p[0])
	own.Roles, own.NotFor = []string{"resource_owner"}, []string{p[1]}
	fixed := question("fixed", p[0])
	fixed.Fixed = true
	closed := question("closed", p[0])
	ids := h.ask(own, fixed, closed, question("claimed", p[0], p[2]))
	h.Let("bob", h.Tenant.Tenant, p[1], viewer.ResourceOwner)
	h.decide("ann", ids[2], "approve")
	h.Must(200, "cid", "POST", "/decision-tasks/"+ids[3]+"/claim", nil)
	for _, tt := range []struct {
		as, task string
		status   int
		code     string
	}{
		{"cid", ids[0], 404, "not_found"},
		{"outside", ids[0], 404, "not_found"},
		{"ann", uuid.NewString(), 404, "not_found"},
		{"ann", "x", 404, "not_found"},
		{"auditor", ids[0], 403, "read_only_role"},
		{"bob", ids[0], 403, "own_request"},
		{"ann", ids[1], 409, "not_reassignable"},
		{"admin", ids[1], 409, "not_reassignable"},
		{"ann", ids[2], 409, "already_decided"},
		{"ann", ids[3], 409, "claimed_by_another"},
	} {
		path := "/decision-tasks/" + tt.task
		h.Refused(tt.status, tt.code, tt.as, "GET", path+"/colleagues?q=dora", nil)
		h.Refused(tt.status, tt.code, tt.as, "GET", path+"/colleagues", nil)
		h.Refused(
			tt.status,
			tt.code,
			tt.as,
			"POST",
			path+"/reassign",
			map[string]any{"to": []string{p[2]}, "reason": "x"},
		)
	}
	if got := h.finds("admin", "/decision-tasks/"+ids[3]+"/colleagues", "dora"); got != "Dora" {
		t.Errorf("an administrator, of a claimed task: %q", got)
	}
}

func TestServiceTokensLookForNobody(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	id := h.one(question("a", p[0]))
	h.Change("ann", func(v *viewer.Viewer) {
		v.Kind, v.Scopes = viewer.Service, []string{"decision-tasks:read", "decision-tasks:write"}
	})
	for _, path := range []string{"/decision-tasks/" + id + "/colleagues?q=ann",
		"/decision-tasks/delegations/colleagues?q=ann"} {
		h.Refused(403, "forbidden", "ann", "GET", path, nil)
	}
}

func TestWhoMayDelegateFindsADelegate(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	h.account(p[0], "active")
	h.account(p[1], "active")
	h.Let("nobody", h.Tenant.Tenant, "")
	h.Let("auditor", h.Tenant.Tenant, p[1], viewer.Auditor)
	at := "/decision-tasks/delegations/colleagues"
	if got := h.finds("ann", at, "bob"); got != "bob" {
		t.Errorf("ann finds %q", got)
	}
	if got := h.finds("ann", at, "ann"); got != "" {
		t.Errorf("ann finds herself")
	}
	for delegator, want := range map[string][]string{p[0]: {"bob"}, p[1]: {}} {
		if got := h.Must(200, "admin", "GET", at+"?q=bob&delegator_id="+delegator, nil).
			Values("display"); fmt.Sprint(
			got,
		) != fmt.Sprint(want) {
			t.Errorf("an administrator finds %v; want %v", got, want)
		}
	}
	h.Refused(404, "not_found", "admin", "GET", at+"?q=bob&delegator_id="+uuid.NewString(), nil)
	h.Refused(403, "forbidden", "ann", "GET", at+"?q=bob&delegator_id="+p[1], nil)
	h.Refused(403, "read_only_role", "auditor", "GET", at+"?q=ann", nil)
	h.Refused(400, "invalid_parameter", "nobody", "GET", at+"?q=bob", nil)
}
