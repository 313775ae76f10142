package directory_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// hire creates a person through the API.
func hire(h *recordtest.House, externalID string, more map[string]any) recordtest.Answer {
	h.T.Helper()
	body := map[string]any{
		"external_id": externalID,
		"email":       externalID + "@example.com",
		"first_name":  externalID,
		"last_name":   "Person",
	}
	for name, value := range more {
		body[name] = value
	}
	return h.Must(201, "admin", "POST", "/identities", body)
}

func TestWhatCannotBeStoredIsRefusedWithItsReason(t *testing.T) {
	h := open(t)
	hire(h, "taken", nil)
	for _, tt := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"no external_id", `{"email":"a@example.com"}`, 422, "validation_failed"},
		{"no email", `{"external_id":"a"}`, 422, "validation_failed"},
		{"empty email", `{"external_id":"a","email":" "}`, 422, "validation_failed"},
		{"no address", `{"external_id":"a","email":"Ada <a@example.com>"}`, 422, "validation_failed"},
		{"taken external_id", `{"external_id":"taken","email":"a@example.com"}`, 409, "duplicate_external_id"},
		{"taken email, other case", `{"external_id":"a","email":"TAKEN@example.com"}`, 409, "duplicate_email"},
		{"their own manager", `{"external_id":"a","email":"a@example.com","manager_external_id":"a"}`, 422,
			"self_manager"},
		{"the server's status", `{"external_id":"a","email":"a@example.com","status":"active"}`, 422,
			"read_only_field"},
		{"the server's manager_id", `{"external_id":"a","email":"a@example.com","manager_id":null}`, 422,
			"read_only_field"},
		{"no date", `{"external_id":"a","email":"a@example.com","hire_date":"01.02.2026"}`, 422, "validation_failed"},
		{"unknown employment", `{"external_id":"a","email":"a@example.com","employment_type":"friend"}`, 422,
			"validation_failed"},
		{"a machine without a sponsor", `{"external_id":"a","kind":"non_human"}`, 422, "validation_failed"},
		{"an unknown sponsor", `{"external_id":"a","email":"a@example.com",` +
			`"sponsor_id":"0197a000-0000-7000-8000-00000000dead"}`, 422, "validation_failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := h.Refused(tt.status, tt.code, "admin", "POST", "/identities", tt.body)
			if errors, _ := a.Body["errors"].([]any); len(errors) == 0 && tt.code != "read_only_field" {
				t.Errorf("the answer points nowhere: %v", a.Body)
			}
		})
	}
}

func TestAnArchivedIdentityFreesItsNames(t *testing.T) {
	h := open(t)
	first := hire(h, "ada", nil).Text("id")
	h.Must(204, "admin", "DELETE", "/identities/"+first, nil)
	second := hire(h, "ada", nil)
	if second.Text("id") == first {
		t.Error("the same identity came back")
	}
	h.Refused(409, "identity_archived", "admin", "PATCH", "/identities/"+first, `{"title":"x"}`)
	list := h.Must(200, "admin", "GET", "/identities", nil)
	archived := h.Must(200, "admin", "GET", "/identities?status=archived,active", nil)
	if list.Body["total"] != 1.0 || archived.Body["total"] != 2.0 {
		t.Errorf("got %v and, archived ones too, %v; want 1 and 2", list.Body["total"], archived.Body["total"])
	}
}

