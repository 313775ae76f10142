package request_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestEmergencyIsGivenAtOnceAndReviewed lets those look at it afterwards who would have been asked before.
func TestEmergencyIsGivenAtOnceAndReviewed(t *testing.T) {
	h := open(t)
	h.listen()
	h.Refused(
		409,
		"emergency_not_allowed",
		"ann",
		"POST",
		"/access-requests",
		with(wish(h.ann, h.group), "urgency", "emergency"),
	)
	h.rule(
		"break glass",
		byManager,
		`{"emergency": {"allowed": true, "max_duration": "PT4H", "post_review_within": "PT8H"}}`,
		h.vault,
	)
	h.Refused(
		422,
		"duration_exceeds_limit",
		"ann",
		"POST",
		"/access-requests",
		with(thing(wish(h.ann, h.vault), "duration", "PT5H"), "urgency", "emergency"),
	)
	a := h.ask("ann", with(wish(h.ann, h.vault), "urgency", "emergency", "justification", "the vault burns"))
	id := a.Text("id")
	i := items(a)[0]
	review, _ := i["review"].(map[string]any)
	if i["status"] != "approved" || i["duration"] != "PT4H" || i["decision_code"] != "emergency" ||
		review["state"] != "open" {
		t.Fatalf("the emergency is %v", i)
	}
	if got := h.told(id); got != "request.submitted request.approved" {
		t.Errorf("told %s", got)
	}
	if n := h.Count(
		`select count(*) from access_reason where kind = 'emergency' and source_id = $1 and state = 'active'
			and ends_at is not null`,
		item(a, 0),
	); n != 1 {
		t.Errorf("%d reasons of the kind emergency", n)
	}
	task := review["task_id"].(string)
	for _, who := range []string{"mia", "olga"} {
		if got := h.Must(200, who, "GET", "/decision-tasks/"+task, nil); got.Text("kind") != "emergency_review" {
			t.Errorf("%s is asked %v", who, got.Body)
		}
	}
	h.Refused(
		409,
		"extension_not_allowed",
		"ann",
		"POST",
		"/access-requests",
		with(wish(h.ann, h.vault), "kind", "extend"),
	)
	for _, body := range []map[string]any{{"duration": "P1D"}, {"duration": "P1D", "items": []string{item(a, 0)}}} {
		refused := h.Refused(409, "extension_not_allowed", "ann", "POST", "/access-requests/"+id+"/extend", body)
		if detail := refused.Text("detail"); !strings.Contains(detail, "in an emergency, which cannot be extended") {
			t.Errorf("extending emergency access says %q", detail)
		}
	}
	h.Refused(
		422,
		"validation_failed",
		"mia",
		"POST",
		"/decision-tasks/"+task+"/decide",
		map[string]any{"action": "revoke"},
	)
	h.Must(
		200,
		"mia",
		"POST",
		"/decision-tasks/"+task+"/decide",
		map[string]any{"action": "revoke", "comment": "it did not burn"},
	)
	a = h.Must(200, "ann", "GET", "/access-requests/"+id, nil)
	if review = items(a)[0]["review"].(map[string]any); review["state"] != "revoked" ||
		review["comment"] != "it did not burn" {
		t.Errorf("reviewed: %v", review)
	}
	h.looks()
	h.is(id, "closed", "closed")
	if n := h.Count(`select count(*) from access_reason where state <> 'ended'`); n != 0 {
		t.Errorf("%d reasons live on", n)
	}
	for _, action := range []string{"access_request.emergency_granted", "access_request.emergency_reviewed"} {
		if !strings.Contains(strings.Join(h.audited(id), " "), action) {
			t.Errorf("the log %v lacks %s", h.audited(id), action)
		}
	}
}

