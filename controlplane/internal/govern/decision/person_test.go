package decision_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// someone is a person with every id under which they act.
type someone struct{ identity, user, token string }

// admit gives a person a user and a service token of theirs.
func (h *house) admit(name, identity string) someone {
	h.T.Helper()
	p := someone{identity, uuid.NewString(), uuid.NewString()}
	h.Exec(`insert into app_user (tenant_id, id, email, display_name, identity_id, roles, status)
		values (current_tenant(), $1, $2 || '@acme.test', $2, $3, '{admin}', 'active')`, p.user, name, identity)
	h.Exec(
		`insert into api_token (tenant_id, id, jti, name, scopes, role, idle_after, expires_at, created_by, awake_since)
		values (current_tenant(), $1, gen_random_uuid(), $2, '{decision-tasks:write}', 'admin', interval '1 day',
		    now() + interval '1 day', $3, now())`,
		p.token,
		name,
		p.user,
	)
	return p
}

// hat is one way in which a person acts.
type hat struct {
	name   string
	person string // whose hat it is
	bound  string // of a service token: whose identity
	viewer viewer.Viewer
}

// hats are all ways in which people act: signed in or by a token, linked to an identity or not, bound to any of them.
func hats(people map[string]someone) (all []hat) {
	for name, p := range people {
		for _, linked := range []string{p.identity, ""} {
			all = append(
				all,
				hat{
					fmt.Sprintf("%s linked %t", name, linked != ""),
					name,
					"",
					viewer.Viewer{Kind: viewer.User, ID: p.user, Identity: linked},
				},
			)
			for bound, to := range map[string]string{"": "", "ann": people["ann"].identity,
				"bob": people["bob"].identity} {
				all = append(
					all,
					hat{
						fmt.Sprintf("token of %s linked %t bound to %q", name, linked != "", bound),
						name,
						bound,
						viewer.Viewer{
							Kind:          viewer.Service,
							ID:            uuid.NewString(),
							Identity:      to,
							Maker:         p.user,
							MakerIdentity: linked,
						},
					},
				)
			}
		}
	}
	return all
}

// expected is the code with which a hat is refused a task that is not for ann; empty: it may decide.
func (w hat) expected(kind string) string {
	switch {
	case w.person == "ann" || w.bound == "ann":
		return "own_request"
	case w.bound != "" && w.viewer.MakerIdentity == "",
		kind == "request_approval" && w.viewer.Kind == viewer.Service && w.bound == "":
		return "approver_required"
	}
	return ""
}

func TestTwoPeopleAgreeUnderWhateverTokenOrLinkTheyAct(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	people := map[string]someone{"ann": h.admit("ann", p[0]), "bob": h.admit("bob", p[1])}
	for _, kind := range []string{"request_approval", "question"} {
		for name, by := range map[string]string{"identity": people["ann"].identity, "user": people["ann"].user,
			"token": people["ann"].token} {
			n := question("excluded by "+name+kind, p[2])
			n.Kind, n.Roles, n.NotFor = kind, []string{"admin"}, []string{by}
			id := h.one(n)
			for _, w := range hats(people) {
				v := w.viewer
				h.Let("hat", h.Tenant.Tenant, v.Identity, viewer.Admin)
				h.Change("hat", func(is *viewer.Viewer) {
					is.Kind, is.ID, is.Maker, is.MakerIdentity = v.Kind, v.ID, v.Maker, v.MakerIdentity
					is.Scopes = []string{"decision-tasks:read", "decision-tasks:write"}
				})
				you := h.task("hat", id)["you"].(map[string]any)
				if got, _ := you["code"].(string); got != w.expected(kind) || (got == "") != you["may_decide"].(bool) {
					t.Errorf("%s, a %s excluded by the %s: %v; want %q", w.name, kind, name, you, w.expected(kind))
				}
				if got := len(
					h.Must(200, "hat", "GET", "/decision-tasks?kind="+kind, nil).Items(),
				); w.expected(kind) == "own_request" &&
					got != 0 {
					t.Errorf("%s has the task in the inbox", w.name)
				}
			}
		}
		h.Exec(`update decision_task set state = 'cancelled'`)
	}
}

func TestAnExcludedUserStaysExcludedAfterTheyWereUnlinked(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "cid")
	ann := h.admit("ann", p[0])
	n := question("a", p[1])
	n.Roles, n.NotFor = []string{"admin"}, []string{p[0]}
	id := h.one(n)
	h.Exec(`update app_user set identity_id = null where id = $1`, ann.user)
	n.Title = "asked again"
	h.one(n)
	h.Let("ann-unlinked", h.Tenant.Tenant, "", viewer.Admin)
	h.Change("ann-unlinked", func(v *viewer.Viewer) { v.ID = ann.user })
	h.Refused(
		403,
		"own_request",
		"ann-unlinked",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
}

func TestNobodyUndoesTheRejectionOfTheirOwnRequest(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "cid")
	h.Let("ann-admin", h.Tenant.Tenant, p[0], viewer.Admin)
	n := question("a", p[1])
	n.NotFor = []string{p[0]}
	id := h.one(n)
	h.Must(
		200,
		"cid",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "reject", "comment": "no", "defer_seconds": 60},
	)
	h.Refused(403, "own_request", "ann-admin", "POST", "/decision-tasks/"+id+"/undo", nil)
}
