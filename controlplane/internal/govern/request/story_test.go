package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// TestItemsAreDecidedApart is the usual way: two things, one over the manager alone, the other over manager and owner;
// one is given and seen in the target, the other refused with a reason.
func TestItemsAreDecidedApart(t *testing.T) {
	h := open(t)
	h.listen()
	a := h.ask("ann", with(wish(h.ann, h.group, h.vault), "external_reference", "CHG-7", "something", 1))
	id := a.Text("id")
	if a.Text("number") != "REQ-000001" || a.Text("status") != "pending_approval" ||
		a.Header.Get("Location") != "/api/v1/access-requests/"+id ||
		a.Header.Get("ETag") == "" ||
		a.Header.Get("Ignored-Fields") != `"something"` ||
		a.Text("external_reference") != "CHG-7" {
		t.Errorf("asked: %v %v", a.Header, a.Body)
	}
	if stages := items(a)[1]["stages"].([]any); len(stages) != 2 || len(items(a)[0]["stages"].([]any)) != 1 {
		t.Fatalf("the vault has %d stages; want manager and owner", len(stages))
	}
	group, vault := item(a, 0), item(a, 1)
	d := h.decide("mia", id, "approve", group, vault)
	if results := d.Body["results"].([]any); len(results) != 2 || results[0].(map[string]any)["status"] != "approved" ||
		results[1].(map[string]any)["status"] != "pending_approval" {
		t.Errorf("results: %v", results)
	}
	if got := h.told(id); got != "request.submitted" {
		t.Errorf("told %s before everything was decided", got)
	}
	h.decide("olga", id, "reject", vault)
	a = h.is(id, "approved", "approved", "rejected")
	if got := items(a)[1]; got["decision_reason"] != "because I say so" || got["decided_at"] == nil ||
		len(got["decided_by"].([]any)) == 0 {
		t.Errorf("the refusal is shown as %v", got)
	}
	h.looks()
	h.is(id, "provisioning", "provisioning", "rejected")
	h.gives(h.annsAccount, h.group)
	a = h.is(id, "fulfilled", "fulfilled", "rejected")
	if p := items(a)[0]["provisioning"].(map[string]any); p["state"] != "fulfilled" || p["verified_at"] == nil ||
		len(items(a)[0]["grant_ids"].([]any)) != 1 ||
		a.Body["fulfilled_at"] == nil {
		t.Errorf("provisioning: %v", p)
	}
	if got := h.told(id); got != "request.submitted request.approved" {
		t.Errorf("told %s", got)
	}
	if n := h.Count(
		`select count(*) from access_reason where source_id = $1 and kind = 'request'
			and details ->> 'external_reference' = 'CHG-7' and state = 'active'`,
		group,
	); n != 1 {
		t.Errorf("%d reasons for what was approved; want 1", n)
	}
	want := []string{
		"access_request.submitted",
		"access_request.item_rejected",
		"access_request.approved",
		"access_request.item_fulfilled",
	}
	got := slices.DeleteFunc(h.audited(id), func(a string) bool { return !slices.Contains(want, a) })
	if !slices.Equal(got, want) {
		t.Errorf("audited %v; want %v", got, want)
	}
	steps := h.Must(200, "ann", "GET", "/access-requests/"+id+"/timeline", nil)
	var said []string
	for _, s := range steps.Items() {
		said = append(said, s["event"].(string))
	}
	for _, e := range []string{"submitted", "stage_opened", "answered", "approved", "rejected", "fulfilled"} {
		if !slices.Contains(said, e) {
			t.Errorf("the timeline %v lacks %s", said, e)
		}
	}
	if int(steps.Body["total"].(float64)) != len(said) ||
		!slices.IsSortedFunc(
			steps.Items(),
			func(a, b map[string]any) int { return strings.Compare(a["at"].(string), b["at"].(string)) },
		) {
		t.Error("the timeline is out of order, or counted wrongly")
	}
}