// TestForgottenReviewGoesToAdministrators when its time is over; the access ends by its own limit.
func TestForgottenReviewGoesToAdministrators(t *testing.T) {
	h := open(t)
	h.rule(
		"break glass",
		byManager,
		`{"emergency": {"allowed": true, "max_duration": "PT4H", "post_review_within": "PT8H"}}`,
		h.vault,
	)
	a := h.ask("ann", with(wish(h.ann, h.vault), "urgency", "emergency"))
	task := items(a)[0]["review"].(map[string]any)["task_id"].(string)
	if n, err := h.escalate(); n != 0 || err != nil {
		t.Errorf("%d escalated before the time: %v", n, err)
	}
	h.at = time.Now().Add(9 * time.Hour)
	if n, err := h.escalate(); n != 1 || err != nil {
		t.Fatalf("%d escalated: %v", n, err)
	}
	if n, _ := h.escalate(); n != 0 {
		t.Error("escalated twice")
	}
	h.Must(200, "root", "POST", "/decision-tasks/"+task+"/decide", map[string]any{"action": "confirm"})
	a = h.Must(200, "ann", "GET", "/access-requests/"+a.Text("id"), nil)
	if review := items(a)[0]["review"].(map[string]any); review["state"] != "confirmed" || review["escalated"] != true {
		t.Errorf("reviewed: %v", review)
	}
}

// TestExtension moves the end of what is there, with approval or without, as the rule says.
func TestExtension(t *testing.T) {
	h := open(t)
	h.rule(
		"free",
		byManager,
		`{"grant": {"max_duration": "P10D", "extension": {"allowed": true, "max": "P5D", "needs_approval": false}}}`,
		h.group,
	)
	h.rule("asked", byManager, `{"grant": {"extension": {"allowed": true, "needs_approval": true}}}`, h.vault)
	a := h.ask("ann", thing(wish(h.ann, h.group, h.vault), "duration", "P1D"))
	first := with(wish(h.ann, h.group, h.vault))
	_ = first
	id := a.Text("id")
	h.decide("mia", id, "approve", item(a, 0))
	h.gives(h.annsAccount, h.group)
	before := ends(t, items(h.Must(200, "ann", "GET", "/access-requests/"+id, nil))[0])
	h.Refused(422, "validation_failed", "ann", "POST", "/access-requests/"+id+"/extend", map[string]any{})
	h.Refused(
		422,
		"validation_failed",
		"ann",
		"POST",
		"/access-requests/"+id+"/extend",
		map[string]any{"until": time.Now().Add(time.Minute)},
	)
	if e := h.Refused(
		422,
		"duration_exceeds_limit",
		"ann",
		"POST",
		"/access-requests/"+id+"/extend",
		map[string]any{"duration": "P6D"},
	); pointers(e) != "#/duration duration_exceeds_limit" {
		t.Errorf("points to %s", pointers(e))
	}
	h.Refused(404, "not_found", "tom", "POST", "/access-requests/"+id+"/extend", map[string]any{"duration": "P1D"})
	e := h.Must(201, "ann", "POST", "/access-requests/"+id+"/extend", map[string]any{"duration": "P5D"})
	if e.Text("kind") != "extend" || e.Text("status") != "fulfilled" || items(e)[0]["target_item_id"] != item(a, 0) {
		t.Errorf("extended: %v", e.Body)
	}
	if after := ends(
		t,
		items(h.Must(200, "ann", "GET", "/access-requests/"+id, nil))[0],
	); after.Sub(before) != 5*24*time.Hour {
		t.Errorf("extended from %v to %v", before, after)
	}
	h.looks()
	if after := ends(t, items(h.is(id, "fulfilled"))[0]); after.Sub(before) != 5*24*time.Hour {
		t.Errorf("it ends at %v once it was looked at; want five days after %v", after, before)
	}
}

