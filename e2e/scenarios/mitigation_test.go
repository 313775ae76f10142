package scenarios

import (
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/e2e/harness"
)

// appliedMitigation is a mitigation as it is listed.
type appliedMitigation struct {
	ID, State   string
	EndedReason string `json:"ended_reason"`
	EndsAt      string `json:"ends_at"`
	DueAt       string `json:"next_evidence_due_at"`
}

// mitigated: somebody of the library asks to write for the site as well, with a mitigation for 30 days. u006 carries the
// control out, u007 approves it, and u005 the access. The days pass by a change of their dates in the database.
func (o *office) mitigated(policy string) {
	for _, name := range []string{"u006", "u007"} {
		o.as(name)
	}
	control := harness.Read[struct{ ID string }](o.House, o.Expect("201", o.Admin, "POST", "/policies/mitigation",
		map[string]any{"name": "Articles are read twice", "control_owner_ids": []string{o.people["u006"]},
			"approver_ids": []string{o.people["u007"]}, "max_duration": "P90D",
			"evidence": map[string]any{"kind": "upload", "cadence": "P7D", "grace": "P2D"}})).ID
	at := "/policies/separation-of-duties/" + policy
	o.Expect("200", o.Admin, "PATCH", at, map[string]any{"mitigation_policy_ids": []string{control},
		"max_mitigation": "P30D"})
	o.becomes(o.approved("u016", "Library", "u004"), "fulfilled")
	wish := map[string]any{
		"requested_for_identity_id": o.people["u016"],
		"requested_resources":       []any{map[string]any{"entitlement_id": o.things["Editors"]}},
		"justification":             "I stand in for an editor.",
	}
	refused := o.Expect("409 separation_of_duties", o.as("u016"), "POST", "/access-requests", wish)
	if !strings.Contains(string(refused.Body), "Articles are read twice") {
		o.t.Errorf("the refusal does not name the control: %s", refused.Body)
	}
	proposal := map[string]any{"policy_id": policy, "mitigation_policy_id": control, "duration": "P31D"}
	wish["mitigations"] = []any{proposal}
	o.Expect("422 validation_failed", o.as("u016"), "POST", "/access-requests", wish)
	proposal["duration"] = "P30D"
	r := harness.Read[asked](o.House, o.Expect("201", o.as("u016"), "POST", "/access-requests", wish))

	// The access waits for the mitigation, and the requester does not approve it.
	waits := o.taskOf("u005", "request_approval")
	agree := map[string]any{"action": "approve", "comment": "agreed"}
	o.Expect("409 separation_of_duties", o.as("u005"), "POST", "/decision-tasks/"+waits.ID+"/decide", agree)
	proposed := o.taskOf("u007", "mitigation_approval")
	o.Expect("404 not_found", o.as("u016"), "POST", "/decision-tasks/"+proposed.ID+"/decide", agree)
	o.decides("u007", "mitigation_approval", "approve")
	o.decides("u005", "request_approval", "approve")
	o.becomes(r, "fulfilled")
	o.violation("u016", "mitigated")
	m := o.mitigation(r.ID, "active")

	// Evidence is asked for, provided as a file, and accepted by the approver.
	o.redate(m.ID, "1 day", "3 days")
	o.taskOf("u006", "mitigation_evidence")
	o.Expect("201", o.as("u006"), "POST", "/policies/mitigations/"+m.ID+"/evidence", map[string]any{
		"text": "Both articles of this week.",
		"file": map[string]any{"name": "articles.txt", "media_type": "text/plain", "content": "dHdvIGFydGljbGVzCg=="},
	})
	o.mitigation(r.ID, "active")
	o.decides("u007", "mitigation_review", "accept")
	stored := harness.All[struct{ ID, Verdict, SHA256 string }](o.House, o.Admin,
		"/policies/mitigations/"+m.ID+"/evidence", url.Values{})
	if len(stored) != 1 || stored[0].Verdict != "accepted" || len(stored[0].SHA256) != 64 {
		o.t.Fatalf("the evidence is %+v", stored)
	}
	file := o.Expect("200", o.as("u006"), "GET", "/policies/mitigations/"+m.ID+"/evidence/"+stored[0].ID+"/file", nil)
	if string(file.Body) != "two articles\n" {
		o.t.Errorf("the file has %q", file.Body)
	}

	// The next evidence is the answer to a stored query: the person still works here, so that nobody is asked.
	evidence := func(more map[string]any) {
		o.Expect("200", o.Admin, "PATCH", "/policies/mitigation/"+control, map[string]any{"evidence": more})
	}
	evidence(map[string]any{"kind": "automatic_query", "query": map[string]any{"about": "person", "expect": "some",
		"condition": map[string]any{"field": "status", "op": "eq", "value": "active"}}})
	o.redate(m.ID, "-1 minute", "2 days")
	o.answered(m.ID, "accepted")
	o.mitigation(r.ID, "active")
	evidence(map[string]any{"kind": "upload"})

	// The next evidence is late, and missing. The violation is open again, and the owner hears of it.
	for _, state := range []string{"evidence_due", "evidence_overdue"} {
		o.redate(m.ID, "-1 minute", "2 days")
		o.mitigation(r.ID, state, "evidence_overdue")
	}
	o.mitigation(r.ID, "evidence_overdue")
	o.redate(m.ID, "-2 days", "0")
	if end := o.mitigation(r.ID, "lapsed"); end.EndedReason != "evidence_missed" {
		o.t.Errorf("the mitigation ended because of %s", end.EndedReason)
	}
	o.violation("u016", "open")
	if told := o.taskOf("u006", "sod_violation"); !strings.Contains(told.Title, "Library and Editors") {
		o.t.Errorf("the owner of the mitigation is asked %q", told.Title)
	}
	harness.Eventually(o.t, "no task to ask for evidence", func() bool {
		return len(o.tasks("u006", "kind", "mitigation_evidence", "state", "open")) == 0
	}, nil)
}

