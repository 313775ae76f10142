package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/history"
)

const system = "00000000-0000-7000-8000-00000000c001"

// house serves people, what they hold, and what was.
type house struct{ *recordtest.House }

func open(t testing.TB) house {
	t.Helper()
	return house{recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		people := &directory.Service{DB: db, Cursors: cursors, Now: time.Now}
		rights := &access.Service{DB: db, Cursors: cursors, Now: time.Now}
		past := &history.Service{DB: db, Cursors: cursors, Now: time.Now}
		return append(append(people.Routes(), rights.Routes()...), past.Routes()...)
	})}
}

// now is an instant between what was done and what will be.
func (h house) now() string {
	return h.Strings(`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)[0]
}

// texts are what a timeline tells, as event: text.
func (h house) texts(as, path string) []string {
	h.T.Helper()
	var all []string
	for _, e := range h.Must(200, as, "GET", path, nil).Items() {
		all = append(all, fmt.Sprintf("%s: %s", e["event"], e["text"]))
	}
	return all
}

func (h house) tells(as, path string, want ...string) {
	h.T.Helper()
	got := h.texts(as, path)
	got = append([]string{}, got...)
	for i := 0; i+1 < len(got); i++ { // the two are of one instant, in no order
		if strings.HasPrefix(got[i], "account.known") && strings.HasPrefix(got[i+1], "account.came") {
			got[i], got[i+1] = got[i+1], got[i]
		}
	}
	for i, w := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], w) {
			h.T.Errorf(
				"%s as %s tells\n\t%s\nwant\n\t%s",
				path,
				as,
				strings.Join(got, "\n\t"),
				strings.Join(want, "\n\t"),
			)
			return
		}
	}
	if len(got) != len(want) {
		h.T.Errorf(
			"%s as %s tells %d events more:\n\t%s",
			path,
			as,
			len(got)-len(want),
			strings.Join(got[len(want):], "\n\t"),
		)
	}
}

func TestTimelineOfAPersonTellsWhatHappenedInPlainWords(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	account := h.Account(system, "ann01", ann)
	staff := h.Entitlement(system, "staff")
	grant := h.Grant(system, account, staff)
	h.Must(200, "admin", "PATCH", "/identities/"+ann, `{"department":"Sales"}`)
	h.Exec(`update account set status = 'disabled', is_disabled = true where id = $1`, account)
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, grant)
	h.Must(200, "admin", "POST", "/identities/"+ann+"/deactivate", `{"reason":"she left"}`)
	h.tells(
		"admin",
		"/identities/"+ann+"/timeline",
		"identity.deactivated: An identity was deactivated",
		"person.changed: Became deactivated, and was active; status reason became she left; last working at became",
		`grant.lost: Lost "staff" of the account "ann01": it was revoked.`,
		`account.changed: The account "ann01": became disabled, and was active; is disabled became yes.`,
		"identity.updated: An identity's attributes were updated",
		"person.changed: Department became Sales.",
		`grant.gained: Gained "staff" with the account "ann01", directly.`,
		`account.came: The account "ann01" came to ann.`,
		`account.known: The account "ann01" became known here as active.`,
		"person.known: Became known here as active.",
	)
	e := h.Must(200, "admin", "GET", "/identities/"+ann+"/timeline?kind=audit", nil).Items()[0]
	if who := e["who"].(map[string]any); who["display"] != "admin" || strings.Contains(fmt.Sprint(e), `ip:`) {
		t.Errorf("the entry says %v; want the admin, and no address", e)
	}
	h.tells(
		"admin",
		"/accounts/"+account+"/history?kind=account",
		`account.changed: The account "ann01": became disabled`,
		`account.came:`,
		`account.known: The account "ann01" became known here as active.`,
	)
	h.tells("admin", "/entitlements/grants/"+grant+"/timeline?kind=grant", "grant.lost", "grant.gained")
	var walked []any
	for next, n := "", 0; n < 20; n++ {
		page := h.Must(200, "admin", "GET", "/identities/"+ann+"/timeline?limit=2"+next, nil)
		if total := page.Body["total"]; total != 10.0 {
			t.Fatalf("total %v; want 10", total)
		}
		walked = append(walked, page.Values("id")...)
		if page.Body["next_cursor"] == nil {
			break
		}
		next = "&cursor=" + page.Text("next_cursor")
	}
	whole := h.Must(200, "admin", "GET", "/identities/"+ann+"/timeline", nil).Values("id")
	if fmt.Sprint(walked) != fmt.Sprint(whole) {
		t.Errorf("page by page %v; want %v", walked, whole)
	}
}

func TestTimelinesTellEachViewerWhatTheyMaySee(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	ann, owner := h.Person("ann", boss), h.Person("owner", "")
	account := h.Account(system, "ann01", ann)
	staff, secret := h.Entitlement(system, "staff", owner), h.Entitlement(system, "secret")
	held, hidden := h.Grant(system, account, staff), h.Grant(system, account, secret)
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, hidden)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("ann", h.Tenant.Tenant, ann)
	h.Let("stranger", h.Tenant.Tenant, h.Person("stranger", ""), viewer.Manager)
	for _, as := range []string{"admin", "auditor", "boss", "ann"} {
		h.tells(as, "/identities/"+ann+"/timeline?kind=grant", "grant.lost", "grant.gained", "grant.gained")
	}
	h.tells("owner", "/identities/"+ann+"/timeline?kind=grant", `grant.gained: Gained "staff"`)
	h.tells("owner", "/entitlements/grants/"+held+"/timeline?kind=grant", "grant.gained")
	for _, path := range []string{"/identities/" + ann + "/timeline", "/accounts/" + account + "/history",
		"/entitlements/grants/" + held + "/timeline"} {
		h.Refused(404, "not_found", "stranger", "GET", path, nil)
	}
	h.Refused(404, "not_found", "owner", "GET", "/entitlements/grants/"+hidden+"/timeline", nil)
	h.tells("boss", "/entitlements/grants/"+hidden+"/timeline?kind=grant", "grant.lost", "grant.gained")

	bob := h.Person("bob", "")
	h.Exec(`update account set identity_id = $2 where id = $1`, account, bob)
	h.Let("bob", h.Tenant.Tenant, bob)
	for _, e := range h.texts("bob", "/accounts/"+account+"/history") {
		if strings.Contains(e, "ann's") || strings.HasPrefix(e, "grant") || strings.Contains(e, "came to ann") {
			t.Errorf("bob is told of ann: %s", e)
		}
	}
}

func TestPeopleAndTimesAreCompared(t *testing.T) {
	h := open(t)
	ann, bob := h.Person("ann", ""), h.Person("bob", "")
	a, b := h.Account(system, "ann01", ann), h.Account(system, "bob01", bob)
	staff, admins, mail := h.Entitlement(
		system,
		"staff",
	), h.Entitlement(
		system,
		"admins",
	), h.Entitlement(
		system,
		"mail",
	)
	was := h.Grant(system, a, mail)
	h.Grant(system, a, staff)
	h.Grant(system, b, staff)
	h.Grant(system, b, admins)
	before := h.now()
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, was)
	h.Grant(system, a, admins)
	names := func(list any) (all []string) {
		for _, x := range list.([]any) {
			all = append(all, x.(map[string]any)["entitlement"].(map[string]any)["display"].(string))
		}
		return all
	}
	check := func(path string, both, first, second string) {
		t.Helper()
		e := h.Must(200, "admin", "GET", path, nil).Body["entitlements"].(map[string]any)
		got := fmt.Sprint(names(e["both"]), names(e["first_only"]), names(e["second_only"]))
		if want := fmt.Sprint(strings.Fields(both), strings.Fields(first), strings.Fields(second)); got != want {
			t.Errorf("%s: got %s; want %s", path, got, want)
		}
	}
	check("/identities/"+ann+"/compare?with="+bob, "admins staff", "", "")
	check("/identities/"+ann+"/compare?with="+bob+"&to="+before, "staff", "mail", "admins")
	check("/identities/"+ann+"/compare?from="+before, "staff", "mail", "admins")
	h.Refused(400, "invalid_parameter", "admin", "GET", "/identities/"+ann+"/compare", nil)
	h.Refused(400, "invalid_parameter", "admin", "GET", "/identities/"+ann+"/compare?with="+bob+"&from="+before, nil)
	h.Refused(422, "instant_in_future", "admin", "GET", "/identities/"+ann+"/compare?from=2300-01-01", nil)
	h.Refused(
		404,
		"not_found",
		"admin",
		"GET",
		"/identities/"+ann+"/compare?with=00000000-0000-7000-8000-00000000dead",
		nil,
	)
	h.Let("ann", h.Tenant.Tenant, ann)
	h.Refused(404, "not_found", "ann", "GET", "/identities/"+ann+"/compare?with="+bob, nil)
	h.Must(200, "ann", "GET", "/identities/"+ann+"/compare?from="+before, nil)
}

func TestThePersonsTimelineHasTheGrantsThatAnAccountHeldWhenItWasLinked(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	first, second := h.Account(system, "ann01", ""), h.Account("00000000-0000-7000-8000-00000000c002", "ann02", "")
	staff, power := h.Entitlement(system, "staff"), h.Entitlement("00000000-0000-7000-8000-00000000c002", "power")
	h.Grant(system, first, staff)
	h.Grant("00000000-0000-7000-8000-00000000c002", second, power)
	h.Exec(`update account set identity_id = $1, correlation_state = 'linked'`, ann)
	told := strings.Join(h.texts("admin", "/identities/"+ann+"/timeline"), "\n")
	for _, name := range []string{"staff", "power"} {
		if !strings.Contains(told, "grant.gained: Gained "+name) &&
			!strings.Contains(told, `grant.gained: Gained "`+name) {
			t.Errorf("the timeline does not say that ann gained %s:\n%s", name, told)
		}
	}
	h.Exec(`update account set identity_id = null, correlation_state = 'uncorrelated' where id = $1`, first)
	if told := strings.Join(
		h.texts("admin", "/identities/"+ann+"/timeline"),
		"\n",
	); strings.Count(
		told,
		"grant.lost",
	) != 1 {
		t.Errorf("the timeline does not say that ann lost what the account held:\n%s", told)
	}
}
