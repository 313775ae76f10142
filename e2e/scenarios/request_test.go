package scenarios

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/harness"
)

// TestPeopleAskAndOthersDecide are the stories of access requests, against a directory and a workspace that are not
// ours.
func TestPeopleAskAndOthersDecide(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.as("u001", "manager")
	for _, approver := range []string{"u002", "u003", "u004", "u006", "u007", "u008", "u009"} {
		o.as(approver) // only people who can sign in are asked
	}
	t.Run("over manager and owner to a working membership", func(t *testing.T) { o.in(t).managerThenOwner() })
	t.Run("two approve at the same moment", func(t *testing.T) { o.in(t).inParallel() })
	t.Run("an approver is on leave", func(t *testing.T) { o.in(t).approverOnLeave() })
	t.Run("the manager leaves half-way", func(t *testing.T) { o.in(t).managerLeaves() })
	t.Run("in an emergency access comes first", func(t *testing.T) { o.in(t).emergency() })
	t.Run("nobody answers in time", func(t *testing.T) { o.in(t).expires() })
	t.Run("given back early", func(t *testing.T) { o.in(t).returnedEarly() })
	t.Run("nobody approves what they ask for", func(t *testing.T) { o.in(t).ownRequest() })
	t.Run(
		"a role of two systems, through a death of the control plane",
		func(t *testing.T) { o.in(t).roleThroughDeath() },
	)
}

// in is the same office in a test beneath.
func (o *office) in(t *testing.T) *office {
	there := *o
	there.t, there.House = t, o.For(t)
	return &there
}

func (o *office) managerThenOwner() {
	news := openInbox(o.t, "")
	makeHook(o.t, o.Admin, "tickets", news.url, "request.submitted", "request.approved", "request.rejected")
	payload := map[string]any{
		"requested_for_identity_id": o.people["u011"],
		"requested_resources":       []any{map[string]any{"entitlement_id": o.things["Payroll"], "duration": "PT3H"}},
		"justification":             "I stand in for the payroll this week.",
		"external_reference":        "CHG-4711",
	}
	preview := string(o.Expect("200", o.as("u011"), "POST", "/access-requests/preview", payload).Body)
	for _, approver := range []string{"u001", "u003"} {
		if !strings.Contains(preview, o.people[approver]) {
			o.t.Errorf("the preview does not name %s: %s", approver, preview)
		}
	}
	r := harness.Read[asked](o.House, o.Expect("201", o.as("u011"), "POST", "/access-requests", payload))
	if r.Status != "pending_approval" || r.ExternalReference != "CHG-4711" || !strings.HasPrefix(r.Number, "REQ-") ||
		len(r.Items) != 1 ||
		len(r.Items[0].Stages) != 2 {
		o.t.Fatalf("the request is %+v", r)
	}
	o.Expect("409 duplicate_request", o.as("u011"), "POST", "/access-requests", payload)
	o.Expect("404 not_found", o.as("u005"), "GET", "/access-requests/"+r.ID, nil)
	o.as("u001", "manager")
	if n := len(o.tasks("u003")); n != 0 {
		o.t.Errorf("the owner is asked before the manager has agreed: %d tasks", n)
	}
	task := o.decides("u001", "request_approval", "approve")
	o.Expect(
		"409 already_decided",
		o.as("u001"),
		"POST",
		"/decision-tasks/"+task.ID+"/decide",
		map[string]any{"action": "reject", "comment": "no"},
	)
	if o.inGroup("Payroll", "u011") {
		o.t.Error("in the group before the owner has agreed")
	}
	o.Expect(
		"200",
		o.as("u003"),
		"POST",
		"/access-requests/"+r.ID+"/decisions",
		map[string]any{"decisions": []any{map[string]any{"item_id": r.Items[0].ID, "action": "approve"}}},
	)
	r = o.becomes(r, "fulfilled")
	if !o.inGroup("Payroll", "u011") {
		o.t.Error("fulfilled, and the directory does not have it")
	}
	if at, ends := r.Items[0].Provisioning.VerifiedAt, r.Items[0].EndsAt; at == nil || ends == nil ||
		ends.Sub(*at) != 3*time.Hour {
		o.t.Errorf("the three hours are from %v to %v", at, ends)
	}
	told := string(
		o.Expect(
			"200",
			o.as("u001"),
			"GET",
			"/identities/"+o.people["u011"]+"/access-explain?entitlement_id="+o.things["Payroll"],
			nil,
		).Body,
	)
	if !strings.Contains(told, r.ID) || !strings.Contains(told, "CHG-4711") {
		o.t.Errorf("why is not told: %s", told)
	}
	o.heard(news, r, "request.submitted", "request.approved")
}