// TestEverythingRefusedIsRejected also tells receivers why, with the ticket's reference.
func TestEverythingRefusedIsRejected(t *testing.T) {
	h := open(t)
	h.listen()
	a := h.ask("ann", with(wish(h.ann, h.group), "external_reference", "INC-1"))
	id := a.Text("id")
	h.decide("mia", id, "reject", item(a, 0))
	a = h.is(id, "rejected", "rejected")
	if a.Text("reason_code") != "rejected" || a.Body["rejected_at"] == nil || len(a.Body["allowed"].([]any)) != 0 {
		t.Errorf("rejected: %v", a.Body)
	}
	if got := h.told(id); got != "request.submitted request.rejected" {
		t.Errorf("told %s", got)
	}
	if n := h.Count(
		`select count(*) from event where resource_id = $1 and kind = 'request.rejected'
		    and data ->> 'external_reference' = 'INC-1'
		and data ->> 'reason_code' = 'rejected' and data ->> 'number' = 'REQ-000001'
		    and data ->> 'requested_for' = $2::text
		and data -> 'items' -> 0 ->> 'reason' = 'because I say so' and data -> 'items' -> 0 ->> 'status' = 'rejected'
		and data -> 'items' -> 0 ->> 'entitlement_id' = $3::text`,
		id,
		h.ann,
		h.group,
	); n != 1 {
		t.Error("the event does not say what was rejected, and why")
	}
	h.Refused(
		409,
		"already_decided",
		"mia",
		"POST",
		"/access-requests/"+id+"/decisions",
		decisions("approve", item(a, 0)),
	)
	if n := h.Count(`select count(*) from access_reason`); n != 0 {
		t.Errorf("%d reasons for what was refused", n)
	}
}

// TestClockStartsWhenTheAccessIsThere gives three hours for three hours, however long the target took.
func TestClockStartsWhenTheAccessIsThere(t *testing.T) {
	h := open(t)
	a := h.ask("ann", thing(wish(h.ann, h.group), "duration", "PT3H"))
	id := a.Text("id")
	h.decide("mia", id, "approve", item(a, 0))
	h.looks()
	h.Exec(`update fulfilment set created_at = created_at - interval '30 minutes'`)
	h.gives(h.annsAccount, h.group)
	a = h.is(id, "fulfilled")
	verified, _ := time.Parse(time.RFC3339, items(a)[0]["provisioning"].(map[string]any)["verified_at"].(string))
	ends, _ := time.Parse(time.RFC3339, items(a)[0]["ends_at"].(string))
	if ends.Sub(verified) != 3*time.Hour || items(a)[0]["duration"] != "PT3H" {
		t.Errorf("from %v until %v", verified, ends)
	}
}

// TestReturnedAccessEnds is an early return seen in the target.
func TestReturnedAccessEnds(t *testing.T) {
	h := open(t)
	a := h.ask("ann", wish(h.ann, h.group))
	id := a.Text("id")
	h.Refused(409, "invalid_transition", "ann", "POST", "/access-requests/"+id+"/return", map[string]any{})
	h.decide("mia", id, "approve", item(a, 0))
	h.gives(h.annsAccount, h.group)
	h.is(id, "fulfilled")
	h.Refused(404, "not_found", "tom", "POST", "/access-requests/"+id+"/return", map[string]any{})
	h.Refused(403, "not_your_request", "olga", "POST", "/access-requests/"+id+"/return", map[string]any{})
	a = h.Must(200, "ann", "POST", "/access-requests/"+id+"/return", map[string]any{"reason": "done"})
	if p := items(a)[0]["provisioning"].(map[string]any); p["state"] != "ending" {
		t.Errorf("returned, and it is %v", p)
	}
	refused := h.Refused(409, "invalid_transition", "ann", "POST", "/access-requests/"+id+"/return", map[string]any{})
	if refused.Body["allowed"] == nil {
		t.Error("the refusal does not say what is allowed")
	}
	if n := h.Count(`select count(*) from access_reason where state <> 'ended'`); n != 0 {
		t.Errorf("%d reasons live on", n)
	}
	h.takes(h.annsAccount, h.group)
	if a = h.is(id, "closed", "closed"); a.Body["closed_at"] == nil {
		t.Error("closed without a time")
	}
	// What was returned can be asked for again.
	h.ask("ann", wish(h.ann, h.group))
}

