package directory_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// walk collects one member of all rows of a list by cursor, and calls between after each page.
func walk(h *recordtest.House, as, path string, member string, between func()) (values []string, total float64) {
	h.T.Helper()
	cursor := ""
	for {
		page := h.Must(200, as, "GET", path+cursor, nil)
		for _, value := range page.Values(member) {
			values = append(values, fmt.Sprint(value))
		}
		total, _ = page.Body["total"].(float64)
		if page.Body["next_cursor"] == nil {
			return values, total
		}
		cursor = "&cursor=" + page.Text("next_cursor")
		between()
	}
}

func TestEveryOrderIsWalkedCompletelyInBothDirections(t *testing.T) {
	h := open(t)
	for i := range 23 {
		more := map[string]any{"last_name": string(rune('a' + i%4)), "department": []any{nil, "Sales", "IT"}[i%3]}
		hire(h, fmt.Sprintf("p%02d", i), more)
	}
	for _, sort := range []string{"created_at", "display_name", "last_name", "email", "department"} {
		up, total := walk(h, "admin", "/identities?limit=5&sort="+sort, "id", func() {})
		down, _ := walk(h, "admin", "/identities?limit=5&sort=-"+sort, "id", func() {})
		slices.Reverse(down)
		if diff := cmp.Diff(
			up,
			down,
		); diff != "" || len(up) != 23 || total != 23 ||
			len(slices.Compact(slices.Sorted(slices.Values(up)))) != 23 {
			t.Errorf("%s: %d rows of %v; -up +down reversed\n%s", sort, len(up), total, diff)
		}
		member := sort
		keys, _ := walk(h, "admin", "/identities?limit=500&sort="+sort, member, func() {})
		for i := range keys {
			keys[i] = strings.TrimPrefix(keys[i], "<nil>") // null sorts like an empty text
		}
		if !slices.IsSorted(keys) {
			t.Errorf("%s is not sorted: %v", sort, keys)
		}
	}
	far := h.Must(200, "admin", "GET", "/identities?offset=100&limit=5", nil)
	if far.Body["total"] != 23.0 || len(far.Items()) != 0 || far.Body["offset"] != 100.0 {
		t.Errorf("beyond the end: %v", far.Body)
	}
}

func TestFiltersNarrowAndTotalsAgree(t *testing.T) {
	h := open(t)
	boss := hire(h, "boss", map[string]any{"department": "Board"}).Text("id")
	hire(
		h,
		"ada",
		map[string]any{
			"department":          "R&D, 100%",
			"manager_external_id": "boss",
			"employee_number":     "007",
			"username":            "Countess",
		},
	)
	gone := hire(h, "gone", map[string]any{"department": "R&D, 100%"}).Text("id")
	h.Must(200, "admin", "POST", "/identities/"+gone+"/deactivate", `{"reason":"left"}`)
	h.Must(
		201,
		"admin",
		"POST",
		"/identities",
		map[string]any{"external_id": "robot", "kind": "non_human", "sponsor_id": boss, "backup_owner_id": boss},
	)
	for query, want := range map[string][]string{
		"":                             {"boss", "ada", "gone", "robot"},
		"department=R%26D%2C%20100%25": {"ada", "gone"},
		"status=deactivated":           {"gone"},
		"department_like=bOar":         {"boss"},
		"department_like=100%25%20r":   {"ada", "gone"},
		"department_like=_":            nil,
		"status=active,deactivated&kind=human&sort=-created_at": {"gone", "ada", "boss"},
		"kind=non_human":                       {"robot"},
		"manager_id=" + boss:                   {"ada"},
		"ids=" + gone + "," + boss:             {"boss", "gone"},
		"email=ADA@example.com":                {"ada"},
		"external_id=ada":                      {"ada"},
		"employee_number=007":                  {"ada"},
		"q=COUNT":                              {"ada"},
		"q=%25":                                nil,
		"q=ada%20Per":                          {"ada"},
		"updated_since=2999-01-01T00:00:00Z":   nil,
		"updated_since=2000-01-01T00:00:00Z":   {"boss", "ada", "gone", "robot"},
		"source_connector_id=" + ldap:          nil,
		"department=Board&status=deactivated":  nil,
		"department=Board&email=ada@example.x": nil,
	} {
		got, total := walk(h, "admin", "/identities?limit=2&"+query, "external_id", func() {})
		if diff := cmp.Diff(want, got); diff != "" || int(total) != len(want) {
			t.Errorf("%s: total %v; -want +got\n%s", query, total, diff)
		}
	}
	for _, query := range []string{"status=great", "manager_id=x", "ids=x", "sort=salary", "departement=IT",
		"kind=alien", "updated_since=yesterday"} {
		if a := h.Call("admin", "GET", "/identities?"+query, nil); a.Status != 400 {
			t.Errorf("%s: got %d %v; want 400", query, a.Status, a.Body)
		}
	}
}

