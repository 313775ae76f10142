package request_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// pointers are where a problem points to.
func pointers(a recordtest.Answer) string {
	var all []string
	list, _ := a.Body["errors"].([]any)
	for _, e := range list {
		f := e.(map[string]any)
		p, _ := f["pointer"].(string)
		all = append(all, p+" "+f["code"].(string))
	}
	return strings.Join(all, "; ")
}

// TestWhatCannotBeAskedForIsExplained sends what is wrong in itself, or for this person.
func TestWhatCannotBeAskedForIsExplained(t *testing.T) {
	h := open(t)
	secret := h.Entitlement(h.system, "secret", h.olga)
	other := newID()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'crm', 'CRM',
			'scim2')`,
		other,
	)
	toms, crm := h.Account(h.system, "tom", h.tom), h.Account(other, "ann", h.ann)
	short := h.offered("short", "low")
	h.Exec(`update entitlement set max_duration = 'PT8H' where id = $1`, short)
	h.rule("ticket", byManager, `{"require_external_reference": true, "grant": {"max_duration": "P30D"}}`, h.vault)
	past, soon := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	body := wish(h.ann, h.group)
	for name, tt := range map[string]struct {
		body map[string]any
		code string
		at   string
	}{
		"nothing": {with(body, "requested_resources", []any{}), "validation_failed",
			"#/requested_resources required"},
		"too much": {wish(h.ann, many(51)...), "validation_failed",
			"#/requested_resources too_many"},
		"neither": {with(body, "requested_resources", []any{map[string]any{}}), "validation_failed",
			"#/requested_resources/0 invalid"},
		"both": {thing(body, "role_id", h.role), "validation_failed",
			"#/requested_resources/0 invalid"},
		"twice": {wish(h.ann, h.group, h.group), "validation_failed",
			"#/requested_resources/1 duplicate"},
		"unknown": {wish(h.ann, newID()), "not_requestable",
			"#/requested_resources/0/entitlement_id not_requestable"},
		"not requestable": {wish(h.ann, secret), "not_requestable",
			"#/requested_resources/0/entitlement_id not_requestable"},
		"no length": {thing(body, "duration", "P1Y"), "validation_failed",
			"#/requested_resources/0/duration invalid"},
		"no time at all": {thing(body, "duration", "PT0S"), "validation_failed",
			"#/requested_resources/0/duration invalid"},
		"length and end": {thing(body, "duration", "PT1H", "ends_at", soon), "validation_failed",
			"#/requested_resources/0/ends_at conflict"},
		"past start": {thing(body, "starts_at", past), "validation_failed",
			"#/requested_resources/0/starts_at in_the_past"},
		"past end": {thing(body, "ends_at", past), "validation_failed",
			"#/requested_resources/0/ends_at in_the_past"},
		"end before start": {thing(body, "starts_at", soon.Add(time.Hour), "ends_at", soon),
			"validation_failed", "#/requested_resources/0/ends_at invalid"},
		"too long": {thing(wish(h.ann, short), "duration", "P1D"), "duration_exceeds_limit",
			"#/requested_resources/0/duration duration_exceeds_limit"},
		"too late": {thing(wish(h.ann, short), "ends_at", soon.Add(30*time.Hour)),
			"duration_exceeds_limit", "#/requested_resources/0/ends_at duration_exceeds_limit"},
		"longer than rule": {with(thing(wish(h.ann, h.vault), "duration", "P31D"), "external_reference",
			"x"), "duration_exceeds_limit", "#/requested_resources/0/duration duration_exceeds_limit"},
		"no justification": {with(body, "justification", "  "), "justification_required",
			"#/justification justification_required"},
		"no ticket": {wish(h.ann, h.vault), "external_reference_required",
			"#/external_reference external_reference_required"},
		"somebody's account": {thing(body, "account_id", toms), "unknown_account",
			"#/requested_resources/0/account_id unknown_account"},
		"another system": {thing(body, "account_id", crm), "wrong_system",
			"#/requested_resources/0/account_id wrong_system"},
		"entitlement with parameters": {thing(body, "parameters", map[string]any{"x": 1}), "validation_failed",
			"#/requested_resources/0/parameters invalid"},
		"emergency for no reason": {with(body, "urgency", "emergency", "justification", ""),
			"justification_required", "#/justification justification_required"},
		"status": {with(body, "status", "approved"), "read_only_field",
			"#/status read_only_field"},
		"number": {with(body, "number", "REQ-1"), "read_only_field", "#/number read_only_field"},
		"inner status": {thing(body, "status", "approved"), "read_only_field",
			"#/requested_resources/0/status read_only_field"},
	} {
		a := h.Call("ann", "POST", "/access-requests", tt.body)
		if a.Status != 422 || a.Text("code") != tt.code || pointers(a) != tt.at {
			t.Errorf(
				"%s: %d %s (%s) at %s; want 422 %s at %s",
				name,
				a.Status,
				a.Text("code"),
				a.Text("detail"),
				pointers(a),
				tt.code,
				tt.at,
			)
		}
	}
	a := h.Refused(
		422,
		"duration_exceeds_limit",
		"ann",
		"POST",
		"/access-requests",
		thing(wish(h.ann, short), "duration", "P1D"),
	)
	if !strings.Contains(a.Text("detail"), "PT8H") {
		t.Errorf("the limit is not said: %s", a.Text("detail"))
	}
	if n := h.Count(`select count(*) from access_request`); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func many(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = newID()
	}
	return ids
}

func TestWhoMayAskForWhom(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set status = 'deactivated' where id = $1`, h.tom)
	h.Grant(h.system, h.annsAccount, h.Entitlement(h.system, "olgas", h.olga)) // olga sees ann
	h.Let("service", h.Tenant.Tenant, "", viewer.Admin)
	h.Refused(404, "not_found", "ann", "POST", "/access-requests", wish(h.mia, h.group))
	h.Refused(404, "not_found", "ann", "POST", "/access-requests", wish(newID(), h.group))
	h.Refused(404, "not_found", "mia", "POST", "/access-requests", wish(h.boss, h.group))
	h.Refused(403, "not_allowed_to_ask_for", "olga", "POST", "/access-requests", wish(h.ann, h.group))
	h.Refused(403, "read_only_role", "auditor", "POST", "/access-requests", wish(h.ann, h.group))
	h.Refused(409, "identity_inactive", "mia", "POST", "/access-requests", wish(h.tom, h.group))
	h.Refused(
		422,
		"validation_failed",
		"service",
		"POST",
		"/access-requests",
		map[string]any{"requested_resources": []any{map[string]any{"role_id": h.role}}},
	)
	h.ask("mia", wish(h.mia, h.group))
	h.ask("boss", wish(h.ann, h.group))
	h.ask("root", wish(h.ann, h.vault))
	if a := h.ask(
		"ann",
		map[string]any{"requested_resources": []any{map[string]any{"role_id": h.role}}, "justification": "x"},
	); a.Text("requested_for_identity_id") != h.ann {
		t.Errorf("asked for %v", a.Body["requested_for"])
	}
}

