package decisionkind_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
)

// contested is an account of which rules cannot tell whether it is ada's or bob's.
func (h *house) contested(connector string) (account, ada, bob string) {
	h.T.Helper()
	ada, bob = h.Person("ada", ""), h.Person("bob", "")
	h.Exec(`update identity set employee_number = '1' where id = $1`, ada)
	account = h.Account(connector, "x7", "")
	h.Exec(`update account set employee_number = '1', email = 'bob@example.com' where id = $1`, account)
	h.Must(200, "admin", "POST", "/accounts/correlation/run", nil)
	return account, ada, bob
}

func TestADisputedAccountIsNotLinkedAgainstAPolicy(t *testing.T) {
	h := open(t)
	dir, crm := h.system("dir"), h.system("crm")
	account, ada, bob := h.contested(dir)
	pay, vendors := h.Entitlement(dir, "pay"), h.Entitlement(crm, "vendors")
	h.Grant(dir, account, pay)
	h.Grant(crm, h.Account(crm, "bob", bob), vendors)
	h.separate(ada, pay, vendors)
	task := h.one(kind.AccountCorrelation)
	h.Refused(409, "separation_of_duties", "admin", "POST", at(task)+"/decide",
		choice("link", "his", object{"identity_id": bob}))
	h.decide(task, "link", "hers", object{"identity_id": ada})
	h.none(kind.AccountCorrelation)
}

func TestADisputedAccountIsLinkedInTheInbox(t *testing.T) {
	h := open(t)
	account, ada, bob := h.contested(h.system("dir"))
	task := h.one(kind.AccountCorrelation)
	h.shows(
		task,
		"Whose is the account x7 of dir?",
		"Several people fit about as well",
		"ada (0.98: account and person have the same employee number)",
		"bob (0.95",
	)
	candidates := member(task, "context", "candidates").([]any)
	if len(candidates) != 2 || member(candidates[0], "identity_id") != ada ||
		member(candidates[0], "display") != "ada" ||
		task["due_at"] == nil {
		t.Errorf("candidates: %v", candidates)
	}
	if got := actions(task); got != "link none_of_these ignore" {
		t.Errorf("it takes %s", got)
	}
	h.Refused(422, "validation_failed", "admin", "POST", at(task)+"/decide", choice("link", "", nil))
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		at(task)+"/decide",
		choice("link", "", object{"identity_id": "bob"}),
	)
	got := h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		at(task)+"/decide",
		choice("link", "", object{"identity_id": newID()}),
	)
	if field := got.Body["errors"].([]any)[0].(object); field["pointer"] != "#/inputs/identity_id" {
		t.Errorf("it points at %v", field["pointer"])
	}
	h.decide(task, "link", "he told me", object{"identity_id": bob})
	is := h.Must(200, "admin", "GET", "/accounts/"+account, nil)
	if is.Text("identity_id") != bob || member(is.Body, "correlation", "reason") != "he told me" ||
		h.audited("account.linked", "admin") != 1 {
		t.Errorf("the account is %v of %s", is.Body["correlation"], is.Text("identity_id"))
	}
	h.none(kind.AccountCorrelation)
	h.became(task, "decided", "")
}

func TestADisputeThatIsNobodysStaysSettled(t *testing.T) {
	h := open(t)
	account, _, _ := h.contested(h.system("dir"))
	task := h.one(kind.AccountCorrelation)
	h.decide(task, "none_of_these", "", nil)
	h.Must(200, "admin", "POST", "/accounts/correlation/run", nil)
	if got := h.Strings(`select correlation_state || ' ' || cardinality(correlation_rejected) from account
		where id = $1`, account)[0]; got != "uncorrelated 2" {
		t.Errorf("the account is %s", got)
	}
	h.none(kind.AccountCorrelation)
	if h.audited("account.candidates_rejected", "admin") != 1 {
		t.Error("it is not audited")
	}
	// Somebody else comes who fits as well as nobody did: people are asked again.
	cid := h.Person("cid", "")
	h.Exec(`update identity set employee_number = '1' where id = $1`, cid)
	dan := h.Person("dan", "")
	h.Exec(`update identity set employee_number = '1' where id = $1`, dan)
	h.Must(200, "admin", "POST", "/accounts/correlation/run", nil)
	again := h.one(kind.AccountCorrelation)
	h.shows(again, "cid", "dan")
	h.decide(again, "ignore", "a test account", nil)
	if got := h.Strings(`select correlation_state from account where id = $1`, account)[0]; got != "ignored" {
		t.Errorf("the account is %s", got)
	}
	h.none(kind.OrphanAccount)
}