// TestRolesAreAskedForAsTheSpecificationShows uses its payload and nothing else.
func TestRolesAreAskedForAsTheSpecificationShows(t *testing.T) {
	h := open(t)
	a := h.ask(
		"mia",
		map[string]any{
			"requested_for_identity_id": h.ann,
			"requested_resources":       []any{map[string]any{"role_id": h.role}},
			"justification":             "new in the team",
			"external_reference":        "SNOW-42",
		},
	)
	id := a.Text("id")
	if by := a.Body["requested_by"].(map[string]any); by["identity_id"] != h.mia ||
		a.Body["requested_for"].(map[string]any)["display"] != "ann" {
		t.Errorf("asked by %v", by)
	}
	// The manager has asked, which is their agreement: nobody is asked, and it says who agreed and how.
	h.is(id, "approved", "approved")
	stage := items(a)[0]["stages"].([]any)[0].(map[string]any)
	slot := stage["groups"].([]any)[0].(map[string]any)["slots"].([]any)[0].(map[string]any)
	by := items(a)[0]["decided_by"].([]any)
	if slot["agreed_by_requesting"] != true || slot["identity_id"] != h.mia || len(by) != 1 ||
		by[0].(map[string]any)["identity_id"] != h.mia {
		t.Errorf("the manager's slot is %v, decided by %v", slot, by)
	}
	if n := h.Count(`select count(*) from decision_task`); n != 0 {
		t.Errorf("%d tasks ask somebody", n)
	}
	h.Refused(409, "nothing_to_withdraw", "mia", "POST", "/access-requests/"+id+"/withdraw-approval", nil)
	h.looks()
	h.is(id, "provisioning")
	if n := h.Count(
		`select count(*) from role_assignment where role_id = $1 and identity_id = $2 and kind = 'request'
			and request_id = $3 and state = 'active'`,
		h.role,
		h.ann,
		id,
	); n != 1 {
		t.Errorf("%d assignments", n)
	}
}

// A service token that is bound to a manager's identity asks in their name and agrees to nothing, unless the manager
// created it.
func TestTheTokenOfAnotherPersonDoesNotAgreeForTheManager(t *testing.T) {
	h := open(t)
	user := func(name string) string {
		return h.Strings(`select id::text from app_user where display_name = $1`, name)[0]
	}
	bound := func(token, maker, makerIdentity string) {
		h.Let(token, h.Tenant.Tenant, h.mia, viewer.Manager)
		h.Change(token, func(v *viewer.Viewer) {
			v.Kind, v.Maker, v.MakerIdentity = viewer.Service, user(maker), makerIdentity
			v.Scopes = []string{"access-requests:read", "access-requests:write"}
		})
	}
	bound("olga's token", "olga", h.olga)
	bound("unlinked token", "olga", "")
	bound("mia's token", "mia", h.mia)
	for i, as := range []string{"olga's token", "unlinked token"} {
		body := wish(h.ann, h.offered(fmt.Sprintf("asked-%d", i), "low"))
		foreseen := items(h.Must(200, as, "POST", "/access-requests/preview",
			body))[0]["stages"].([]any)[0].(map[string]any)
		first := foreseen["groups"].([]any)[0].(map[string]any)["approvers"].([]any)[0].(map[string]any)
		if first["agreed_by_requesting"] != false || first["identity_id"] == h.mia {
			t.Errorf("the preview of %s asks %v", as, first)
		}
		a := h.ask(as, body)
		id := a.Text("id")
		h.is(id, "pending_approval", "pending_approval")
		for _, who := range []string{as, "mia", "mia's token"} {
			h.Refused(
				403,
				"own_request",
				who,
				"POST",
				"/access-requests/"+id+"/decisions",
				decisions("approve", item(a, 0)),
			)
		}
		if n := h.Count(
			`select count(*) from audit_event where action = 'access_request.agreed_by_requesting'`,
		); n != 0 {
			t.Errorf("%d agreements by requesting are in the audit log", n)
		}
		h.decide("root", id, "approve", item(a, 0))
		h.is(id, "approved", "approved")
	}
	h.is(h.ask("mia's token", wish(h.ann, h.group)).Text("id"), "approved", "approved")
}

// TestStartInTheFutureIsScheduled shows it, and gives nothing before.
func TestStartInTheFutureIsScheduled(t *testing.T) {
	h := open(t)
	start := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	a := h.ask("ann", thing(wish(h.ann, h.group), "starts_at", start, "ends_at", start.Add(time.Hour)))
	id := a.Text("id")
	h.decide("mia", id, "approve", item(a, 0))
	h.is(id, "scheduled", "scheduled")
	h.looks()
	h.is(id, "scheduled", "scheduled")
	if n := h.Count(`select count(*) from access_reason where state = 'scheduled' and starts_at = $1`, start); n != 1 {
		t.Errorf("%d scheduled reasons", n)
	}
	h.Must(200, "ann", "POST", "/access-requests/"+id+"/return", nil)
	h.looks()
	h.is(id, "closed", "closed")
}