// redate makes evidence of a mitigation due, and the mitigation lapse, after so long.
func (o *office) redate(id, due, lapses string) {
	o.t.Helper()
	o.Exec(`
		with tenant as (
		    select set_config('app.tenant_id', m.tenant_id::text, true) from mitigation m where m.id = $1
		)
		update mitigation
		   set due_at = now() + $2::interval, lapses_at = now() + $3::interval, turn_at = now()
		  from tenant
		 where id = $1`, id, due, lapses)
}

// answered waits until the stored query of a mitigation was answered with a verdict.
func (o *office) answered(id, verdict string) {
	o.t.Helper()
	type given struct{ Kind, Verdict, Comment string }
	var last given
	harness.Eventually(o.t, "an answer to the stored query", func() bool {
		all := harness.All[given](o.House, o.Admin, "/policies/mitigations/"+id+"/evidence", url.Values{})
		last = all[0]
		return last.Kind == "automatic_query"
	}, nil)
	if last.Verdict != verdict {
		o.t.Errorf("the answer is %s: %s", last.Verdict, last.Comment)
	}
}

// taskOf waits for the one open task of a kind in somebody's inbox.
func (o *office) taskOf(name, kind string) (one waiting) {
	o.t.Helper()
	harness.Eventually(o.t, "a task "+kind+" of "+name, func() bool {
		all := o.tasks(name, "kind", kind, "state", "open")
		if len(all) > 0 {
			one = all[0]
		}
		return len(all) == 1
	}, nil)
	return one
}

// mitigation waits until that of a request is in one of some states.
func (o *office) mitigation(request string, states ...string) (one appliedMitigation) {
	o.t.Helper()
	saw := ""
	harness.Eventually(o.t, "the mitigation to be "+strings.Join(states, " or "), func() bool {
		all := harness.All[appliedMitigation](o.House, o.Admin, "/policies/mitigations",
			url.Values{"access_request_id": {request}})
		if len(all) == 1 {
			one = all[0]
		}
		saw = one.State
		for _, s := range states {
			if one.State == s {
				return true
			}
		}
		return false
	}, &saw)
	return one
}
