package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// TestWhoSeesARequest asks every kind of viewer for every request, one by one and as a list with its total.
func TestWhoSeesARequest(t *testing.T) {
	h := open(t)
	stranger := h.user("stranger", "")
	h.user("former", "", viewer.ResourceOwner)
	h.Exec(`update identity set status = 'deactivated' where external_id = 'former'`)
	h.Let("token", h.Tenant.Tenant, "", viewer.Admin)
	h.Exec(
		`update entitlement set owner_ids = array(select id from identity where external_id in ('olga', 'former'))
			where id = $1`,
		h.vault,
	)
	numbers := map[string]string{}
	ask := func(name, as string, body map[string]any) {
		numbers[name] = h.ask(as, body).Text("id")
	}
	ask(
		"ann's role",
		"ann",
		map[string]any{"requested_resources": []any{map[string]any{"role_id": h.role}}, "justification": "x"},
	)
	ask("ann's vault", "ann", wish(h.ann, h.vault))
	ask("tom's by mia", "mia", wish(h.tom, h.offered("free", "low")))
	ask("mia's", "mia", wish(h.mia, h.group))
	ask("stranger's by root", "root", wish(stranger, h.offered("other", "low")))
	second := pgtest.Tenant(t, h.DB, "second")
	h.Let("foreign", second.Tenant, "", viewer.Admin)
	all := []string{"ann's role", "ann's vault", "tom's by mia", "mia's", "stranger's by root"}
	for who, want := range map[string][]string{
		"ann":      {"ann's role", "ann's vault"},
		"tom":      {"tom's by mia"},
		"mia":      {"ann's role", "ann's vault", "tom's by mia", "mia's"},
		"boss":     {"ann's role", "ann's vault", "tom's by mia", "mia's"},
		"olga":     {"ann's role", "ann's vault", "mia's"},
		"stranger": {"stranger's by root"},
		"former":   {},
		"root":     all,
		"auditor":  all,
		"token":    all,
		"foreign":  {},
	} {
		list := h.Must(200, who, "GET", "/access-requests", nil)
		for name, id := range numbers {
			sees := slices.Contains(want, name)
			if slices.Contains(list.Values("id"), any(id)) != sees {
				t.Errorf("the list of %s: %s is there: %v", who, name, !sees)
			}
			for _, at := range []string{"", "/timeline"} {
				if a := h.Call(
					who,
					"GET",
					"/access-requests/"+id+at,
					nil,
				); a.Status == 200 != sees ||
					!sees && a.Status != 404 {
					t.Errorf("%s reads %s%s: %d", who, name, at, a.Status)
				}
			}
			if a := h.Call(
				who,
				"POST",
				"/access-requests/"+id+"/comments",
				map[string]any{"text": "x"},
			); !sees && a.Status != 404 &&
				a.Status != 403 {
				t.Errorf("%s comments on %s: %d", who, name, a.Status)
			}
		}
		if list.Body["total"].(float64) != float64(len(want)) {
			t.Errorf("%s counts %v; want %d", who, list.Body["total"], len(want))
		}
	}
}