// heard waits until the ticketing system was told of a request, item by item.
func (o *office) heard(news *inbox, r asked, kinds ...string) {
	o.t.Helper()
	saw := ""
	harness.Eventually(o.t, "the ticketing system to hear of "+strings.Join(kinds, ", "), func() bool {
		told := map[string]bool{}
		for _, l := range news.letters() {
			var m struct {
				Type string
				Data struct {
					ID                string
					ExternalReference string `json:"external_reference"`
					ReasonCode        string `json:"reason_code"`
					Items             []struct{ ID, Status string }
				}
			}
			if err := json.Unmarshal(l.Body, &m); err != nil {
				o.t.Fatal(err)
			}
			if m.Data.ID == r.ID && m.Data.ExternalReference == r.ExternalReference &&
				len(m.Data.Items) == len(r.Items) &&
				m.Data.Items[0].ID == r.Items[0].ID {
				told[m.Type+m.Data.ReasonCode] = true
			}
			saw += string(l.Body)
		}
		for _, kind := range kinds {
			if !told[kind] {
				return false
			}
		}
		return true
	}, &saw)
}

func (o *office) inParallel() {
	o.rule("Two of the vault", "Vault", nil, map[string]any{
		"name": "Both halves of the key", "groups": []any{
			map[string]any{
				"approvers": []any{o.person("u004")},
				"mode":      "any",
			},
			map[string]any{"approvers": []any{o.person("u005"), o.person("u006")}, "mode": "any"},
		}, "fallback": []any{map[string]any{"kind": "app_role", "app_role": "admin"}}, "respond_within": "P2D",
	})
	r := o.asks("u012", "Vault")
	var both sync.WaitGroup
	for _, name := range []string{"u004", "u005"} {
		o.as(name)
	}
	for _, name := range []string{"u004", "u005"} {
		both.Go(func() { o.decides(name, "request_approval", "approve") })
	}
	both.Wait()
	r = o.becomes(r, "fulfilled")
	if !o.inGroup("Vault", "u012") {
		o.t.Error("fulfilled, and the directory does not have it")
	}
	for _, g := range r.Items[0].Stages[0].Groups {
		if g.Approved != 1 {
			o.t.Errorf("of a group that one of must agree, %d did: %+v", g.Approved, r.Items[0].Stages)
		}
	}
	if left := o.tasks("u006"); len(left) != 0 {
		o.t.Errorf("somebody is still asked what was decided: %+v", left)
	}
}

// approverOnLeave: who decides for them is asked too, also for what was asked before they went.
func (o *office) approverOnLeave() {
	o.rule("Library", "Library", nil, map[string]any{
		"name": "The librarian", "groups": []any{map[string]any{"approvers": []any{o.person("u007")}, "mode": "any"}},
		"fallback": []any{map[string]any{"kind": "app_role", "app_role": "admin"}}, "respond_within": "P2D",
	})
	r := o.asks("u013", "Library")
	if n := len(o.tasks("u007")); n != 1 {
		o.t.Fatalf("the librarian has %d tasks", n)
	}
	o.Expect(
		"422 delegate_is_delegator",
		o.as("u007"),
		"POST",
		"/decision-tasks/delegations",
		map[string]any{"delegate_id": o.people["u007"], "reason": "holidays"},
	)
	o.Expect("201", o.as("u007"), "POST", "/decision-tasks/delegations", map[string]any{
		"delegate_id":  o.people["u008"],
		"ends_at":      time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339),
		"include_open": true,
		"reason":       "holidays",
	})
	o.decides("u008", "request_approval", "approve")
	o.becomes(r, "fulfilled")
	if !o.inGroup("Library", "u013") {
		o.t.Error("fulfilled, and the directory does not have it")
	}
	// The delegate asks for themselves: neither they nor the librarian through them decide it; it goes on to somebody
	// else.
	own := o.asks("u008", "Library")
	for _, task := range o.tasks("u008", "kind", "request_approval") {
		if task.Source.ID == own.ID {
			o.t.Errorf("who asks is asked: %+v", task)
		}
	}
}

// managerLeaves: what they have not decided goes to whoever is the manager now.
func (o *office) managerLeaves() {
	r := o.asks("u014", "Editors")
	if n := len(o.tasks("u001", "kind", "request_approval")); n != 1 {
		o.t.Fatalf("the manager has %d tasks", n)
	}
	o.reports("u014", "u009")
	o.Expect(
		"200",
		o.Admin,
		"POST",
		"/identities/"+o.people["u001"]+"/deactivate",
		map[string]any{"reason": "left the company"},
	)
	o.decides("u009", "request_approval", "approve")
	r = o.becomes(r, "fulfilled")
	var ways []string
	for _, g := range r.Items[0].Stages[0].Groups {
		for _, s := range g.Slots {
			ways = append(ways, s.IdentityID+" "+s.State)
		}
	}
	if told := strings.Join(
		ways,
		", ",
	); !strings.Contains(told, o.people["u001"]+" superseded") ||
		!strings.Contains(told, o.people["u009"]+" approved") {
		o.t.Errorf("the stage went so: %s", told)
	}
	if members := string(o.scim("GET", "/Groups", nil)); !strings.Contains(members, `"members":[{`) {
		o.t.Errorf("fulfilled, and the workspace has %s", members)
	}
}

