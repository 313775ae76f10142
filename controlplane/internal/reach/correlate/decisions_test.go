package correlate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatPeopleDecidedIsKeptThroughRunsAndNewRules(t *testing.T) {
	w := open(t)
	w.someone("ada", fields{"email": "ada@x.test", "username": "ada"})
	bob := w.someone("bob", fields{"email": "bob@x.test"})
	given := w.login("given", fields{"email": "ada@x.test", "username": "ada"})
	ignored := w.login("ignored", fields{"email": "ada@x.test", "username": "ada"})
	w.Must(200, "admin", "POST", "/accounts/"+given+"/link", m{"identity_id": bob, "reason": "he runs it"})
	w.Must(200, "admin", "POST", "/accounts/"+ignored+"/ignore", m{"reason": "a robot"})
	w.run()
	w.expect(given, "manual bob he runs it")
	w.expect(ignored, "ignored a robot")
	w.rules(m{"rules": []m{rule("login", "username", "username", "exact", 0.99), veto("mail", "email")}})
	w.run()
	w.Exec(`update account set email = 'new@x.test', version = version + 1`)
	w.run()
	w.Must(200, "admin", "POST", "/accounts/correlation/run", nil)
	w.expect(given, "manual bob he runs it")
	w.expect(ignored, "ignored a robot")
}

func TestWhoLostAnAccountIsNotGivenItBackByRules(t *testing.T) {
	w := open(t)
	w.someone("ada", fields{"email": "ada@x.test"})
	a := w.login("a", fields{"email": "ada@x.test"})
	w.run()
	w.Must(200, "admin", "POST", "/accounts/"+a+"/unlink", m{"reason": "not hers"})
	if n := w.writes(func() { w.run() }); n != 0 {
		t.Errorf("the run wrote %d accounts", n)
	}
	w.expect(a, "uncorrelated not hers")
	w.someone("bea", fields{"employee_number": "2"})
	w.Exec(`update account set employee_number = '2', version = version + 1`)
	w.run()
	w.expect(a, "linked bea matched")
	reset := w.Must(200, "admin", "POST", "/accounts/"+a+"/reset-correlation", nil)
	if got := reset.Body["correlation"].(map[string]any)["state"]; got != "disputed" {
		t.Errorf("after the reset the account is %v: both speak for themselves again", got)
	}
	w.Refused(412, "precondition_failed", "admin", "POST", "/accounts/"+a+"/reset-correlation", nil, "If-Match", `"1"`)
	w.Exec(`update account set status = 'deleted'`)
	w.Refused(409, "account_deleted", "admin", "POST", "/accounts/"+a+"/reset-correlation", nil)
	got := w.Strings(`select action from audit_event order by seq`)
	if diff := cmp.Diff([]string{"account.unlinked", "account.correlation_reset"}, got); diff != "" {
		t.Errorf("audited: -want +got\n%s", diff)
	}
}

func TestChangedKeysTakeNoAccountFromItsOwnerUnlessSomebodyElseIsClear(t *testing.T) {
	w := open(t)
	w.rules(
		m{
			"rules": []m{
				rule("mail", "email", "email", "ci_exact", 0.95),
				rule("alike", "display_name", "display_name", "trigram>=0.6", 0.6),
				veto("other_number", "employee_number"),
			},
		},
	)
	w.someone("ada", fields{"email": "ada@x.test", "employee_number": "1"})
	w.someone("bob", fields{"email": "bob@x.test", "display_name": "Bob Byron"})
	a := w.login("a", fields{"email": "ada@x.test"})
	set := func(column, value string) {
		t.Helper()
		w.Exec(`update account set `+column+` = $1, version = version + 1`, value)
		w.run()
	}
	w.run()
	set("email", "renamed@x.test")
	w.expect(a, "linked ada kept")
	if n := w.writes(func() { w.run() }); n != 0 {
		t.Errorf("the run after it wrote %d accounts", n)
	}
	set("display_name", "Bob Byron")
	w.expect(a, "linked ada kept")
	set("email", "bob@x.test")
	w.expect(a, "linked Bob Byron matched")
	set("email", "ada@x.test")
	w.expect(a, "linked ada matched")
	set("email", "nobody@x.test")
	w.expect(a, "linked ada kept")
	set("employee_number", "9")
	w.expect(a, "disputed proposed") // Ada is forbidden now, and Bob is only alike
	if got := w.Count(`select count(*) from account where unowned_since is not null`); got != 1 {
		t.Error("since when it has no owner is not noted")
	}
}