// TestExtensionThatPeopleDecide changes nothing before they have.
func TestExtensionThatPeopleDecide(t *testing.T) {
	h := open(t)
	h.rule("asked", byManager, `{"grant": {"extension": {"allowed": true, "needs_approval": true}}}`, h.vault)
	h.rule("never", byManager, `{"grant": {"extension": {"allowed": false}}}`, h.group)
	a := h.ask("ann", thing(wish(h.ann, h.vault), "duration", "P1D"))
	id := a.Text("id")
	h.decide("mia", id, "approve", item(a, 0))
	h.gives(h.annsAccount, h.vault)
	before := ends(t, items(h.is(id, "fulfilled"))[0])
	until := time.Now().Add(72 * time.Hour).UTC().Truncate(time.Second)
	e := h.Must(201, "ann", "POST", "/access-requests/"+id+"/extend", map[string]any{"until": until})
	if e.Text("status") != "pending_approval" {
		t.Fatalf("extended: %v", e.Body)
	}
	h.Refused(409, "duplicate_request", "ann", "POST", "/access-requests/"+id+"/extend", map[string]any{"until": until})
	if now := ends(t, items(h.is(id, "fulfilled"))[0]); !now.Before(until.Add(-24 * time.Hour)) {
		t.Errorf("extended until %v before anybody agreed", now)
	}
	h.decide("mia", e.Text("id"), "approve", item(e, 0))
	h.is(e.Text("id"), "fulfilled", "fulfilled")
	if now := ends(t, items(h.is(id, "fulfilled"))[0]); !now.Equal(until) {
		t.Errorf("it ends at %v; want %v", now, until)
	}
	// The request to extend says what was extended, and closes with the access.
	extended := h.is(e.Text("id"), "fulfilled", "fulfilled")
	if from, _ := items(extended)[0]["extended_from"].(string); !strings.HasPrefix(
		from,
		before.UTC().Format("2006-01-02T15:04:05"),
	) ||
		!ends(t, items(extended)[0]).Equal(until) {
		t.Errorf("extended from %q until %v; want from %v until %v", from, items(extended)[0]["ends_at"], before, until)
	}
	h.Must(200, "ann", "POST", "/access-requests/"+id+"/return", map[string]any{})
	h.looks()
	h.is(e.Text("id"), "fulfilled", "fulfilled") // the target has it still
	h.takes(h.annsAccount, h.vault)
	h.is(id, "closed", "closed")
	if closed := h.is(
		e.Text("id"),
		"closed",
		"closed",
	); closed.Body["closed_at"] == nil || closed.Body["fulfilled_at"] == nil ||
		len(closed.Body["allowed"].([]any)) != 0 {
		t.Errorf("the request to extend is %v", closed.Body)
	}
	if log := strings.Join(
		h.audited(e.Text("id")),
		" ",
	); !strings.Contains(log, "access_request.extended") ||
		!strings.Contains(log, "access_request.item_closed") {
		t.Errorf("the log of the request to extend is %s", log)
	}
	b := h.ask("tom", wish(h.tom, h.group))
	h.decide("mia", b.Text("id"), "approve", item(b, 0))
	h.Refused(
		409,
		"invalid_transition",
		"tom",
		"POST",
		"/access-requests/"+b.Text("id")+"/extend",
		map[string]any{"until": until},
	) // it has no end
	c := h.ask("ann", thing(wish(h.ann, h.group), "duration", "P1D"))
	h.decide("mia", c.Text("id"), "approve", item(c, 0))
	h.Refused(
		409,
		"extension_not_allowed",
		"ann",
		"POST",
		"/access-requests/"+c.Text("id")+"/extend",
		map[string]any{"until": until},
	)
}