func TestADisputeThatRulesOrSomebodySettlesIsTakenBack(t *testing.T) {
	h := open(t)
	account, ada, _ := h.contested(h.system("dir"))
	task := h.one(kind.AccountCorrelation)
	h.Must(200, "admin", "POST", "/accounts/"+account+"/link", object{"identity_id": ada, "reason": "obvious"})
	h.became(task, "superseded", "the account has an owner now: ada")
	// The rules find it out by themselves.
	h.Must(200, "admin", "POST", "/accounts/"+account+"/reset-correlation", nil)
	task = h.one(kind.AccountCorrelation)
	h.Exec(`update account set email = 'ada@example.com' where id = $1`, account)
	h.Must(200, "admin", "POST", "/accounts/correlation/run", nil)
	h.became(task, "superseded", "the account has an owner now: ada")
	h.Refused(409, "invalid_transition", "admin", "POST", at(task)+"/decide", choice("none_of_these", "", nil))
}

// left makes somebody leave.
func (h *house) left(who string) {
	h.T.Helper()
	h.Exec(`update identity set status = 'deactivated', status_changed_at = now() where id = $1`, who)
}

func TestTheAccountOfSomebodyWhoHasLeftIsAskedAbout(t *testing.T) {
	h := open(t)
	dir, ada := h.system("dir"), h.Person("ada", "")
	account := h.Account(dir, "ada", ada)
	h.Exec(`update account set last_login_at = '2026-03-04T05:06:07Z', privileged = true where id = $1`, account)
	h.none(kind.OrphanAccount)
	h.left(ada)
	if n := h.Count(
		`select count(*) from work_item where kind = 'inbox_orphan_account' and due_at > now() + interval '10 seconds'`,
	); n != 1 {
		t.Errorf("%d turns wait for what rules do first; want 1", n)
	}
	task := h.one(kind.OrphanAccount)
	h.shows(task, "has no active owner", "It belonged to ada, who has left", "last sign-in with it was on 2026-03-04")
	if got := actions(task); got != "link disable delete keep" || task["risk_level"] != "high" ||
		member(task, "context", "reason") != "owner_deactivated" {
		t.Errorf("it takes %s, of risk %v, because %v", got, task["risk_level"], member(task, "context", "reason"))
	}
	h.decide(task, "disable", "she has left", nil)
	if got := h.Strings(
		`select operation || ' ' || created_from || ' ' || note from provisioning_task`,
	); fmt.Sprint(got) != "[disable manual she has left]" {
		t.Errorf("ordered: %v", got)
	}
	h.none(kind.OrphanAccount)
	h.provisioned(`exists (select from account where id = $1 and status = 'disabled')`, account)
	h.sweep()
	h.none(kind.OrphanAccount)
	if h.audited("provisioning.ordered", "admin") != 1 {
		t.Error("the order is not audited")
	}
}

func TestAnOrphanIsNoMatterAnyMoreWhenItsOwnerReturnsOrItIsDisabled(t *testing.T) {
	h := open(t)
	dir, ada := h.system("dir"), h.Person("ada", "")
	account := h.Account(dir, "ada", ada)
	h.left(ada)
	task := h.one(kind.OrphanAccount)
	h.Exec(`update identity set status = 'active' where id = $1`, ada)
	h.became(task, "superseded", "the account has an owner: ada")
	h.left(ada)
	task = h.one(kind.OrphanAccount)
	h.Must(202, "admin", "POST", "/accounts/"+account+"/disable", nil)
	h.became(task, "superseded", "about to be disabled")
	h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/"+h.Strings(`select id::text from provisioning_task`)[0]+"/cancel",
		nil,
	)
	task = h.one(kind.OrphanAccount)
	h.Exec(`update account set status = 'disabled', is_disabled = true where id = $1`, account) // a reading finds it so
	h.became(task, "superseded", "cannot be used any more: it is disabled")
}