// TestWhoWasAskedSeesIt even as a delegate or a fallback, and nobody whose question was handed on.
func TestWhoWasAskedSeesIt(t *testing.T) {
	h := open(t)
	helper := h.user("helper", "")
	h.rule(
		"named",
		`[{"outcome":{"kind":"chain","stages":[{"name":"One","groups":[{"approvers":[{"kind":"identity",`+
			`"identity_id":"`+helper+`"}],"mode":"any"}],
		"fallback":[{"kind":"app_role","app_role":"admin"}]}]}}]`,
		`{}`,
		h.group,
	)
	a := h.ask("ann", wish(h.ann, h.group))
	id := a.Text("id")
	h.Must(200, "helper", "GET", "/access-requests/"+id, nil)
	if l := h.Must(200, "root", "GET", "/access-requests?approver="+helper, nil); l.Body["total"].(float64) != 1 {
		t.Errorf("%v requests of the approver", l.Body["total"])
	}
	h.Refused(
		404,
		"not_found",
		"tom",
		"POST",
		"/access-requests/"+id+"/items/"+item(a, 0)+"/reassign",
		map[string]any{"to": h.tom, "reason": "x"},
	)
	h.Refused(
		422,
		"validation_failed",
		"helper",
		"POST",
		"/access-requests/"+id+"/items/"+item(a, 0)+"/reassign",
		map[string]any{"to": h.tom, "reason": "x", "task_id": newID()},
	)
	if b := h.Call(
		"helper",
		"POST",
		"/access-requests/"+id+"/items/"+item(a, 0)+"/reassign",
		map[string]any{"to": h.ann, "reason": "x"},
	); b.Status < 400 {
		t.Error("the beneficiary was made her own approver")
	}
	h.Must(
		200,
		"helper",
		"POST",
		"/access-requests/"+id+"/items/"+item(a, 0)+"/reassign",
		map[string]any{"to": h.tom, "reason": "he knows"},
	)
	h.Refused(404, "not_found", "helper", "GET", "/access-requests/"+id, nil)
	h.decide("tom", id, "approve", item(a, 0))
	h.Must(200, "tom", "GET", "/access-requests/"+id, nil)
	h.is(id, "approved", "approved")
}

// TestListsAreNarrowedAndWalked by every filter and order.
func TestListsAreNarrowedAndWalked(t *testing.T) {
	h := open(t)
	var ids []string
	for i := range 7 {
		body := with(
			wish(h.ann, h.offered(fmt.Sprintf("thing-%d", i), "high", h.olga)),
			"external_reference",
			fmt.Sprintf("T-%d", i),
		)
		ids = append(ids, h.ask([]string{"ann", "mia"}[i%2], body).Text("id"))
	}
	h.Must(200, "ann", "POST", "/access-requests/"+ids[3]+"/cancel", nil)
	for query, want := range map[string]int{
		"status=cancelled": 1, "status=pending_approval,cancelled": 7, "requested_for=" + h.ann: 7, "requested_for=" +
			h.tom: 0, "requested_by=" + h.mia: 3,
		"external_reference=T-2": 1, "external_reference=t-2": 0, "number=REQ-000004": 1, "number=4": 1, "number=x": 0,
		"kind=extend": 0, "kind=grant,return": 7,
		"urgency=emergency": 0, "q=thing-5": 1, "q=THING": 7, "q=books+must": 7, "q=nothing": 0, "approver=" + h.mia: 4,
		"since=2200-01-01T00:00:00Z": 0, "until=2200-01-01T00:00:00Z": 7,
		"status=cancelled&q=thing-3": 1,
	} {
		for _, who := range []string{"root", "ann"} {
			a := h.Must(200, who, "GET", "/access-requests?"+query, nil)
			if int(a.Body["total"].(float64)) != want || len(a.Items()) != want {
				t.Errorf("%s as %s: %v of %v; want %d", query, who, len(a.Items()), a.Body["total"], want)
			}
		}
	}
	for _, sort := range []string{"submitted_at", "-submitted_at", "number", "-number", "updated_at", "-updated_at",
		"expires_at", "-expires_at"} {
		var walked []any
		next := ""
		for range 10 {
			a := h.Must(200, "ann", "GET", "/access-requests?limit=3&sort="+sort+next, nil)
			walked = append(walked, a.Values("id")...)
			cursor, more := a.Body["next_cursor"].(string)
			if !more {
				break
			}
			next = "&cursor=" + cursor
		}
		whole := h.Must(200, "ann", "GET", "/access-requests?sort="+sort, nil).Values("id")
		if !slices.Equal(walked, whole) || len(whole) != 7 {
			t.Errorf("by %s: walked %v; want %v", sort, walked, whole)
		}
	}
	h.Refused(400, "unknown_parameter", "ann", "GET", "/access-requests?state=x", nil)
}

