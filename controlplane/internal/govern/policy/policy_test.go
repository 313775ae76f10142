package policy_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

func TestABirthrightFollowsThePerson(t *testing.T) {
	h := open(t)
	id := h.enforce(
		h.rule("nurses", about("department", "in", []string{"Nursing", "Surgery"}), h.groups[0], h.groups[1]),
	)
	h.settle()
	ann := h.hire("ann", "Nursing")
	bob := h.hire("bob", "Sales")
	h.settle()
	h.expect(ann, "active", "[group-0 group-1]")
	h.expect(bob, "active", "[]")
	h.patch(bob, map[string]any{"department": "surgery"})
	h.patch(ann, map[string]any{"department": "Sales"})
	h.settle()
	h.expect(ann, "active", "[]")
	h.expect(bob, "active", "[group-0 group-1]")
	p := h.Call("admin", "GET", "/policies/access-grant/"+id, nil)
	if p.Body["holder_count"] != 1.0 || p.Text("sentence") != "department is Nursing or Surgery" {
		t.Errorf("policy: %v", p.Body)
	}
	if a := h.Call(
		"admin",
		"POST",
		"/identities/"+bob+"/deactivate",
		map[string]any{"reason": "gone"},
	); a.Status != 200 {
		t.Fatalf("deactivate: %v", a.Body)
	}
	h.settle()
	h.expect(bob, "active", "[]")
	h.Call("admin", "POST", "/identities/"+bob+"/reactivate", map[string]any{"reason": "back"})
	h.settle()
	h.expect(bob, "active", "[group-0 group-1]")
}

func TestWhatDoesNotFollowAnyMoreRunsOut(t *testing.T) {
	h := open(t)
	body := h.rule("sales", about("department", "eq", "Sales"), h.groups[0])
	body["lifecycle"] = map[string]any{"on_no_match": "grace", "grace": "P14D"}
	h.enforce(body)
	ann := h.hire("ann", "Sales")
	h.settle()
	h.patch(ann, map[string]any{"department": "IT"})
	h.settle()
	days := `select count(*) from access_reason where identity_id = $1 and state = 'active'
		and ends_at between now() + interval '13 days' and now() + interval '15 days'`
	if n := h.Count(days, ann); n != 1 {
		t.Errorf("%d reasons end in fourteen days; want 1", n)
	}
	before := h.Strings(`select ends_at::text from access_reason where identity_id = $1`, ann)
	h.patch(ann, map[string]any{"title": "Other"})
	h.settle()
	if after := h.Strings(
		`select ends_at::text from access_reason where identity_id = $1`,
		ann,
	); after[0] != before[0] {
		t.Errorf("looked at again it ends at %s; want %s as before", after, before)
	}
	h.patch(ann, map[string]any{"department": "sales"})
	h.settle()
	if n := h.Count(
		`select count(*) from access_reason where identity_id = $1 and state = 'active' and ends_at is null`,
		ann,
	); n != 1 {
		t.Error("who is meant again keeps an end")
	}
}

func TestAPreHireIsGivenAccessAheadOfTheirFirstDay(t *testing.T) {
	h := open(t)
	h.at = time.Now()
	body := h.rule("all", everybody, h.groups[0])
	body["lifecycle"] = map[string]any{"lead_time": "P2D", "on_no_match": "end_now"}
	h.enforce(body)
	first := time.Now().UTC().AddDate(0, 0, 10)
	ann := h.hire("ann", "Sales", "start_date", first.Format(time.DateOnly))
	h.settle()
	h.expect(ann, "scheduled", "[group-0]")
	want := first.AddDate(0, 0, -2).Format(time.DateOnly)
	if got := h.Strings(
		`select (starts_at at time zone 'UTC')::date::text from access_reason where identity_id = $1`,
		ann,
	); got[0] != want {
		t.Errorf("begins on %s; want %s", got, want)
	}
	h.patch(ann, map[string]any{"start_date": first.AddDate(0, 0, 5).Format(time.DateOnly)})
	h.settle()
	want = first.AddDate(0, 0, 3).Format(time.DateOnly)
	if got := h.Strings(
		`select (starts_at at time zone 'UTC')::date::text from access_reason where identity_id = $1`,
		ann,
	); got[0] != want {
		t.Errorf("put off, it begins on %s; want %s", got, want)
	}
	h.Exec(`update identity set status = 'active' where id = $1`, ann)
	h.settle()
	h.expect(ann, "active", "[group-0]")
}