func TestAPatchClearsWithNullAndKeepsWhatIsAbsent(t *testing.T) {
	h := open(t)
	made := hire(h, "ada", map[string]any{"department": "Finance", "title": "Analyst", "hire_date": "2024-02-29",
		"attributes": map[string]any{"floor": 3, "badge": "x"}, "secondary_emails": []string{"a@example.org"}})
	at := "/identities/" + made.Text("id")
	a := h.Must(
		200,
		"admin",
		"PATCH",
		at,
		`{"title":null,"department":"Sales","attributes":{"badge":null,"desk":"B2"},"nick":"x"}`,
		"If-Match",
		`"1"`,
		"Content-Type",
		"application/merge-patch+json",
	)
	for name, want := range map[string]any{"title": nil, "department": "Sales", "hire_date": "2024-02-29",
		"version":    2.0,
		"attributes": map[string]any{"floor": 3.0, "desk": "B2"}, "secondary_emails": []any{"a@example.org"},
		"email": "ada@example.com"} {
		if diff := cmp.Diff(want, a.Body[name]); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	if a.Header.Get("Ignored-Fields") != `"nick"` || a.Header.Get("ETag") != `"2"` {
		t.Errorf("headers: %v", a.Header)
	}
	if same := h.Must(200, "admin", "PATCH", at, `{"department":"Sales"}`); same.Header.Get("ETag") != `"2"` {
		t.Errorf("a patch that changes nothing made version %s", same.Header.Get("ETag"))
	}
	h.Refused(412, "precondition_failed", "admin", "PATCH", at, `{"title":"x"}`, "If-Match", `"1"`)
	h.Refused(412, "precondition_failed", "admin", "PATCH", at, `{"title":"x"}`, "If-Match", `W/"2"`)
	h.Refused(422, "validation_failed", "admin", "PATCH", at, `{"email":null}`)
	h.Refused(422, "read_only_field", "admin", "PATCH", at, `{"external_id":"eve"}`)
	h.Refused(422, "self_manager", "admin", "PATCH", at, `{"manager_external_id":"ada"}`)
	h.Refused(404, "not_found", "admin", "PATCH", "/identities/me-too", `{"title":"x"}`)
	got := h.Strings(`select format('%s: %s -> %s', c ->> 'field', c ->> 'before', c ->> 'after')
		from audit_event, json_array_elements(event::json -> 'changes') c where action = 'identity.updated'
		    and c ->> 'field' <> 'attributes' order by 1`)
	if diff := cmp.Diff([]string{"department: Finance -> Sales", "title: Analyst -> "}, got); diff != "" {
		t.Errorf("audited: -want +got\n%s", diff)
	}
}

func TestOfManyPatchesWithOneETagOneWins(t *testing.T) {
	h := open(t)
	at := "/identities/" + hire(h, "ada", nil).Text("id")
	statuses := make([]int, 20)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() {
			a, err := h.Try("admin", "PATCH", at, map[string]any{"title": string(rune('a' + i))}, "If-Match", `"1"`)
			if err != nil {
				t.Error(err)
			}
			statuses[i] = a.Status
		})
	}
	wg.Wait()
	got := map[int]int{}
	for _, status := range statuses {
		got[status]++
	}
	if diff := cmp.Diff(map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: 19}, got); diff != "" {
		t.Errorf("statuses: -want +got\n%s", diff)
	}
	if a := h.Must(200, "admin", "GET", at, nil); a.Body["version"] != 2.0 {
		t.Errorf("version %v; want 2", a.Body["version"])
	}
}

func TestAPersonMovesAsTheStatesAllow(t *testing.T) {
	h := open(t)
	soon := time.Now().UTC().AddDate(0, 0, 7)
	later := hire(h, "later", map[string]any{"start_date": soon.Format(time.DateOnly)})
	if later.Text("status") != "pre_hire" {
		t.Errorf("a start date next week gives %s; want pre_hire", later.Text("status"))
	}
	at := "/identities/" + hire(h, "ada", nil).Text("id")
	refused := h.Refused(409, "invalid_transition", "admin", "POST", at+"/reactivate", nil)
	if diff := cmp.Diff([]any{"on_leave", "notice", "deactivated"}, refused.Body["allowed"]); diff != "" {
		t.Errorf("allowed: -want +got\n%s", diff)
	}
	h.Refused(422, "validation_failed", "admin", "POST", at+"/deactivate", `{}`)
	for _, step := range []struct {
		action string
		body   any
		want   string
	}{
		{"/deactivate", map[string]any{"reason": "leaves", "effective_at": soon}, "notice"},
		{"/deactivate", map[string]any{"reason": "leaves later", "effective_at": soon.AddDate(0, 1, 0)}, "notice"},
		{"/reactivate", map[string]any{"reason": "stays"}, "active"},
		{"/deactivate", map[string]any{"reason": "left"}, "deactivated"},
		{"/reactivate", nil, "active"},
		{"/deactivate", map[string]any{"reason": "left"}, "deactivated"},
	} {
		if a := h.Must(200, "admin", "POST", at+step.action, step.body); a.Text("status") != step.want {
			t.Errorf("%s gave %s; want %s", step.action, a.Text("status"), step.want)
		}
	}
	gone := h.Must(200, "admin", "GET", at, nil)
	if gone.Body["is_disabled"] != true || gone.Text("status_reason") != "left" || gone.Body["last_working_at"] == nil {
		t.Errorf("got %v", gone.Body)
	}
	h.Refused(409, "invalid_transition", "admin", "POST", at+"/deactivate", `{"reason":"again"}`)
	h.Refused(412, "precondition_failed", "admin", "POST", at+"/reactivate", nil, "If-Match", `"1"`)
	h.Must(204, "admin", "DELETE", at, nil)
	h.Must(204, "admin", "DELETE", at, nil)
	h.Refused(409, "invalid_transition", "admin", "POST", at+"/reactivate", nil)
}