// TestNobodyAsksTwice covers what is open, what is on its way, what is held, and what comes at the same moment.
func TestNobodyAsksTwice(t *testing.T) {
	h := open(t)
	a := h.ask("ann", thing(wish(h.ann, h.group), "duration", "P2D"))
	id := a.Text("id")
	again := h.Refused(409, "duplicate_request", "mia", "POST", "/access-requests", wish(h.ann, h.group))
	if again.Text("request_id") != id || again.Text("number") != "REQ-000001" ||
		pointers(again) != "#/requested_resources/0 duplicate_request" {
		t.Errorf("the duplicate is not linked: %v", again.Body)
	}
	h.decide("mia", id, "approve", item(a, 0))
	h.Refused(409, "duplicate_request", "ann", "POST", "/access-requests", wish(h.ann, h.group))
	h.gives(h.annsAccount, h.group)
	held := h.Refused(409, "already_held", "ann", "POST", "/access-requests", wish(h.ann, h.group))
	if until, _ := time.Parse(time.RFC3339, held.Text("until")); until.Before(time.Now().Add(47 * time.Hour)) {
		t.Errorf("held until %v", held.Body["until"])
	}
	start := time.Now().Add(72 * time.Hour)
	h.ask("ann", thing(wish(h.ann, h.group), "starts_at", start, "duration", "P1D")) // when the first is over

	native := h.offered("native", "low")
	h.Grant(h.system, h.annsAccount, native)
	if a := h.Refused(
		409,
		"already_held",
		"ann",
		"POST",
		"/access-requests",
		wish(h.ann, native),
	); a.Body["until"] != nil {
		t.Errorf("what the system gave is held until %v", a.Body["until"])
	}
}