// TestPreviewTellsEverything and writes nothing.
func TestPreviewTellsEverything(t *testing.T) {
	h := open(t)
	p := h.Must(200, "ann", "POST", "/access-requests/preview", wish(h.ann, h.group, h.vault))
	list := items(p)
	if p.Body["submittable"] != true || len(p.Body["problems"].([]any)) != 0 || len(list) != 2 ||
		p.Body["expected_at"] == nil {
		t.Fatalf("preview: %v", p.Body)
	}
	stage := list[1]["stages"].([]any)[1].(map[string]any)
	owner := stage["groups"].([]any)[0].(map[string]any)["approvers"].([]any)[0].(map[string]any)
	if owner["display"] != "olga" || owner["identity_id"] != h.olga ||
		list[1]["rule"].(map[string]any)["matched_because"] == "" {
		t.Errorf("the second stage of the vault asks %v", owner)
	}
	// A person without a manager: administrators stand in, visibly.
	h.Exec(`update identity set manager_id = null where id = $1`, h.tom)
	p = h.Must(200, "tom", "POST", "/access-requests/preview", wish(h.tom, h.group))
	first := items(p)[0]["stages"].([]any)[0].(map[string]any)["groups"].([]any)[0].(map[string]any)["approvers"].([]any)[0].(map[string]any)
	if first["fallback"] != true || first["role"] != "admin" {
		t.Errorf("without a manager it asks %v", first)
	}
	made := h.ask("ann", wish(h.ann, h.group))
	shown := made.Body["preview"].(map[string]any)["items"].([]any)[0].(map[string]any)
	if shown["display"] != "ledger" || len(shown["stages"].([]any)) != 1 {
		t.Errorf("the request keeps as its preview %v", shown)
	}
	p = h.Must(200, "ann", "POST", "/access-requests/preview", with(wish(h.ann, h.group, newID()), "justification", ""))
	var codes []string
	for _, problem := range p.Body["problems"].([]any) {
		codes = append(codes, problem.(map[string]any)["code"].(string))
	}
	slices.Sort(codes)
	if p.Body["submittable"] != false ||
		strings.Join(codes, " ") != "duplicate_request justification_required not_requestable" {
		t.Errorf("problems: %v", codes)
	}
	if d := items(p)[0]["duplicate_of"].(map[string]any); d["number"] != "REQ-000001" {
		t.Errorf("duplicate of %v", d)
	}
	h.Refused(404, "not_found", "ann", "POST", "/access-requests/preview", wish(h.mia, h.group))
	if n := h.Count(`select count(*) from access_request`); n != 1 {
		t.Errorf("%d requests; a preview writes none", n)
	}
}

// TestManyAtOnce makes what can be made.
func TestManyAtOnce(t *testing.T) {
	h := open(t)
	list := []any{
		wish(h.ann, h.group),
		wish(h.ann, h.group),
		wish(h.tom, h.group, h.vault),
		wish(h.boss, h.group),
		with(wish(h.tom, h.group), "x", 1),
		wish(h.tom, newID()),
	}
	h.Refused(403, "forbidden", "ann", "POST", "/access-requests/bulk", map[string]any{"requests": list})
	h.Refused(422, "validation_failed", "mia", "POST", "/access-requests/bulk", map[string]any{"requests": []any{}})
	dry := h.Must(200, "mia", "POST", "/access-requests/bulk?dry_run=true", map[string]any{"requests": list})
	if n := h.Count(
		`select count(*) from access_request`,
	); n != 0 || dry.Body["created"].(float64) != 2 ||
		dry.Header.Get("Ignored-Fields") != `"requests/4/x"` {
		t.Errorf("%d requests, %v would be; ignored %s", n, dry.Body["created"], dry.Header.Get("Ignored-Fields"))
	}
	a := h.Must(200, "mia", "POST", "/access-requests/bulk", map[string]any{"requests": list})
	// Mia is the manager: for the group her request is her agreement, and the vault waits for its owner.
	want := []string{
		"approved",
		"duplicate_request",
		"pending_approval",
		"not_found",
		"duplicate_request",
		"not_requestable",
	}
	for i, r := range a.Body["results"].([]any) {
		got, _ := r.(map[string]any)["status"].(string)
		if problems := r.(map[string]any)["problems"].([]any); len(problems) > 0 {
			p := problems[0].(map[string]any)
			got = p["code"].(string)
			if pointer, _ := p["pointer"].(string); !strings.HasPrefix(pointer, fmt.Sprintf("#/requests/%d/", i)) {
				t.Errorf("result %d points to %q", i, pointer)
			}
		}
		if got != want[i] {
			t.Errorf("result %d is %s; want %s: %v", i, got, want[i], r)
		}
	}
	if n := h.Count(
		`select count(*) from access_request`,
	); n != 2 || a.Body["created"].(float64) != 2 ||
		a.Body["refused"].(float64) != 4 {
		t.Errorf("%d requests: %v", n, a.Body)
	}
}