func (o *office) emergency() {
	o.rule(
		"Vault in an emergency",
		"Vault",
		map[string]any{
			"priority":  1,
			"emergency": map[string]any{"allowed": true, "max_duration": "PT2H", "post_review_within": "PT24H"},
		},
		map[string]any{
			"name":     "The owner",
			"groups":   []any{map[string]any{"approvers": []any{o.person("u004")}, "mode": "any"}},
			"fallback": []any{map[string]any{"kind": "app_role", "app_role": "admin"}},
		},
	)
	r := o.asks("u015", "Vault", "urgency", "emergency")
	o.sees("the vault to be open at once", func() bool { return o.inGroup("Vault", "u015") })
	r = o.becomes(r, "fulfilled")
	if ends := r.Items[0].EndsAt; ends == nil || time.Until(*ends) > 2*time.Hour {
		o.t.Errorf("it ends at %v; the rule says two hours", ends)
	}
	o.decides("u003", "emergency_review", "revoke")
	o.sees("the vault to be shut again", func() bool { return !o.inGroup("Vault", "u015") })
	o.becomes(r, "closed")
}

func (o *office) expires() {
	r := o.asks("u016", "Library")
	o.Exec(
		`update chain set expires_at = now(), look_at = now() where item_id = $1`,
		r.Items[0].ID,
	) // a fortnight later
	r = o.becomes(r, "expired")
	if r.ReasonCode != "expired" {
		o.t.Errorf("its reason is %q", r.ReasonCode)
	}
	if left := o.tasks("u008", "kind", "request_approval"); len(left) != 0 {
		o.t.Errorf("somebody is still asked: %+v", left)
	}
	o.Expect(
		"409 invalid_transition",
		o.as("u016"),
		"POST",
		"/access-requests/"+r.ID+"/cancel",
		map[string]any{"reason": "too late"},
	)
}

func (o *office) returnedEarly() {
	r := o.asks("u013", "Vault", "duration", "P5D")
	o.decides("u004", "request_approval", "approve")
	r = o.becomes(r, "fulfilled")
	if !o.inGroup("Vault", "u013") {
		o.t.Fatal("fulfilled, and the directory does not have it")
	}
	o.Expect(
		"200",
		o.as("u013"),
		"POST",
		"/access-requests/"+r.ID+"/return",
		map[string]any{"items": []string{r.Items[0].ID}, "reason": "done already"},
	)
	o.sees("the membership gone from the directory", func() bool { return !o.inGroup("Vault", "u013") })
	o.becomes(r, "closed")
	was := string(o.Expect("200", o.Admin, "GET", fmt.Sprintf("/identities/%s/timeline", o.people["u013"]), nil).Body)
	if !strings.Contains(was, r.Number) {
		o.t.Errorf("the timeline does not tell of %s: %s", r.Number, was)
	}
}

// ownRequest: the librarian asks for the library.
func (o *office) ownRequest() {
	r := o.asks("u004", "Vault")
	if left := o.tasks("u004", "kind", "request_approval"); len(left) != 0 {
		o.t.Errorf("who asks is asked: %+v", left)
	}
	o.Expect(
		"404 not_found",
		o.as("u004"),
		"POST",
		"/access-requests/"+r.ID+"/items/"+r.Items[0].ID+"/reassign",
		map[string]any{"to": o.people["u004"], "reason": "quicker"},
	)
	o.Expect("200", o.as("u004"), "POST", "/access-requests/"+r.ID+"/cancel", map[string]any{"reason": "optional"})
	if now := o.request(r.ID); now.Status != "cancelled" {
		o.t.Errorf("it is %s", now.Status)
	}
}

// roleThroughDeath is the specified payload exactly; the control plane dies between the decision and the target.
func (o *office) roleThroughDeath() {
	made := harness.Read[struct{ ID string }](
		o.House,
		o.Expect("201", o.Admin, "POST", "/entitlements/roles", map[string]any{
			"name":            "Web editor",
			"description":     "Writes for the web site.",
			"requestable":     true,
			"entitlement_ids": []string{o.things["Library"], o.things["Editors"]},
		}),
	)
	r := harness.Read[asked](o.House, o.Expect("201", o.as("u017"), "POST", "/access-requests", map[string]any{
		"requested_for_identity_id": o.people["u017"], "requested_resources": []any{map[string]any{"role_id": made.ID}},
		"justification": "I write for the site from Monday.", "external_reference": "CHG-4712"}))
	var found []waiting
	admin := o.Admin
	saw := ""
	harness.Eventually(o.t, "an administrator to be asked, since the manager has left", func() bool {
		found = harness.All[waiting](
			o.House,
			admin,
			"/decision-tasks",
			map[string][]string{"kind": {"request_approval"}},
		)
		saw = fmt.Sprintf("%+v", found)
		return len(found) > 0
	}, &saw)
	for _, task := range found {
		o.Expect(
			"200",
			admin,
			"POST",
			"/decision-tasks/"+task.ID+"/decide",
			map[string]any{"action": "approve", "comment": "agreed"},
		)
	}
	o.Plane.Kill()
	o.Start()
	o.becomes(r, "fulfilled")
	if !o.inGroup("Library", "u017") {
		o.t.Error("fulfilled, and the directory does not have it")
	}
}
