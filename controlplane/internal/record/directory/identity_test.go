package directory_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

const ldap = "0197a000-0000-7000-8000-000000000001"

func open(t *testing.T) *recordtest.House {
	t.Helper()
	return recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&directory.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})
}

func TestTheSpecifiedPayloadMakesAnIdentity(t *testing.T) {
	h := open(t)
	boss := h.Person("E-0007", "")
	a := h.Must(201, "admin", "POST", "/identities", `{
		"external_id": "E-1001", "email": "ada.lovelace@example.com", "first_name": "Ada", "last_name": "Lovelace",
		"department": "Finance", "manager_external_id": "E-0007", "favourite_colour": "green"}`)
	want := map[string]any{
		"external_id":        "E-1001",
		"email":              "ada.lovelace@example.com",
		"display_name":       "Ada Lovelace",
		"department":         "Finance",
		"manager_id":         boss,
		"manager_unresolved": false,
		"status":             "active",
		"kind":               "human",
		"is_disabled":        false,
		"version":            1.0,
		"title":              nil,
	}
	for name, value := range want {
		if diff := cmp.Diff(value, a.Body[name]); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	id := a.Text("id")
	if a.Header.Get("Location") != "/api/v1/identities/"+id || a.Header.Get("ETag") != `"1"` ||
		a.Header.Get("Ignored-Fields") != `"favourite_colour"` {
		t.Errorf("headers: %v", a.Header)
	}
	read := h.Must(200, "admin", "GET", "/identities/"+id+"?expand=manager,accounts,grants", nil)
	if diff := cmp.Diff(map[string]any{"id": boss, "display": "E-0007"}, read.Body["manager"]); diff != "" {
		t.Errorf("manager: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"accounts": 0.0, "grants": 0.0}, read.Body["counts"]); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
	if got := h.Strings(
		`select action from audit_event where subject_id = $1`,
		id,
	); len(got) != 1 ||
		got[0] != "identity.created" {
		t.Errorf("audited %v; want identity.created", got)
	}
}