func TestOneOfTwoAtTheSameMoment(t *testing.T) {
	h := open(t)
	for round := range 5 {
		group := h.offered(fmt.Sprintf("race-%d", round), "low")
		var wg sync.WaitGroup
		statuses := make([]int, 4)
		for i := range statuses {
			wg.Add(1)
			go func() {
				defer wg.Done()
				as := []string{"ann", "mia"}[i%2]
				if a, err := h.Try(as, "POST", "/access-requests", wish(h.ann, group)); err == nil {
					statuses[i] = a.Status
				}
			}()
		}
		wg.Wait()
		made, refused := 0, 0
		for _, s := range statuses {
			switch s {
			case 201:
				made++
			case 409:
				refused++
			}
		}
		if made != 1 || refused != 3 {
			t.Errorf("round %d: answers %v; want one 201 and three 409", round, statuses)
		}
	}
}

func TestFloodIsStopped(t *testing.T) {
	h := open(t)
	var groups []any
	for i := range 101 {
		groups = append(groups, map[string]any{
			"requested_for_identity_id": h.ann,
			"justification":             "x",
			"requested_resources": []any{
				map[string]any{"entitlement_id": h.offered(fmt.Sprintf("flood-%d", i), "low")},
			},
		})
	}
	bulk := h.Must(200, "root", "POST", "/access-requests/bulk", map[string]any{"requests": groups})
	results := bulk.Body["results"].([]any)
	last := results[100].(map[string]any)
	if bulk.Body["created"].(float64) != 100 || last["created"] != false ||
		last["problems"].([]any)[0].(map[string]any)["code"] != "too_many_open_requests" {
		t.Errorf("created %v, and the last is %v", bulk.Body["created"], last)
	}
	h.Refused(409, "too_many_open_requests", "ann", "POST", "/access-requests", wish(h.ann, h.group))
	h.ask("tom", wish(h.tom, h.group))
}

// TestParametersOfARole are held against what the role takes.
func TestParametersOfARole(t *testing.T) {
	h := open(t)
	h.Exec(
		`update role set parameters = '[{"name": "site", "type": "string", "required": true, `+
			`"allowed_values": ["north", "south"]}, {"name": "level", "type": "integer"}]' where id = $1`,
		h.role,
	)
	body := map[string]any{"requested_resources": []any{map[string]any{"role_id": h.role}}, "justification": "x"}
	for parameters, at := range map[string]string{
		`{}`:                              "site required",
		`{"site": "east"}`:                "site invalid",
		`{"site": 1}`:                     "site invalid",
		`{"site": "north", "level": 1.5}`: "level invalid",
		`{"site": "north", "x": 1}`:       "x unknown",
	} {
		a := h.Call(
			"ann",
			"POST",
			"/access-requests",
			fmt.Sprintf(
				`{"requested_resources":[{"role_id":%q,"parameters":%s}],"justification":"x"}`,
				h.role,
				parameters,
			),
		)
		if a.Status != 422 || pointers(a) != "#/requested_resources/0/parameters/"+at {
			t.Errorf("%s: %d %v at %s", parameters, a.Status, a.Body["detail"], pointers(a))
		}
	}
	north := h.ask("ann", thing(body, "parameters", map[string]any{"site": "north"}))
	h.ask("ann", thing(body, "parameters", map[string]any{"site": "south"}))
	h.Refused(
		409,
		"duplicate_request",
		"ann",
		"POST",
		"/access-requests",
		thing(body, "parameters", map[string]any{"site": "north"}),
	)
	h.decide("mia", north.Text("id"), "approve", item(north, 0))
	if n := h.Count(`select count(*) from role_assignment where parameters = '{"site": "north"}'`); n != 1 {
		t.Errorf("%d assignments with the parameter", n)
	}
}

// A denial keeps the access away whatever asks for it: the request says so, and not that the person has it already.
func TestWhatIsDeniedIsNotHeldAlready(t *testing.T) {
	h := open(t)
	const reason = `insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, effect, kind,
		    source_type, source_id, state, starts_at, note)
		values (current_tenant(), gen_random_uuid(), $1, $2, $3, $4, 'manual', 'user', gen_random_uuid(), 'active',
		    now() - interval '1 day', 'conflict of duties')`
	h.Exec(reason, h.ann, h.system, h.group, "allow")
	h.Refused(409, "already_held", "ann", "POST", "/access-requests", wish(h.ann, h.group))
	h.Exec(reason, h.ann, h.system, h.group, "deny")
	h.Refused(409, "access_denied", "ann", "POST", "/access-requests", wish(h.ann, h.group))
}