func TestWhatSomebodyHasTakenIsNotGivenAgain(t *testing.T) {
	h := open(t)
	id := h.enforce(h.rule("all", everybody, h.groups[0], h.groups[1]))
	ann := h.hire("ann", "Sales")
	h.settle()
	take := func() {
		err := h.DB.As(t.Context(), h.Tenant, func(tx *pg.Tx) error {
			_, err := ledger.End(
				t.Context(),
				tx,
				ledger.Which{IdentityIDs: []string{ann}, EntitlementIDs: []string{h.groups[0]}},
				time.Time{},
				"not needed",
				false,
			)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	take()
	h.patch(ann, map[string]any{"department": "IT"})
	h.settle()
	h.expect(ann, "active", "[group-1]")
	dry := h.Must(200, "admin", "POST", "/identities/"+ann+"/birthrights/evaluate", nil)
	if dry.Body["dry_run"] != true || len(dry.Body["matched"].([]any)) != 1 || dry.Body["reasons_added"] != 1.0 {
		t.Errorf("dry run: %v", dry.Body)
	}
	h.expect(ann, "active", "[group-1]")
	h.Must(200, "admin", "POST", "/identities/"+ann+"/birthrights/evaluate", map[string]any{"dry_run": false})
	h.expect(ann, "active", "[group-0 group-1]")
	take()
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+id, map[string]any{"description": "says something new"})
	h.settle()
	h.expect(ann, "active", "[group-0 group-1]")
	take()
	h.Exec(`update identity set status = 'deactivated', urgent = true where id = $1`, ann)
	h.settle()
	if n := h.Count(
		`select count(*) from work_item where kind = 'provisioning' and subject = $1 and priority > 0`,
		ann,
	); n == 0 {
		t.Error("an immediate termination is no urgent turn")
	}
	h.Exec(`update identity set status = 'active', urgent = false where id = $1`, ann)
	h.settle()
	h.expect(ann, "active", "[group-0 group-1]")
}

func TestABreakerStopsAPolicyUntilSomebodyAccepts(t *testing.T) {
	h := open(t)
	defer policy.SetBatch(2)()
	body := h.rule("all", about("department", "eq", "Sales"), h.groups[0])
	body["circuit_breaker"] = map[string]any{"max_changes": 3, "window": "PT1H"}
	id := h.enforce(body)
	h.settle()
	var people []string
	for i := range 6 {
		people = append(people, h.hire(fmt.Sprintf("p%d", i), "Sales"))
	}
	h.settle()
	at := "/policies/access-grant/" + id
	held := `select count(*) from access_reason where state <> 'ended'`
	p := h.Must(200, "admin", "GET", at, nil)
	if n := h.Count(held); n != 2 || p.Body["tripped_at"] == nil || p.Text("tripped_reason") == "" {
		t.Fatalf("%d reasons, policy %v; want 2 and a tripped breaker", n, p.Body)
	}
	h.patch(people[0], map[string]any{"department": "IT"})
	h.settle()
	if n := h.Count(held); n != 2 {
		t.Errorf("a stopped policy has changed something: %d reasons", n)
	}
	h.Refused(422, "validation_failed", "admin", "POST", at+"/breaker/reset", map[string]any{"accept": false})
	h.Must(200, "admin", "POST", at+"/breaker/reset", map[string]any{"accept": true})
	h.settle()
	if n := h.Count(held); n != 5 {
		t.Errorf("%d reasons after the reset; want 5", n)
	}
	h.Refused(409, "breaker_not_tripped", "admin", "POST", at+"/breaker/reset", map[string]any{"accept": true})
	for i := range 3 {
		h.hire(fmt.Sprintf("q%d", i), "Sales")
	}
	h.settle()
	if p := h.Must(200, "admin", "GET", at, nil); p.Body["tripped_at"] != nil || h.Count(held) != 8 {
		t.Errorf("three more are within the breaker: %v", p.Body)
	}
}

func TestEnforcingIsSimulatedAndConfirmed(t *testing.T) {
	h := open(t)
	for i := range 20 {
		h.hire(fmt.Sprintf("p%02d", i), []string{"Sales", "IT"}[i/15])
	}
	body := h.rule("sales", about("department", "eq", "Sales"), h.groups[0])
	body["mode"] = "shadow"
	made := h.Must(201, "admin", "POST", "/policies/access-grant", body)
	at := "/policies/access-grant/" + made.Text("id")
	h.settle()
	if stats := h.Must(200, "admin", "GET", at, nil).Body["stats"].(map[string]any); stats["matched"] != 15.0 ||
		stats["would_grant"] != 15.0 {
		t.Errorf("stats of a shadow policy: %v", stats)
	}
	if n := h.Count(`select count(*) from access_reason`); n != 0 {
		t.Errorf("a shadow policy gave %d reasons", n)
	}
	impact := h.Must(200, "admin", "POST", at+"/simulate", nil).Body
	unsaved := h.Must(200, "admin", "POST", "/policies/access-grant/simulate", body).Body
	for name, want := range map[string]any{"people_total": 20.0, "matched": 15.0, "identities_affected": 15.0,
		"grants_added": 15.0, "grants_ended": 0.0, "accounts_created": 15.0} {
		if impact[name] != want || unsaved[name] != want {
			t.Errorf("%s: %v and %v; want %v", name, impact[name], unsaved[name], want)
		}
	}
	refused := h.Refused(409, "confirmation_required", "admin", "POST", at+"/mode", map[string]any{"mode": "enforce"})
	if got := refused.Body["impact"].(map[string]any)["plan_hash"]; got != impact["plan_hash"] {
		t.Errorf("plan %v; simulated %v", got, impact["plan_hash"])
	}
	h.Refused(409, "plan_changed", "admin", "POST", at+"/mode?confirm=0123", map[string]any{"mode": "enforce"})
	h.Must(200, "admin", "POST", at+"/mode?confirm="+impact["plan_hash"].(string), map[string]any{"mode": "enforce"})
	h.settle()
	if n := h.Count(`select count(*) from access_reason where state = 'active'`); n != 15 {
		t.Errorf("%d reasons; want what was simulated: 15", n)
	}
	h.Must(200, "admin", "POST", at+"/disable", nil)
	h.settle()
	if n := h.Count(`select count(*) from access_reason where state = 'active'`); n != 0 {
		t.Errorf("%d reasons of a policy that is off", n)
	}
	versions := h.Must(200, "admin", "GET", at+"/versions", nil)
	if got := fmt.Sprint(versions.Values("version")); got != "[3 2 1]" {
		t.Errorf("versions %s", got)
	}
}

func TestADenialBeatsWhatIsAssigned(t *testing.T) {
	h := open(t)
	h.enforce(h.rule("all", everybody, h.groups[0], h.groups[1]))
	ann := h.hire("ann", "Sales")
	h.settle()
	deny := h.rule("not sales", about("department", "eq", "Sales"), h.groups[0])
	deny["effect"], deny["birthright"] = "deny", false
	impact := h.Must(200, "admin", "POST", "/policies/access-grant/simulate", deny).Body
	if impact["grants_ended"] != 1.0 || impact["grants_added"] != 0.0 {
		t.Errorf("impact %v", impact)
	}
	h.enforce(deny)
	h.settle()
	desired := func() int {
		var wants []ledger.Want
		err := h.DB.As(t.Context(), h.Tenant, func(tx *pg.Tx) (err error) {
			wants, err = ledger.Desired(t.Context(), tx, []string{ann})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(wants)
	}
	if n := desired(); n != 1 {
		t.Errorf("%d wanted; want 1", n)
	}
	h.patch(ann, map[string]any{"department": "IT"})
	h.settle()
	if n := desired(); n != 2 {
		t.Errorf("%d wanted; want 2", n)
	}
}

func TestConditionsAreTriedOutOnEverybody(t *testing.T) {
	h := open(t)
	boss := h.hire("boss", "Board")
	ann := h.hire("ann", "Sales", "manager_external_id", "boss")
	h.hire("eve", "Sales", "manager_external_id", "ann", "attributes", map[string]any{"level": 7})
	try := func(body map[string]any) map[string]any {
		return h.Must(200, "admin", "POST", "/policies/conditions/validate", body).Body
	}
	got := try(map[string]any{"sentence": "reports up to " + boss + ", and department is sales"})
	if got["matches"] != 2.0 || got["people"] != 3.0 || got["valid"] != true {
		t.Errorf("verdict %v", got)
	}
	got = try(map[string]any{"condition": about("attributes.level", "gt", 5), "sample": []string{ann}})
	if got["matches"] != 1.0 || len(got["sample"].([]any)) != 1 || len(got["warnings"].([]any)) != 1 {
		t.Errorf("verdict %v", got)
	}
	got = try(map[string]any{"condition": about("departement", "eq", "x")})
	if got["valid"] != false || len(got["problems"].([]any)) != 1 || got["normal_form"] != nil {
		t.Errorf("verdict %v", got)
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/policies/access-grant",
		h.rule("x", about("departement", "eq", "x"), h.groups[0]),
	)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/policies/access-grant",
		map[string]any{"name": "x", "effect": "eligible", "subject": everybody},
	)
}

func TestDatesThatMoveAreLookedAtEachDay(t *testing.T) {
	h := open(t)
	h.at = time.Now()
	hired := h.at.UTC().AddDate(0, 0, -29).Format(time.DateOnly)
	h.enforce(h.rule("a month here", about("hire_date", "before", "-P29D"), h.groups[0]))
	ann := h.hire("ann", "Sales", "hire_date", hired)
	h.settle()
	h.expect(ann, "active", "[]")
	h.at = h.at.AddDate(0, 0, 1)
	h.settle()
	h.expect(ann, "active", "[group-0]")
}

func TestEverybodyAffectedIsALineOfTheDownload(t *testing.T) {
	h := open(t)
	ann := h.hire("ann", "Sales")
	h.hire("bob", "IT")
	body := h.rule("sales", about("department", "eq", "Sales"), h.groups[0])
	for _, a := range []recordtest.Answer{
		h.Must(200, "admin", "POST", "/policies/access-grant/simulate?download=true", body),
		h.Must(200, "admin", "POST", "/policies/access-grant/simulate", body, "Accept", "application/x-ndjson"),
	} {
		if a.Text("identity_id") != ann || a.Header.Get("Content-Type") != "application/x-ndjson" ||
			len(a.Body["gains"].([]any)) != 1 {
			t.Errorf("line %v of %s", a.Body, a.Header.Get("Content-Type"))
		}
	}
}

func TestTheEvaluationWakesWhenSomebodyIsMade(t *testing.T) {
	h := open(t)
	h.enforce(h.rule("all", everybody, h.groups[0]))
	h.settle()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- (&queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.policies.Kinds()}).Run(ctx)
	}()
	ann := h.hire("ann", "Sales")
	for h.holds(ann, "active") != "[group-0]" {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestManagersAndOthersDoNotSeePolicies(t *testing.T) {
	h := open(t)
	id := h.enforce(h.rule("all", everybody, h.groups[0]))
	h.Let("manager", h.Tenant.Tenant, "", viewer.Manager)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Refused(403, "forbidden", "manager", "GET", "/policies/access-grant/"+id, nil)
	h.Must(200, "auditor", "GET", "/policies/access-grant/"+id, nil)
	h.Refused(403, "read_only_role", "auditor", "DELETE", "/policies/access-grant/"+id, nil)
	h.Must(204, "admin", "DELETE", "/policies/access-grant/"+id, nil)
	h.Refused(404, "not_found", "admin", "GET", "/policies/access-grant/"+id, nil)
}

func TestTheLifecyclesLeadAndGraceAreThoseOfPoliciesThatSayNothing(t *testing.T) {
	h := open(t)
	body := h.rule("all", about("department", "eq", "Sales"), h.groups[0])
	body["lifecycle"] = map[string]any{}
	h.enforce(body)
	first := time.Now().UTC().AddDate(0, 0, 10)
	ann := h.hire("ann", "Sales", "start_date", first.Format(time.DateOnly))
	bob := h.hire("bob", "Sales")
	h.settle()
	begins := func() string {
		return h.Strings(`select (starts_at at time zone 'UTC')::date::text from access_reason
			where identity_id = $1`, ann)[0]
	}
	if got, want := begins(), first.Format(time.DateOnly); got != want {
		t.Errorf("begins on %s; want %s", got, want)
	}
	h.Exec(
		`insert into lifecycle_policy (tenant_id, pre_hire_lead, mover_grace) values (current_tenant(), '72 hours',
			'120 hours')`,
	)
	h.settle()
	if got, want := begins(), first.AddDate(0, 0, -3).Format(time.DateOnly); got != want {
		t.Errorf("with a lead of three days it begins on %s; want %s", got, want)
	}
	h.patch(bob, map[string]any{"department": "IT"})
	h.settle()
	if n := h.Count(
		`select count(*) from access_reason where identity_id = $1 and state = 'active'
			and ends_at > now() + interval '119 hours'`,
		bob,
	); n != 1 {
		t.Error("a mover has no grace of five days")
	}
}