func TestNewRulesDecideAnewWhateverTheOldOnesLinked(t *testing.T) {
	w := open(t)
	w.someone("ada", fields{"email": "ada@x.test"})
	w.someone("bob", fields{"username": "bob"})
	lost := w.login("lost", fields{"email": "ada@x.test"})
	moved := w.login("moved", fields{"email": "ada@x.test", "username": "bob"})
	gained := w.login("gained", fields{"username": "bob"})
	w.run()
	w.expect(moved, "linked ada matched")
	rules := m{"rules": []m{rule("login", "username", "username", "exact", 0.95)}}
	seen := w.Must(
		200,
		"admin",
		"POST",
		"/accounts/correlation/preview",
		m{"connector_id": w.connector, "rules": rules["rules"]},
	)
	w.expect(moved, "linked ada matched")
	w.rules(rules)
	ran := w.Must(200, "admin", "POST", "/accounts/correlation/run", m{"connector_id": w.connector})
	want := m{
		"looked_at":      3.0,
		"unchanged":      0.0,
		"gains":          1.0,
		"changed_owners": 1.0,
		"losses":         1.0,
		"disputed":       0.0,
		"withdrawn":      0.0,
	}
	if diff := cmp.Diff(want, ran.Body["counts"]); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(ran.Body["counts"], seen.Body["counts"]); diff != "" {
		t.Errorf("the preview counted: -ran +previewed\n%s", diff)
	}
	w.expect(lost, "uncorrelated no_candidate")
	w.expect(moved, "linked bob matched")
	w.expect(gained, "linked bob matched")
	change := seen.Body["changed_owners"].([]any)[0].(map[string]any)
	if change["from"].(map[string]any)["display"] != "ada" || change["to"].(map[string]any)["display"] != "bob" ||
		change["account"].(map[string]any)["display"] != "bob" {
		t.Errorf("the sample is %v", change)
	}
	again := w.Must(200, "admin", "POST", "/accounts/correlation/run", m{"connector_id": w.connector})
	if got := again.Body["counts"].(map[string]any); got["looked_at"] != 1.0 || got["unchanged"] != 1.0 {
		t.Errorf("the second run counts %v; want the one without an owner looked at", got)
	}
	w.Exec(`update connector set correlation = '{}'`)
	w.run()
	w.expect(lost, "linked ada matched")
}

func TestWhenTheOwnerIsArchivedTheAccountIsFreeAndOrphaned(t *testing.T) {
	w := open(t)
	ada := w.someone("ada", fields{"email": "ada@x.test"})
	byRules := w.login("rules", fields{"email": "ada@x.test"})
	byHand := w.login("hand", fields{"email": "a@x.test"})
	again := w.login("again", fields{"employee_number": "7"})
	w.run()
	for _, a := range []string{byHand, again} {
		w.Must(200, "admin", "POST", "/accounts/"+a+"/link", m{"identity_id": ada, "reason": "hers"})
	}
	w.Exec(`update identity set status = 'archived' where id = $1`, ada)
	w.someone("rehired", fields{"employee_number": "7"})
	w.run()
	w.expect(byRules, "uncorrelated owner_archived")
	w.expect(byHand, "uncorrelated owner_archived")
	w.expect(again, "linked rehired matched")
	got := w.Must(200, "admin", "GET", "/accounts/orphaned", nil)
	if diff := cmp.Diff([]any{"rules", "hand"}, got.Values("external_id")); diff != "" {
		t.Errorf("orphaned: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]any{"owner_archived", "owner_archived"}, got.Values("orphan_reason")); diff != "" {
		t.Errorf("reasons: -want +got\n%s", diff)
	}
	if n := w.writes(func() { w.run() }); n != 0 {
		t.Errorf("the run after it wrote %d accounts", n)
	}
}

func TestADisputeEndsWhenTheAmbiguityDoes(t *testing.T) {
	w := open(t)
	w.someone("ada", fields{"employee_number": "1"})
	twin := w.someone("twin", fields{"employee_number": "1"})
	a := w.login("a", fields{"employee_number": "1"})
	w.run()
	w.expect(a, "disputed ambiguous")
	if n := w.writes(func() { w.run() }); n != 0 {
		t.Errorf("the second run wrote %d accounts", n)
	}
	w.Exec(`update identity set employee_number = '2' where id = $1`, twin)
	w.run()
	w.expect(a, "linked ada matched")
	b := w.login("b", fields{"employee_number": "3"})
	for range 2 {
		w.someone("two", fields{"employee_number": "3", "external_id": b + w.stands(b)})
		w.run()
		w.Exec(`update identity set source_connector_id = id`)
	}
	w.Exec(`update identity set employee_number = null`)
	w.run()
	w.expect(a, "linked ada matched")
}

func TestOrphansAreCountedFromTheDayThatIsSet(t *testing.T) {
	w := open(t)
	w.login("old", fields{"first_seen_at": "2026-01-01T00:00:00Z"})
	w.login("young", nil)
	w.login("daemon", fields{"account_type": "service"})
	orphaned := func(want ...any) {
		t.Helper()
		if diff := cmp.Diff(
			want,
			w.Must(200, "admin", "GET", "/accounts/orphaned", nil).Values("external_id"),
		); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	orphaned("old", "daemon")
	first := w.Must(200, "admin", "GET", "/settings/orphans", nil)
	if first.Body["after_days"] != 30.0 {
		t.Errorf("at first %v", first.Body)
	}
	w.Must(200, "admin", "PUT", "/settings/orphans", m{"after_days": 0}, "If-Match", first.Header.Get("ETag"))
	orphaned("old", "young", "daemon")
	w.Refused(
		412,
		"precondition_failed",
		"admin",
		"PUT",
		"/settings/orphans",
		m{"after_days": 3},
		"If-Match",
		first.Header.Get("ETag"),
	)
	w.Refused(422, "validation_failed", "admin", "PUT", "/settings/orphans", m{"after_days": -1})
	w.Must(200, "admin", "PUT", "/settings/orphans", m{"after_days": 3650})
	orphaned("daemon")
}