func TestArchivingAsksAboutLiveAccounts(t *testing.T) {
	h := open(t)
	id := h.Person("ada", "")
	account := h.Account(ldap, "ada", id)
	a := h.Refused(409, "has_live_accounts", "admin", "DELETE", "/identities/"+id, nil)
	if a.Body["live_accounts"] != 1.0 {
		t.Errorf("live_accounts = %v; want 1", a.Body["live_accounts"])
	}
	h.Must(204, "admin", "DELETE", "/identities/"+id+"?force=true", nil)
	left := h.Must(200, "admin", "GET", "/accounts/"+account, nil)
	if left.Body["orphaned"] != true || left.Text("orphan_reason") != "owner_archived" {
		t.Errorf("got %v %v; want it orphaned", left.Body["orphaned"], left.Body["orphan_reason"])
	}
}

func TestDatesThatHaveComeMovePeople(t *testing.T) {
	h := open(t)
	now := time.Now().UTC()
	starter := hire(h, "starter", map[string]any{"start_date": now.AddDate(0, 0, 1).Format(time.DateOnly)}).Text("id")
	leaver := hire(h, "leaver", nil).Text("id")
	h.Must(
		200,
		"admin",
		"POST",
		"/identities/"+leaver+"/deactivate",
		map[string]any{"reason": "leaves", "effective_at": now.Add(time.Hour)},
	)
	apply := func(at time.Time) (due action.Due) {
		ctx := context.Background()
		if err := h.DB.As(
			ctx,
			h.Tenant,
			func(tx *pg.Tx) (err error) { due, err = action.ApplyDue(ctx, tx, at); return err },
		); err != nil {
			t.Fatal(err)
		}
		return due
	}
	if got := apply(now); got != (action.Due{}) {
		t.Errorf("today: %+v; want nothing", got)
	}
	if got := apply(now.AddDate(0, 0, 2)); got != (action.Due{Started: 1, Left: 1}) {
		t.Errorf("in two days: %+v; want one started and one left", got)
	}
	for id, want := range map[string]string{starter: "active", leaver: "deactivated"} {
		if got := h.Must(200, "admin", "GET", "/identities/"+id, nil).Text("status"); got != want {
			t.Errorf("got %s; want %s", got, want)
		}
	}
}

func TestWhoComesBackTakesTheirAddressOver(t *testing.T) {
	h := open(t)
	first := h.Must(
		201,
		"admin",
		"POST",
		"/identities",
		`{"external_id":"1","email":"ann@example.com","display_name":"Ann","employee_number":"7"}`,
	)
	h.Exec(`update identity set status = 'deactivated', standing = 'deactivated' where id = $1`, first.Text("id"))
	again := h.Must(
		201,
		"admin",
		"POST",
		"/identities",
		`{"external_id":"2","email":"Ann@example.com","display_name":"Ann","employee_number":"7"}`,
	)
	if again.Text("email") != "Ann@example.com" || again.Text("previous_identity_id") != first.Text("id") {
		t.Errorf("the new record is %v", again.Body)
	}
	h.Refused(
		409,
		"duplicate_email",
		"admin",
		"POST",
		"/identities",
		`{"external_id":"3","email":"ann@example.com","display_name":"Ann","employee_number":"8"}`,
	)
}
