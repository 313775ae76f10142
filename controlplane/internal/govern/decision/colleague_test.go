package decision_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// account gives somebody a user, by which they sign in when status is active.
func (h *house) account(identity, status string) {
	h.T.Helper()
	h.Exec(`insert into app_user (tenant_id, id, email, identity_id, status)
		select current_tenant(), gen_random_uuid(), id || '@users.test', id,
		    $2 from identity where id = $1`, identity, status)
}

// worker makes somebody of a name who can sign in.
func (h *house) worker(name, title, department string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into identity (tenant_id, id, external_id, display_name, title, department, email)
		select current_tenant(), $1::text::uuid, $1::text, $2, nullif($3, ''), nullif($4, ''),
		    $1::text || '@acme.test'`, id, name, title, department)
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
	for _, q := range []string{"zo", "ZOE", "Zoe\u0308", "müll", "muller zoë", "Mueller", "obr brien zo", " brien "} {
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
	h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/"+id+"/reassign",
		map[string]any{"to": []any{got.Items()[0]["id"]}, "reason": "she knows"},
	)
	h.Let("zoe", h.Tenant.Tenant, zoe)
	if got := people(h.task("zoe", id)); got != "[Zoë Müller-O'Brien/reassigned] []" {
		t.Errorf("given to %s", got)
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
		for q, want := range map[string]string{"%er": "", "p_r": "", "per%": "Percival 100%_sure",
			"100%_s": "Percival 100%_sure", "' or 1=1": "", strings.Repeat("p", 200): "", "ercival": ""} {
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
	for q, want := range map[string]string{"jan.n@ACME.test": "Jan Novak", "jan.n@acme.tes": "",
		"jan.n": "Jan Novak, Jan Novak, Jan Novak", "@acme.test": ""} {
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
	if a := h.Must(
		200,
		"ann",
		"GET",
		path+"sam",
		nil,
	); len(a.Items()) != 20 || a.Body["more"] != true ||
		a.Items()[0]["display"] != "Sam 00" {
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
