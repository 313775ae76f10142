package scenarios

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// TestDutiesAreKeptApart are the stories of separation of duties. One duty is a group of the directory, the other one a
// group of the workspace, so that no system could see the conflict by itself.
func TestDutiesAreKeptApart(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for thing, approver := range map[string]string{"Library": "u004", "Editors": "u005"} {
		o.as(approver)
		o.rule(thing, thing, nil, map[string]any{
			"name":           "Approver of " + thing,
			"groups":         []any{map[string]any{"approvers": []any{o.person(approver)}, "mode": "any"}},
			"fallback":       []any{map[string]any{"kind": "app_role", "app_role": "admin"}},
			"respond_within": "P2D",
		})
	}
	policy := o.keepApart("Library", "Editors")
	t.Run("of two approvals that violate together one succeeds", func(t *testing.T) { o.in(t).approvalsRace(policy) })
	t.Run("a request is refused with the smallest way out", func(t *testing.T) { o.in(t).refusedRequest() })
	t.Run("native access is found, revoked and proven gone", func(t *testing.T) { o.in(t).nativeViolation() })
	t.Run("a mitigation ends with its evidence", func(t *testing.T) { o.in(t).mitigated(policy) })
	t.Run("a grant is held before it is provisioned", func(t *testing.T) { o.in(t).heldGrant(policy) })
	t.Run("a policy that loses a side is blind", func(t *testing.T) { o.in(t).blind(policy) })
}

// keepApart makes a policy in shadow mode that keeps two things apart, and returns its ID.
func (o *office) keepApart(things ...string) string {
	o.t.Helper()
	var sides []any
	for _, thing := range things {
		duty := harness.Read[struct{ ID string }](o.House, o.Expect("201", o.Admin, "POST", "/policies/duties",
			map[string]any{"name": "Work with " + thing, "all_of": []any{map[string]any{"members": []any{
				map[string]any{"kind": "entitlement", "entitlement_id": o.things[thing]}}}}}))
		sides = append(sides, map[string]any{"label": "Work with " + thing, "duty_ids": []string{duty.ID}})
	}
	return harness.Read[struct{ ID string }](o.House, o.Expect("201", o.Admin, "POST",
		"/policies/separation-of-duties", map[string]any{
			"name": strings.Join(things, " and "), "kind": "pair", "severity": "high", "mode": "shadow",
			"sides": sides, "effects": map[string]any{"on_request": "block"},
		})).ID
}