// TestCommentsAmongApprovers are hidden from those who ask.
func TestCommentsAmongApprovers(t *testing.T) {
	h := open(t)
	a := h.ask("ann", wish(h.ann, h.group))
	id := a.Text("id")
	h.Must(
		201,
		"mia",
		"POST",
		"/access-requests/"+id+"/comments",
		map[string]any{"text": "does she need it?", "visibility": "approvers"},
	)
	h.Must(201, "ann", "POST", "/access-requests/"+id+"/comments", map[string]any{"text": "I do"})
	h.Refused(
		422,
		"validation_failed",
		"ann",
		"POST",
		"/access-requests/"+id+"/comments",
		map[string]any{"text": "x", "visibility": "approvers"},
	)
	h.Refused(
		422,
		"validation_failed",
		"ann",
		"POST",
		"/access-requests/"+id+"/comments",
		map[string]any{"text": "   "},
	)
	for who, want := range map[string]int{"ann": 1, "mia": 2, "root": 2, "auditor": 2} {
		got := h.Must(200, who, "GET", "/access-requests/"+id, nil)
		steps := h.Must(200, who, "GET", "/access-requests/"+id+"/timeline", nil)
		said := 0
		for _, s := range steps.Values("event") {
			if s == "comment" {
				said++
			}
		}
		if n := len(got.Body["comments"].([]any)); n != want || said != want {
			t.Errorf("%s reads %d comments, and %d in the timeline; want %d", who, n, said, want)
		}
	}
}

// TestMetrics count what was decided, and by whom.
func TestMetrics(t *testing.T) {
	h := open(t)
	h.rule("yes", `[{"outcome":{"kind":"auto_approve","reason":"everybody may"}}]`, `{}`, h.vault)
	a, b := h.ask("ann", wish(h.ann, h.group, h.vault)), h.ask("tom", wish(h.tom, h.group))
	h.Exec(`update access_request set submitted_at = submitted_at - interval '1 hour'`)
	h.decide("mia", a.Text("id"), "approve", item(a, 0))
	h.decide("mia", b.Text("id"), "reject", item(b, 0))
	h.Refused(403, "forbidden", "mia", "GET", "/access-requests/metrics", nil)
	h.Refused(400, "invalid_parameter", "root", "GET", "/access-requests/metrics?since=2200-01-01T00:00:00Z", nil)
	for query, early := range map[string]string{"since=0000-01-01T00:00:00Z": "since",
		"until=0000-01-01T00:00:00Z": "until", "until=0001-01-02T00:00:00Z": "until"} {
		a := h.Refused(400, "invalid_parameter", "root", "GET", "/access-requests/metrics?"+query, nil)
		if list, _ := a.Body["errors"].([]any); len(list) != 1 || list[0].(map[string]any)["parameter"] != early {
			t.Errorf("%s is refused at %v; want %s", query, a.Body["errors"], early)
		}
	}
	m := h.Must(200, "auditor", "GET", "/access-requests/metrics", nil)
	all := m.Body["all"].(map[string]any)
	if m.Body["requests"].(float64) != 2 || m.Body["open"].(float64) != 0 || all["items"].(float64) != 3 ||
		all["approved"].(float64) != 2 ||
		all["automatic"].(float64) != 1 ||
		all["rejection_rate"].(float64) != 0.5 {
		t.Errorf("metrics: %v", m.Body)
	}
	if median := all["median_seconds_to_approve"].(float64); median < 3600 || median > 3700 {
		t.Errorf("the median is %v; want an hour", median)
	}
	if rules, things := m.Body["by_rule"].([]any), m.Body["by_item"].([]any); len(rules) != 2 || len(things) != 2 ||
		things[0].(map[string]any)["display"] != "ledger" {
		t.Errorf("by rule %v, by item %v", rules, things)
	}
	if none := h.Must(
		200,
		"root",
		"GET",
		"/access-requests/metrics?until=2001-01-01T00:00:00Z",
		nil,
	); none.Body["all"].(map[string]any)["median_seconds_to_approve"] != nil {
		t.Error("a median of nothing")
	}
}