func TestDepartmentsAreSuggested(t *testing.T) {
	h := open(t)
	for id, department := range map[string]string{"a": "Santé", "b": "Santé", "c": "Sales, 100%", "d": ""} {
		hire(h, id, map[string]any{"department": department})
	}
	archived := hire(h, "e", map[string]any{"department": "Sales, 100%"}).Text("id")
	h.Must(200, "admin", "POST", "/identities/"+archived+"/deactivate", `{"reason":"left"}`)
	h.Must(204, "admin", "DELETE", "/identities/"+archived, nil)
	for query, want := range map[string][]any{
		"": {map[string]any{"name": "Santé", "identities": 2.0},
			map[string]any{"name": "Sales, 100%", "identities": 1.0}},
		"?q=sante":  {map[string]any{"name": "Santé", "identities": 2.0}},
		"?q=100%25": {map[string]any{"name": "Sales, 100%", "identities": 1.0}},
		"?q=_":      {},
	} {
		got := h.Must(200, "admin", "GET", "/identities/departments"+query, nil)
		if diff := cmp.Diff(want, got.Body["items"]); diff != "" {
			t.Errorf("%s: -want +got\n%s", query, diff)
		}
	}
}

func TestSearchIgnoresAccentsCaseAndTheOrderOfWords(t *testing.T) {
	h := open(t)
	for id, name := range map[string]string{
		"mueller": "Anna Müller", "fournier": "Aurélie Fournier", "strasse": "Łukasz Großmann",
		"nguyen": "Nguyễn Thị Hoa", "ivan": "Иван Петров",
		"oersted": "Ørsted Ægir", "marsh": "Charlotte Marsh",
	} {
		hire(h, id, map[string]any{"display_name": name, "first_name": "", "last_name": ""})
	}
	for query, want := range map[string][]string{
		"anna muller":       {"mueller"},
		"MÜLLER, Anna":      {"mueller"},
		"Anna Mu\u0308ller": {"mueller"},
		"fournier aurelie":  {"fournier"},
		"marsh charlotte":   {"marsh"},
		"marsh anna":        nil,
		"lukasz grossmann":  {"strasse"},
		"Großmann":          {"strasse"},
		"nguyen hoa":        {"nguyen"},
		"ПЕТРОВ иван":       {"ivan"},
		"aegir orsted":      {"oersted"},
		"%":                 nil,
		"_":                 nil,
		`\`:                 nil,
	} {
		got, total := walk(h, "admin", "/identities?limit=2&q="+url.QueryEscape(query), "external_id", func() {})
		if diff := cmp.Diff(want, got); diff != "" || int(total) != len(want) {
			t.Errorf("%q: total %v; -want +got\n%s", query, total, diff)
		}
	}
}

func TestAWalkSeesWhatStaysExactlyOnceWhileOthersComeAndGo(t *testing.T) {
	h := open(t)
	stay := map[string]bool{}
	var leave []string
	for i := range 60 {
		id := h.Person(fmt.Sprintf("p%03d", i), "")
		if i%3 == 0 {
			leave = append(leave, id)
		} else {
			stay[id] = true
		}
	}
	seen, n := map[string]int{}, 0
	ids, _ := walk(h, "admin", "/identities?limit=7&sort=display_name", "id", func() {
		for range 2 {
			h.Person(fmt.Sprintf("p%03d-new", n*5), "")
			h.Exec(`delete from identity where id = $1`, leave[n%len(leave)])
			n++
		}
	})
	for _, id := range ids {
		seen[id]++
	}
	for id := range stay {
		if seen[id] != 1 {
			t.Errorf("%s was seen %d times; want once", id, seen[id])
		}
	}
}

func TestReportsEndInACircleOfManagers(t *testing.T) {
	h := open(t)
	a := h.Person("a", "")
	b := h.Person("b", a)
	c := h.Person("c", b)
	h.Person("d", c)
	h.Exec(`update identity set manager_id = $1 where id = $2`, c, a)
	for path, want := range map[string][]string{"/reports": {"b"}, "/reports?indirect=true": {"b", "c", "d"}} {
		list := h.Must(200, "admin", "GET", "/identities/"+a+path, nil)
		got := []string{}
		for _, value := range list.Values("external_id") {
			got = append(got, fmt.Sprint(value))
		}
		if diff := cmp.Diff(want, got); diff != "" || list.Body["total"] != float64(len(want)) {
			t.Errorf("%s: total %v; -want +got\n%s", path, list.Body["total"], diff)
		}
	}
	h.Let("b", h.Tenant.Tenant, b, viewer.Manager)
	if got := h.Must(200, "b", "GET", "/identities/"+a+"/reports", nil); got.Body["total"] != 0.0 {
		t.Errorf("b sees %v reports of their own report a; want none, as b is not their own report", got.Body["total"])
	}
}

func TestOnesOwnRecordIsOnesOwnWithoutAnyRole(t *testing.T) {
	h := open(t)
	me, other := h.Person("me", ""), h.Person("other", "")
	h.Let("me", h.Tenant.Tenant, me)
	h.Let("unlinked", h.Tenant.Tenant, "")
	if got := h.Must(200, "me", "GET", "/identities/me?expand=accounts", nil); got.Text("id") != me {
		t.Errorf("got %v; want the own record", got.Body)
	}
	if got := h.Must(200, "me", "GET", "/identities", nil); got.Body["total"] != 0.0 || len(got.Items()) != 0 {
		t.Errorf("without a role the list shows %v", got.Body)
	}
	h.Refused(404, "not_found", "me", "GET", "/identities/"+other, nil)
	h.Refused(404, "no_identity", "unlinked", "GET", "/identities/me", nil)
	h.Refused(403, "forbidden", "me", "PATCH", "/identities/"+me, `{"title":"Boss"}`)
}

func TestASearchKnowsNeitherCaseNorAccentsNorTheOrderOfWords(t *testing.T) {
	h := open(t)
	for ext, name := range map[string]string{"1": "Anna Müller", "2": "Aurélie Fournier", "3": "Charlotte Marsh",
		"4": "Jörg Strauß", "5": "Bjørn Łukasz", "6": "Mueller Peter"} {
		h.Exec(`update identity set display_name = $2 where id = $1`, h.Person("p"+ext, ""), name)
	}
	for q, want := range map[string]string{
		"anna muller": "Anna Müller", "MÜLLER anna": "Anna Müller", "mueller anna": "Anna Müller",
		"marsh charlotte":  "Charlotte Marsh",
		"fournier aurelie": "Aurélie Fournier", "strauss": "Jörg Strauß", "joerg": "Jörg Strauß",
		"bjorn lukasz": "Bjørn Łukasz", "müller pet": "Mueller Peter",
		"anna fournier": "",
	} {
		var got []string
		for _, i := range h.Must(200, "admin", "GET", "/identities?q="+url.QueryEscape(q), nil).Items() {
			got = append(got, i["display_name"].(string))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q finds %q; want %q", q, got, want)
		}
	}
}