// approvalsRace: both requests were submitted while the policy prevented nothing. Both approvers decide at once.
func (o *office) approvalsRace(policy string) {
	requests := []asked{o.asks("u012", "Library"), o.asks("u012", "Editors")}
	o.Expect(
		"200",
		o.Admin,
		"POST",
		"/policies/separation-of-duties/"+policy+"/mode",
		map[string]any{"mode": "enforce"},
	)
	var both sync.WaitGroup
	answers := make([]api.Answer, len(requests))
	for i, approver := range []string{"u004", "u005"} {
		var open []waiting
		harness.Eventually(o.t, "a task of "+approver, func() bool {
			open = o.tasks(approver, "kind", "request_approval")
			return len(open) == 1
		}, nil)
		both.Go(func() {
			answers[i] = o.Ask(o.as(approver), "POST", "/decision-tasks/"+open[0].ID+"/decide",
				map[string]any{"action": "approve", "comment": "agreed"})
		})
	}
	both.Wait()
	approved, refused := 0, 1
	if answers[0].Status != 200 {
		approved, refused = 1, 0
	}
	if answers[approved].Status != 200 || answers[refused].Status != 409 ||
		!strings.Contains(string(answers[refused].Body), `"separation_of_duties"`) {
		o.t.Fatalf("the answers are %d %s and %d %s; want one 200 and one 409 separation_of_duties",
			answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
	}
	o.becomes(requests[approved], "fulfilled")
	if now := o.request(requests[refused].ID); now.Status != "pending_approval" {
		o.t.Errorf("the refused approval left its request %s", now.Status)
	}
	o.Expect("200", o.as("u012"), "POST", "/access-requests/"+requests[refused].ID+"/cancel",
		map[string]any{"reason": "not both"})
}

func (o *office) refusedRequest() {
	held := o.asks("u013", "Library")
	o.decides("u004", "request_approval", "approve")
	o.becomes(held, "fulfilled")
	wish := map[string]any{
		"requested_for_identity_id": o.people["u013"],
		"requested_resources":       []any{map[string]any{"entitlement_id": o.things["Editors"]}},
		"justification":             "I write for the site, too.",
	}
	said := o.Expect("409 separation_of_duties", o.as("u013"), "POST", "/access-requests", wish)
	for _, want := range []string{"Library and Editors", "Work with Library (Library)", "Work with Editors (Editors)",
		"The smallest way out is to do without any one of these"} {
		if !strings.Contains(string(said.Body), want) {
			o.t.Errorf("the refusal does not say %q: %s", want, said.Body)
		}
	}
	type verdict struct {
		Effect     string
		Violations []struct {
			Cures []struct{ Remove []struct{ Kind, ID string } }
		}
	}
	preview := harness.Read[struct {
		Submittable bool
		Separation  verdict `json:"separation_of_duties"`
	}](o.House, o.Expect("200", o.as("u013"), "POST", "/access-requests/preview", wish))
	if preview.Submittable || preview.Separation.Effect != "block" || len(preview.Separation.Violations) != 1 {
		o.t.Fatalf("the preview is %+v", preview)
	}
	cures := preview.Separation.Violations[0].Cures
	if len(cures) != 2 || len(cures[0].Remove) != 1 || len(cures[1].Remove) != 1 {
		o.t.Fatalf("the smallest ways out are %+v; want two of one each", cures)
	}
	// Each of the two ways out is one, says the prediction.
	for _, cure := range cures {
		change := map[string]any{"identity_id": o.people["u013"]}
		if cure.Remove[0].Kind == "grant" {
			change["add"] = wish["requested_resources"]
			change["remove"] = []string{cure.Remove[0].ID}
		}
		out := harness.Read[verdict](o.House, o.Expect("200", o.as("u013"), "POST",
			"/policies/separation-of-duties/predict", change))
		if len(out.Violations) != 0 {
			o.t.Errorf("without %+v there is still %+v", cure, out)
		}
	}
}

// foundViolation is a violation as it is listed.
type foundViolation struct {
	ID, State, Grade, Resolution string
	Identity                     struct{ ID string }
	Conflict                     struct {
		Cures []struct{ Remove []struct{ Kind, ID string } }
	}
}

// violationsOf lists the violations of somebody.
func (o *office) violationsOf(name string) []foundViolation {
	o.t.Helper()
	return harness.All[foundViolation](
		o.House,
		o.Admin,
		"/policies/violations",
		url.Values{"identity_id": {o.people[name]}},
	)
}

// nativeViolation: somebody of the workspace is put into the directory's group by its own administrator.
func (o *office) nativeViolation() {
	o.becomes(o.approved("u014", "Editors", "u005"), "fulfilled")
	conn := o.staff.Admin(o.t)
	defer conn.Close()
	change := goldap.NewModifyRequest("cn=Library,"+ldaptest.GroupsDN, nil)
	change.Add("member", []string{"uid=u014," + ldaptest.PeopleDN})
	if err := conn.Modify(change); err != nil {
		o.t.Fatal(err)
	}
	o.Sync(o.Admin, o.directory, api.Sync{})
	one := o.violation("u014", "open")
	if len(one.Conflict.Cures) != 2 {
		o.t.Fatalf("the violation is %+v; want two ways out", one)
	}
	library := o.grantAmong(one, "Library", "u014")
	order := map[string]any{"remove": []string{library}, "reason": "The library is not for editors."}
	o.Expect("200", o.Admin, "POST", "/policies/violations/"+one.ID+"/remediate?dry_run=true", order)
	if !o.inGroup("Library", "u014") {
		o.t.Fatal("the dry run has revoked the access")
	}
	o.Expect("200", o.Admin, "POST", "/policies/violations/"+one.ID+"/remediate", order)
	o.sees("the directory without the membership", func() bool { return !o.inGroup("Library", "u014") })
	if done := o.violation("u014", "remediated"); done.Resolution != "access_removed" {
		o.t.Errorf("the resolution is %q", done.Resolution)
	}
}

// heldGrant: while nothing is written and the policy prevents nothing, both requests are approved. When the policy is
// enforced and writing goes on, one grant is made. The other one waits for a decision.
func (o *office) heldGrant(policy string) {
	set := func(mode string, writes bool) {
		o.Expect("200", o.Admin, "POST", "/policies/separation-of-duties/"+policy+"/mode", map[string]any{"mode": mode})
		o.Expect("200", o.Admin, "PUT", "/settings/provisioning",
			map[string]any{"writes": writes, "reason": "a change of the policy"})
	}
	set("shadow", false)
	requests := []asked{o.approved("u018", "Library", "u004"), o.approved("u018", "Editors", "u005")}
	set("enforce", true)
	var hold []waiting
	harness.Eventually(o.t, "a task about the held grant", func() bool {
		hold = harness.All[waiting](o.House, o.Admin, "/decision-tasks", url.Values{"kind": {"provisioning_hold"}})
		return len(hold) == 1
	}, nil)
	held := harness.All[struct {
		Error struct{ Code string }
	}](o.House, o.Admin, "/accounts/provisioning-tasks", url.Values{"state": {"blocked"}})
	if len(held) != 1 || held[0].Error.Code != "separation_of_duties" {
		o.t.Errorf("the blocked tasks are %+v; want one that a policy holds", held)
	}
	o.Expect("200", o.Admin, "POST", "/decision-tasks/"+hold[0].ID+"/decide",
		map[string]any{"action": "allow", "comment": "until the next audit"})
	for _, r := range requests {
		o.becomes(r, "fulfilled")
	}
}

// approved has somebody ask for a thing and its approver agree.
func (o *office) approved(name, thing, approver string) asked {
	o.t.Helper()
	r := o.asks(name, thing)
	o.decides(approver, "request_approval", "approve")
	return r
}

// violation waits until somebody has one violation in a state.
func (o *office) violation(name, state string) (one foundViolation) {
	o.t.Helper()
	saw := ""
	harness.Eventually(o.t, "a violation of "+name+" to be "+state, func() bool {
		all := o.violationsOf(name)
		saw = fmt.Sprintf("%+v", all)
		if len(all) == 1 {
			one = all[0]
		}
		return one.State == state
	}, &saw)
	return one
}

// grantAmong finds the grant of a thing among the ways out of a violation.
func (o *office) grantAmong(v foundViolation, thing, name string) string {
	o.t.Helper()
	type held struct {
		ID          string
		Entitlement struct{ ID string }
	}
	for _, g := range harness.All[held](o.House, o.Admin, "/entitlements/grants", url.Values{"identity_id": {o.people[name]}}) {
		for _, cure := range v.Conflict.Cures {
			if g.Entitlement.ID == o.things[thing] && cure.Remove[0].ID == g.ID {
				return g.ID
			}
		}
	}
	o.t.Fatalf("no way out of %+v is the removal of %s", v, thing)
	return ""
}

// blind: the group of one side is deleted in the directory.
func (o *office) blind(policy string) {
	conn := o.staff.Admin(o.t)
	defer conn.Close()
	if err := conn.Del(goldap.NewDelRequest("cn=Library,"+ldaptest.GroupsDN, nil)); err != nil {
		o.t.Fatal(err)
	}
	saw := ""
	harness.Eventually(o.t, "the policy to be blind", func() bool {
		if r := o.Try(o.Admin, o.directory, api.Sync{}); r.Status == "held" { // a third of all groups is gone
			if err := o.Release(o.Admin, r, nil, o.Holds(o.Admin, r).Held); err != nil {
				o.t.Fatal(err)
			}
			o.Well(o.End(o.Admin, o.directory, r.ID))
		}
		p := harness.Read[struct {
			Blind      bool
			BlindSides []int `json:"blind_sides"`
		}](o.House, o.Expect("200", o.Admin, "GET", "/policies/separation-of-duties/"+policy, nil))
		saw = fmt.Sprintf("%+v", p)
		return p.Blind && len(p.BlindSides) == 1 && p.BlindSides[0] == 0
	}, &saw)
	listed := harness.All[struct{ ID string }](o.House, o.Admin, "/policies/separation-of-duties",
		url.Values{"blind": {"true"}})
	if len(listed) != 1 || listed[0].ID != policy {
		o.t.Errorf("the list of blind policies has %+v", listed)
	}
	o.Expect("200", o.Admin, "PATCH", "/policies/separation-of-duties/"+policy,
		map[string]any{"severity": "medium"}) // it stays editable
}
