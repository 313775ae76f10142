package decision_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// account gives somebody a user, by which they sign in when status is active.
func (h *house) account(identity, status string) {
	h.T.Helper()
	h.Exec(`insert into app_user (tenant_id, id, email, identity_id, status)
		select current_tenant(), gen_random_uuid(), id || '@users.test', id, $2 from identity where id = $1`, identity, status)
}

// worker makes somebody of a name who can sign in.
func (h *house) worker(name, title, department string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into identity (tenant_id, id, external_id, display_name, title, department, email)
		select current_tenant(), $1::text::uuid, $1::text, $2, nullif($3, ''), nullif($4, ''), $1::text || '@acme.test'`, id, name, title, department)
	h.account(id, "active")
	return id
}

// finds are the names that a search tells, as somebody, below a path.
func (h *house) finds(as, path, q string) string {
	h.T.Helper()
	a := h.Must(200, as, "GET", path+"?q="+url.QueryEscape(q), nil)
	var names []string
	for _, i := range a.Items() {
		names = append(names, fmt.Sprint(i["display"]))
	}
	return strings.Join(names, ", ")
}

func TestAColleagueIsFoundByNameAndGivenTheTask(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	zoe := h.worker("Zoë Müller-O'Brien", "Accountant", "Finance")
	id := h.one(question("a", ann))
	path := "/decision-tasks/" + id + "/colleagues"
	for _, q := range []string{"zo", "ZOE", "Zoe\u0308", "müll", "muller zoë", "obr brien zo", " brien "} {
		want := "Zoë Müller-O'Brien"
		if q == "obr brien zo" {
			want = "" // no word of the name begins so
		}
		if got := h.finds("ann", path, q); got != want {
			t.Errorf("%q finds %q; want %q", q, got, want)
		}
	}
	got := h.Must(200, "ann", "GET", path+"?q=zoe", nil)
	want := map[string]any{"id": zoe, "display": "Zoë Müller-O'Brien", "title": "Accountant", "department": "Finance"}
	if fmt.Sprint(got.Items()[0]) != fmt.Sprint(want) || got.Body["more"] != false {
		t.Errorf("told %v; want %v and nothing else", got.Body, want)
	}
	h.Must(200, "ann", "POST", "/decision-tasks/"+id+"/reassign", map[string]any{"to": []any{got.Items()[0]["id"]}, "reason": "she knows"})
	h.Let("zoe", h.Tenant.Tenant, zoe)
	if got := people(h.task("zoe", id)); got != "[Zoë Müller-O'Brien/reassigned] []" {
		t.Errorf("given to %s", got)
	}
}

func TestOnlyWhoCanReceiveATaskIsFound(t *testing.T) {
	h := open(t)
	p := h.staff("Peer Asked", "Peer Subject")
	for i, id := range p {
		h.account(id, "active")
		h.Let([]string{"asked", "subject"}[i], h.Tenant.Tenant, id)
	}
	for name, status := range map[string]string{"Peer Notice": "notice", "Peer Ahead": "pre_hire", "Peer Leave": "on_leave", "Peer Gone": "deactivated", "Peer Past": "archived"} {
		h.Exec(`update identity set status = $2 where id = $1`, h.worker(name, "", ""), status)
	}
	h.Exec(`update identity set kind = 'non_human' where id = $1`, h.worker("Peer Robot", "", ""))
	h.Person("Peer Nouser", "")
	h.account(h.Person("Peer Invited", ""), "invited")
	h.account(h.Person("Peer Disabled", ""), "disabled")
	h.worker("Peer Fine", "", "")
	other := pgtest.Tenant(t, h.DB, "second")
	h.Exec(`update app_user set deleted_at = now() where identity_id = $1`, h.worker("Peer Deleted", "", ""))
	own := h.Tenant
	h.Tenant = other
	h.worker("Peer Elsewhere", "", "")
	h.Tenant = own
	n := question("a", p[0])
	n.NotFor = []string{p[1]}
	path := "/decision-tasks/" + h.one(n) + "/colleagues"
	for _, who := range []string{"asked", "admin"} {
		if got := h.finds(who, path, "peer"); got != "Peer Fine, Peer Notice" {
			t.Errorf("%s finds %s", who, got)
		}
	}
	if got := h.finds("asked", "/decision-tasks/delegations/colleagues", "peer"); got != "Peer Fine, Peer Notice, Peer Subject" {
		t.Errorf("as delegates: %s", got)
	}
}

func TestAUserWithoutARecordWhoNeverDecidesIsNotFoundByOne(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	bob := h.worker("Bob", "", "")
	user := h.Strings(`select id::text from app_user where identity_id = $1`, bob)[0]
	n := question("a", ann)
	n.NotFor = []string{user}
	if got := h.finds("ann", "/decision-tasks/"+h.one(n)+"/colleagues", "bob"); got != "" {
		t.Errorf("found %s, who asked before they had a record", got)
	}
}

func TestWhoMayNotHandATaskOnFindsNobody(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	h.worker("Dora", "", "")
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("outside", pgtest.Tenant(t, h.DB, "second").Tenant, "", viewer.Admin)
	own := question("own", p[0])
	own.Roles, own.NotFor = []string{"resource_owner"}, []string{p[1]}
	fixed := question("fixed", p[0])
	fixed.Fixed = true
	closed := question("closed", p[0])
	ids := h.ask(own, fixed, closed, question("claimed", p[0], p[2]))
	h.Let("bob", h.Tenant.Tenant, p[1], viewer.ResourceOwner)
	h.decide("ann", ids[2], "approve")
	h.Must(200, "cid", "POST", "/decision-tasks/"+ids[3]+"/claim", nil)
	for _, tt := range []struct {
		as, task string
		status   int
		code     string
	}{
		{"cid", ids[0], 404, "not_found"},
		{"outside", ids[0], 404, "not_found"},
		{"ann", uuid.NewString(), 404, "not_found"},
		{"ann", "x", 404, "not_found"},
		{"auditor", ids[0], 403, "read_only_role"},
		{"bob", ids[0], 403, "own_request"},
		{"ann", ids[1], 409, "not_reassignable"},
		{"admin", ids[1], 409, "not_reassignable"},
		{"ann", ids[2], 409, "already_decided"},
		{"ann", ids[3], 409, "claimed_by_another"},
	} {
		path := "/decision-tasks/" + tt.task
		h.Refused(tt.status, tt.code, tt.as, "GET", path+"/colleagues?q=dora", nil)
		h.Refused(tt.status, tt.code, tt.as, "GET", path+"/colleagues", nil)
		h.Refused(tt.status, tt.code, tt.as, "POST", path+"/reassign", map[string]any{"to": []string{p[2]}, "reason": "x"})
	}
	if got := h.finds("admin", "/decision-tasks/"+ids[3]+"/colleagues", "dora"); got != "Dora" {
		t.Errorf("an administrator, of a claimed task: %q", got)
	}
}

func TestServiceTokensLookForNobody(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	id := h.one(question("a", p[0]))
	h.Change("ann", func(v *viewer.Viewer) {
		v.Kind, v.Scopes = viewer.Service, []string{"decision-tasks:read", "decision-tasks:write"}
	})
	for _, path := range []string{"/decision-tasks/" + id + "/colleagues?q=ann", "/decision-tasks/delegations/colleagues?q=ann"} {
		h.Refused(403, "forbidden", "ann", "GET", path, nil)
	}
}

func TestNobodyIsListedByTooLittle(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	h.worker("Percival 100%_sure", "", "")
	id := h.one(question("a", ann))
	for _, path := range []string{"/decision-tasks/" + id + "/colleagues", "/decision-tasks/delegations/colleagues"} {
		for _, q := range []string{"", "p", " p ", "p%", "%%", "__", "*", "--------", "\u200b\u200b"} {
			a := h.Refused(400, "invalid_parameter", "ann", "GET", path+"?q="+url.QueryEscape(q), nil)
			if !strings.Contains(fmt.Sprint(a.Body["errors"]), "parameter:q") {
				t.Errorf("%q points to %v", q, a.Body["errors"])
			}
		}
		h.Refused(400, "unknown_parameter", "ann", "GET", path+"?q=per&limit=500", nil)
		h.Refused(400, "invalid_parameter", "ann", "GET", path+"?q=pe%00", nil)
		h.Refused(400, "invalid_parameter", "ann", "GET", path+"?q="+strings.Repeat("x", 201), nil)
		h.Refused(414, "uri_too_long", "ann", "GET", path+"?q="+strings.Repeat("x", 10_000), nil)
		for q, want := range map[string]string{"%er": "", "p_r": "", "per%": "Percival 100%_sure", "100%_s": "Percival 100%_sure", "' or 1=1": "", strings.Repeat("p", 200): "", "ercival": ""} {
			if got := h.finds("ann", path, q); got != want {
				t.Errorf("%q finds %q; want %q", q, got, want)
			}
		}
	}
}

func TestAnAddressFindsWhomeverHasItAndIsToldOnlyToTellPeopleApart(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	one, two := h.worker("Jan Novak", "Buyer", "Stores"), h.worker("Jan Novak", "Buyer", "Stores")
	h.worker("Jan Novak", "Clerk", "Stores")
	path := "/decision-tasks/" + h.one(question("a", ann)) + "/colleagues"
	h.Exec(`update identity set email = 'Jan.N@acme.test' where id = $1`, one)
	for q, want := range map[string]string{"jan.n@ACME.test": "Jan Novak", "jan.n@acme.tes": "", "jan.n": "Jan Novak, Jan Novak, Jan Novak", "@acme.test": ""} {
		if got := h.finds("ann", path, q); got != want {
			t.Errorf("%q finds %q; want %q", q, got, want)
		}
	}
	told := map[string]any{}
	for _, i := range h.Must(200, "ann", "GET", path+"?q=novak", nil).Items() {
		told[i["id"].(string)] = i["email"]
	}
	if told[one] != "Jan.N@acme.test" || told[two] != two+"@acme.test" || len(told) != 3 {
		t.Errorf("addresses %v", told)
	}
	for id, email := range told {
		if id != one && id != two && email != nil {
			t.Errorf("the clerk is told apart by their title, and %v is told as well", email)
		}
	}
}

func TestTwentyColleaguesAreToldAtMost(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	for i := range 21 {
		h.worker(fmt.Sprintf("Sam %02d", i), "", "")
	}
	path := "/decision-tasks/" + h.one(question("a", ann)) + "/colleagues?q="
	if a := h.Must(200, "ann", "GET", path+"sam", nil); len(a.Items()) != 20 || a.Body["more"] != true || a.Items()[0]["display"] != "Sam 00" {
		t.Errorf("%d, more: %v, first %v", len(a.Items()), a.Body["more"], a.Items()[0])
	}
	if a := h.Must(200, "ann", "GET", path+"sam+1", nil); len(a.Items()) != 10 || a.Body["more"] != false {
		t.Errorf("%d, more: %v", len(a.Items()), a.Body["more"])
	}
}

func TestWhereCertainPeopleAloneMayBeNamedTheyAreListed(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	cid, dan := h.worker("Cid", "", ""), h.worker("Dan", "", "")
	h.worker("Cidra", "", "")
	n := question("a", ann)
	n.ReassignTo = []string{cid, dan}
	path := "/decision-tasks/" + h.one(n) + "/colleagues"
	for q, want := range map[string]string{"": "Cid, Dan", "cid": "Cid"} {
		if got := h.finds("ann", path, q); got != want {
			t.Errorf("%q finds %q; want %q", q, got, want)
		}
	}
	h.Refused(400, "invalid_parameter", "ann", "GET", path+"?q=c", nil)
}

func TestWhoMayDelegateFindsADelegate(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	h.account(p[0], "active")
	h.account(p[1], "active")
	h.Let("nobody", h.Tenant.Tenant, "")
	h.Let("auditor", h.Tenant.Tenant, p[1], viewer.Auditor)
	at := "/decision-tasks/delegations/colleagues"
	if got := h.finds("ann", at, "bob"); got != "bob" {
		t.Errorf("ann finds %q", got)
	}
	if got := h.finds("ann", at, "ann"); got != "" {
		t.Errorf("ann finds herself")
	}
	for delegator, want := range map[string][]string{p[0]: {"bob"}, p[1]: {}} {
		if got := h.Must(200, "admin", "GET", at+"?q=bob&delegator_id="+delegator, nil).Values("display"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("an administrator finds %v; want %v", got, want)
		}
	}
	h.Refused(404, "not_found", "admin", "GET", at+"?q=bob&delegator_id="+uuid.NewString(), nil)
	h.Refused(403, "forbidden", "ann", "GET", at+"?q=bob&delegator_id="+p[1], nil)
	h.Refused(403, "read_only_role", "auditor", "GET", at+"?q=ann", nil)
	h.Refused(400, "invalid_parameter", "nobody", "GET", at+"?q=bob", nil)
}

func TestColleaguesAreFoundAsTheyAreNow(t *testing.T) {
	h := open(t)
	ann := h.staff("ann")[0]
	path := "/decision-tasks/" + h.one(question("a", ann)) + "/colleagues"
	late, wed := h.Person("Late Comer", ""), h.worker("Mia Maiden", "", "")
	found := func(q string) bool { return h.finds("ann", path, q) != "" }
	before := []bool{found("late"), found("maiden"), found("wife")}
	h.account(late, "active")
	h.Exec(`update identity set display_name = 'Mia Wife' where id = $1`, wed)
	after := []bool{found("late"), found("maiden"), found("wife")}
	if !slices.Equal(before, []bool{false, true, false}) || !slices.Equal(after, []bool{true, false, true}) {
		t.Errorf("before %v, after %v", before, after)
	}
	h.Exec(`update app_user set identity_id = null where identity_id = $1`, late)
	h.Exec(`delete from app_user where identity_id = $1`, wed)
	if n := h.Count(`select count(*) from decision_colleague_word`); n != 0 {
		t.Errorf("%d words of people without a user are kept", n)
	}
}