// TestReplayTellsWhatARuleWouldHaveSaid of requests that were decided long ago.
func TestReplayTellsWhatARuleWouldHaveSaid(t *testing.T) {
	h := open(t)
	stored := h.rule("ledger", byManager, `{}`, h.group)
	h.ask("ann", wish(h.ann, h.group, h.vault))
	h.ask("tom", wish(h.tom, h.group))
	from := time.Now().Add(-time.Hour)
	same := h.Must(200, "root", "POST", "/approval-rules/replay", map[string]any{"rule_id": stored, "from": from})
	if same.Body["items_looked_at"].(float64) != 3 || same.Body["items_under_rule"].(float64) != 2 ||
		same.Body["same"].(float64) != 2 {
		t.Errorf("the same rule says %v", same.Body)
	}
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.tom, h.boss)
	moved := h.Must(200, "root", "POST", "/approval-rules/replay", map[string]any{"rule_id": stored, "from": from})
	if moved.Body["approvers_differ"].(float64) != 1 || moved.Body["different"].(float64) != 1 {
		t.Errorf("with another manager it says %v", moved.Body)
	}
	draft := map[string]any{
		"name":       "No",
		"applies_to": map[string]any{"entitlement_ids": []string{h.group}},
		"branches":   []any{map[string]any{"outcome": map[string]any{"kind": "auto_reject", "reason": "never"}}},
	}
	d := h.Must(
		200,
		"root",
		"POST",
		"/approval-rules/replay",
		map[string]any{"rule": draft, "rule_id": stored, "from": from},
	)
	list := d.Items()
	if d.Body["outcome_differs"].(float64) != 2 || len(list) != 2 ||
		list[0]["after"].(map[string]any)["outcome"] != "auto_reject" ||
		list[0]["before"].(map[string]any)["outcome"] != "chain" {
		t.Errorf("the draft says %v", d.Body)
	}
	draft["priority"] = 1 // before the one that is kept
	fresh := h.Must(200, "root", "POST", "/approval-rules/replay", map[string]any{"rule": draft, "from": from})
	if fresh.Body["items_under_rule"].(float64) != 2 || fresh.Body["outcome_differs"].(float64) != 2 {
		t.Errorf("the draft as a new rule says %v", fresh.Body)
	}
	h.Refused(
		403,
		"forbidden",
		"mia",
		"POST",
		"/approval-rules/replay",
		map[string]any{"rule_id": stored, "from": from},
	)
	h.Refused(422, "validation_failed", "root", "POST", "/approval-rules/replay", map[string]any{"from": from})
	h.Refused(
		422,
		"validation_failed",
		"root",
		"POST",
		"/approval-rules/replay",
		map[string]any{"rule_id": stored, "from": time.Now().Add(time.Hour)},
	)
	h.Refused(
		404,
		"not_found",
		"root",
		"POST",
		"/approval-rules/replay",
		map[string]any{"rule_id": newID(), "from": from},
	)
	if n := h.Count(`select count(*) from access_request`); n != 2 {
		t.Errorf("%d requests after the replay", n)
	}
}