func ends(t *testing.T, item map[string]any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, item["ends_at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestWithdrawal ends what waits, and says what is possible where it does not.
func TestWithdrawal(t *testing.T) {
	h := open(t)
	h.listen()
	safe := h.offered("safe", "high", h.olga) // both wait for their owner, since the manager has agreed by requesting
	a := h.ask("mia", wish(h.ann, safe, h.vault))
	id := a.Text("id")
	h.Refused(404, "not_found", "tom", "POST", "/access-requests/"+id+"/cancel", map[string]any{})
	h.Refused(403, "not_your_request", "olga", "POST", "/access-requests/"+id+"/cancel", nil)
	h.Refused(404, "not_found", "ann", "POST", "/access-requests/"+id+"/items/"+newID()+"/withdraw", nil)
	h.Must(
		200,
		"ann",
		"POST",
		"/access-requests/"+id+"/items/"+item(a, 0)+"/withdraw",
		map[string]any{"reason": "not needed"},
	)
	h.is(id, "pending_approval", "cancelled", "pending_approval")
	again := h.Refused(
		409,
		"invalid_transition",
		"ann",
		"POST",
		"/access-requests/"+id+"/items/"+item(a, 0)+"/withdraw",
		nil,
	)
	if allowed, is := again.Body["allowed"].([]any); !is || len(allowed) != 0 {
		t.Errorf("allowed: %v", again.Body["allowed"])
	}
	h.Refused(
		412,
		"precondition_failed",
		"mia",
		"POST",
		"/access-requests/"+id+"/cancel",
		nil,
		"If-Match",
		a.Header.Get("ETag"),
	)
	h.Must(200, "mia", "POST", "/access-requests/"+id+"/cancel", map[string]any{"reason": "never mind"})
	h.is(id, "cancelled", "cancelled", "cancelled")
	h.Refused(409, "invalid_transition", "mia", "POST", "/access-requests/"+id+"/cancel", nil)
	if n := h.Count(`select count(*) from decision_task where state in ('open', 'claimed')`); n != 0 {
		t.Errorf("%d tasks wait although nothing is asked for", n)
	}
	if got := h.told(id); got != "request.submitted" {
		t.Errorf("told %s", got)
	}
	h.ask("ann", wish(h.ann, safe)) // it can be asked for again
}

// TestWithdrawnApproval has the item wait again, before the target has it.
func TestWithdrawnApproval(t *testing.T) {
	h := open(t)
	h.listen()
	a := h.ask("ann", wish(h.ann, h.group))
	id := a.Text("id")
	h.Refused(409, "nothing_to_withdraw", "mia", "POST", "/access-requests/"+id+"/withdraw-approval", nil)
	h.decide("mia", id, "approve", item(a, 0))
	h.looks()
	h.is(id, "provisioning", "provisioning")
	h.Refused(409, "nothing_to_withdraw", "ann", "POST", "/access-requests/"+id+"/withdraw-approval", nil)
	h.Must(200, "mia", "POST", "/access-requests/"+id+"/withdraw-approval", nil)
	h.is(id, "pending_approval", "pending_approval")
	if n := h.Count(`select count(*) from access_reason where state <> 'ended'`); n != 0 {
		t.Errorf("%d reasons live on", n)
	}
	h.looks()
	h.is(id, "pending_approval", "pending_approval")
	h.decide("mia", id, "approve", item(a, 0))
	h.gives(h.annsAccount, h.group)
	h.is(id, "fulfilled", "fulfilled")
	if got := h.told(id); got != "request.submitted request.approved request.approved" {
		t.Errorf("told %s", got)
	}
	h.Refused(409, "invalid_transition", "mia", "POST", "/access-requests/"+id+"/withdraw-approval", nil)
}

// TestExpiryIsARejectionWithItsOwnCode.
func TestExpiryIsARejectionWithItsOwnCode(t *testing.T) {
	h := open(t)
	h.listen()
	h.rule("quick", byManager, `{"request_ttl": "PT2H"}`, h.group)
	a := h.ask("ann", wish(h.ann, h.group))
	id := a.Text("id")
	if a.Body["expires_at"] == nil || items(a)[0]["expires_at"] == nil {
		t.Fatalf("it does not say when it expires: %v", a.Body)
	}
	h.at = time.Now().Add(3 * time.Hour)
	for range 3 {
		if _, err := h.chains.Part(context.Background(), h.Tenant.Tenant); err != nil {
			t.Fatal(err)
		}
	}
	a = h.is(id, "expired", "expired")
	if a.Text("reason_code") != "expired" || h.told(id) != "request.submitted request.rejected" {
		t.Errorf("%v, told %s", a.Body["reason_code"], h.told(id))
	}
	if n := h.Count(
		`select count(*) from event where resource_id = $1 and data ->> 'reason_code' = 'expired'`,
		id,
	); n != 1 {
		t.Error("the event does not say that it expired")
	}
}

// TestAutomaticOutcomes approve and reject without asking anybody.
func TestAutomaticOutcomes(t *testing.T) {
	h := open(t)
	h.listen()
	h.rule("yes", `[{"outcome":{"kind":"auto_approve","reason":"everybody may"}}]`, `{}`, h.group)
	h.rule("no", `[{"outcome":{"kind":"auto_reject","reason":"ask the bank"}}]`, `{}`, h.vault)
	a := h.ask("ann", wish(h.ann, h.group, h.vault))
	if a.Text("status") != "approved" || items(a)[1]["status"] != "rejected" ||
		items(a)[1]["decision_reason"] != "ask the bank" ||
		items(a)[1]["decision_code"] != "rejected_by_rule" {
		t.Errorf("decided: %v", a.Body["items"])
	}
	if got := h.told(a.Text("id")); got != "request.submitted request.approved" {
		t.Errorf("told %s", got)
	}
	b := h.ask("tom", wish(h.tom, h.vault))
	if got := h.told(b.Text("id")); b.Text("status") != "rejected" || got != "request.submitted request.rejected" {
		t.Errorf("%s, told %s", b.Text("status"), got)
	}
}

// TestRevocation has somebody else's access ended by those who may.
func TestRevocation(t *testing.T) {
	h := open(t)
	a := h.ask("ann", wish(h.ann, h.group))
	body := with(wish(h.ann, h.group), "kind", "revoke")
	h.decide("mia", a.Text("id"), "approve", item(a, 0))
	h.gives(h.annsAccount, h.group)
	h.Refused(422, "validation_failed", "ann", "POST", "/access-requests", body)
	h.Refused(404, "not_found", "tom", "POST", "/access-requests", body)
	h.Refused(
		409,
		"not_held_by_request",
		"mia",
		"POST",
		"/access-requests",
		with(wish(h.ann, h.vault), "kind", "revoke"),
	)
	r := h.ask("olga", body) // she owns it
	if r.Text("status") != "provisioning" || items(r)[0]["target_item_id"] != item(a, 0) {
		t.Errorf("revoked: %v", r.Body)
	}
	h.Refused(409, "invalid_transition", "mia", "POST", "/access-requests", body)
	h.takes(h.annsAccount, h.group)
	h.is(a.Text("id"), "closed", "closed")
	h.is(r.Text("id"), "fulfilled", "fulfilled")
}

// TestGivingBackByRequest is the same for one's own.
func TestGivingBackByRequest(t *testing.T) {
	h := open(t)
	a := h.ask("ann", wish(h.ann, h.group))
	h.decide("mia", a.Text("id"), "approve", item(a, 0))
	h.gives(h.annsAccount, h.group)
	h.Refused(
		403,
		"not_allowed_to_ask_for",
		"mia",
		"POST",
		"/access-requests",
		with(wish(h.ann, h.group), "kind", "return"),
	)
	r := h.ask("ann", with(wish(h.ann, h.group), "kind", "return"))
	h.takes(h.annsAccount, h.group)
	h.is(r.Text("id"), "fulfilled", "fulfilled")
	h.is(a.Text("id"), "closed", "closed")
}

// TestNobodyToAskIsVisible and goes on when there is somebody again.
func TestNobodyToAskIsVisible(t *testing.T) {
	h := open(t)
	h.Exec(`update app_user set roles = '{}' where identity_id = $1`, h.root)
	h.Exec(`update identity set manager_id = null where id = $1`, h.ann)
	a := h.ask("ann", wish(h.ann, h.group))
	if a.Text("status") != "blocked" || items(a)[0]["status"] != "blocked" {
		t.Fatalf("nobody can be asked, and it is %v", a.Body["status"])
	}
	if n := h.Count(`select count(*) from decision_task where kind = 'request_blocked' and state = 'open'`); n != 1 {
		t.Errorf("%d tasks say so", n)
	}
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.ann, h.mia)
	for range 3 {
		if _, err := h.chains.Part(context.Background(), h.Tenant.Tenant); err != nil {
			t.Fatal(err)
		}
	}
	h.is(a.Text("id"), "pending_approval", "pending_approval")
	h.decide("mia", a.Text("id"), "approve", item(a, 0))
}

// TestRequesterChoosesWhoIsAsked where the rule lets them, and only whom it lets them choose.
func TestRequesterChoosesWhoIsAsked(t *testing.T) {
	h := open(t)
	h.rule(
		"choice",
		`[{"outcome":{"kind":"chain","stages":[{"name":"Colleague","groups":[{"approvers":[{"kind":"requester_choice"}],"mode":"any"}],
		"fallback":[{"kind":"app_role","app_role":"admin"}]}]}}]`,
		`{}`,
		h.group,
	)
	for name, chosen := range map[string][]string{"nobody": {}, "oneself": {h.ann}} {
		if a := h.Call(
			"ann",
			"POST",
			"/access-requests",
			with(wish(h.ann, h.group), "approvers", chosen),
		); a.Status != 422 ||
			pointers(a) != "#/approvers invalid_choice" {
			t.Errorf("choosing %s: %d %v at %s", name, a.Status, a.Body["detail"], pointers(a))
		}
	}
	if a := h.Call(
		"ann",
		"POST",
		"/access-requests",
		with(wish(h.ann, h.group), "approvers", []string{newID()}),
	); a.Status != 422 ||
		!strings.Contains(pointers(a), "#/approvers/0 unknown_approver") {
		t.Errorf("choosing who is not there: %d at %s", a.Status, pointers(a))
	}
	a := h.ask("ann", with(wish(h.ann, h.group), "approvers", []string{h.tom}))
	h.decide("tom", a.Text("id"), "approve", item(a, 0))
	h.is(a.Text("id"), "approved", "approved")
}