func TestTheDaysThatAnAccountMayBeWithoutAnOwnerPass(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	h.Account(dir, "lost", "")
	h.sweep()
	h.none(kind.OrphanAccount)
	h.Exec(`update account set first_seen_at = now() - interval '30 days'`) // as the days pass: nothing tells
	h.none(kind.OrphanAccount)
	h.sweep()
	task := h.one(kind.OrphanAccount)
	h.shows(task, "No owner was found")
	due := task["due_at"]
	h.Exec(
		`insert into work_item (tenant_id, kind, subject) select current_tenant(), 'inbox_orphan_account',
			id from account`,
	)
	if again := h.one(kind.OrphanAccount); again["due_at"] != due || again["version"] != task["version"] {
		t.Errorf(
			"asking again has moved it from %v (%v) to %v (%v)",
			due,
			task["version"],
			again["due_at"],
			again["version"],
		)
	}
	// More days are given, and none: that is heeded at once.
	h.Must(200, "admin", "PUT", "/settings/orphans", object{"after_days": 60})
	h.became(task, "superseded", "")
	h.Must(200, "admin", "PUT", "/settings/orphans", object{"after_days": 0})
	task = h.one(kind.OrphanAccount)
	h.decide(task, "keep", "it is the printer's", nil)
	if got := h.Strings(`select correlation_state from account`)[0]; got != "ignored" {
		t.Errorf("the account is %s", got)
	}
	h.none(kind.OrphanAccount)
}

func TestAnAccountThatIsNobodysOwnIsAskedAboutAtOnce(t *testing.T) {
	h := open(t)
	dir, ada := h.system("dir"), h.Person("ada", "")
	h.Exec(`insert into account (tenant_id, id, connector_id, external_id, username, row_hash, account_type, managed)
		values (current_tenant(), $1, $2, 'svc', 'svc', '', 'service', 'protected')`, newID(), dir)
	task := h.one(kind.OrphanAccount)
	if got := actions(task); got != "link keep" ||
		!strings.Contains(fmt.Sprint(member(task, "context", "cannot")), "protected") {
		t.Errorf("a protected account takes %s: %v", got, member(task, "context", "cannot"))
	}
	h.decide(task, "link", "", object{"identity_id": ada})
	if got := h.Strings(`select identity_id::text from account`)[0]; got != ada {
		t.Errorf("it belongs to %s", got)
	}
	h.left(ada)
	h.one(kind.OrphanAccount)
}

func TestFortyOrphansAreOneDecision(t *testing.T) {
	h := open(t)
	dir := h.system("dir")
	for n := range 40 {
		who := h.Person(fmt.Sprint("p", n), "")
		h.Account(dir, fmt.Sprint("p", n), who)
		h.left(who)
	}
	other := h.Person("other", "")
	h.Account(h.system("crm"), "other", other)
	h.left(other)
	all := h.waiting(kind.OrphanAccount)
	if len(all) != 41 {
		t.Fatalf("%d orphans are asked about; want 41", len(all))
	}
	group := ""
	for _, task := range all {
		if strings.HasPrefix(task["group_key"].(string), kind.OrphanAccount+"/"+dir) {
			group = task["group_key"].(string)
		}
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		tasks+"/bulk-decide",
		object{
			"group_key": group,
			"action":    "keep",
			"comment":   "x",
			"inputs":    object{"until": "yesterday"},
			"ids":       []string{newID()},
		},
	)
	out := h.Must(
		200,
		"admin",
		"POST",
		tasks+"/bulk-decide",
		object{
			"group_key": group,
			"action":    "keep",
			"comment":   "the unit is being closed",
			"inputs":    object{"until": time.Now().AddDate(0, 1, 0).Format(time.DateOnly)},
		},
	)
	if n := h.Count(
		`select count(*) from decision_kept where comment = 'the unit is being closed' and about <> ''`,
	); n != 40 ||
		h.audited("account.kept", "admin") != 40 {
		t.Errorf("%d are kept: %v", n, out.Body)
	}
	h.sweep()
	if left := h.one(kind.OrphanAccount); member(left, "context", "account", "name") != "other" {
		t.Errorf("left is %v", left["title"])
	}
	// The time is over, for one of them: it is asked about again.
	h.Exec(
		`update decision_kept set until = now() - interval '1 second' where source_id = (select id from account
			where username = 'p7')`,
	)
	h.sweep()
	if got := h.waiting(kind.OrphanAccount); len(got) != 2 {
		t.Errorf("%d are asked about when the time is over; want 2", len(got))
	}
}
