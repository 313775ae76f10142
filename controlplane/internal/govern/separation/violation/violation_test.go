package violation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const path = "/policies/violations"

// house is a world whose violations are served.
type house struct{ *separationtest.World }

func open(t testing.TB) *house {
	t.Helper()
	return &house{separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&violation.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})}
}

// evaluate has people evaluated, and gives what was recorded.
func (h *house) evaluate(people ...string) (n violation.Recorded) {
	h.T.Helper()
	h.As(func(ctx context.Context, tx *pg.Tx) error {
		b, err := rulebook.For(ctx, tx)
		if err != nil {
			return err
		}
		found, err := check.People(ctx, tx, b, people, time.Now())
		if err != nil {
			return err
		}
		n, err = violation.Record(ctx, tx, b, people, found, violation.ByScan, time.Now())
		return err
	})
	return n
}

// conflicted is a house in which Ann violates an enforced policy; it gives the grants and the violation.
func conflicted(t testing.TB) (h *house, vendor, finance, id string) {
	t.Helper()
	h = open(t)
	h.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	vendor, finance = h.Grants("VENDOR-EDIT"), h.Grants("FINANCE")
	if n := h.evaluate(h.Ann); n != (violation.Recorded{Found: 1}) {
		t.Fatalf("the evaluation recorded %+v; want one violation", n)
	}
	return h, vendor, finance, h.Strings(`select id::text from violation`)[0]
}

func (h *house) state(id, want string) {
	h.T.Helper()
	a := h.Must(200, "admin", "GET", path+"/"+id, nil)
	if a.Text("state") != want {
		h.T.Errorf("the violation is %s; want %s", a.Text("state"), want)
	}
}

func TestViolationNamesSidesPathsAndCures(t *testing.T) {
	h, vendor, finance, id := conflicted(t)
	c := h.Must(200, "admin", "GET", path+"/"+id, nil).Body["conflict"].(map[string]any)
	var said []string
	for _, s := range c["sides"].([]any) {
		side := s.(map[string]any)
		for _, x := range side["access"].([]any) {
			access := x.(map[string]any)
			var way []string
			for _, step := range access["path"].([]any) {
				way = append(way, step.(map[string]any)["name"].(string))
			}
			source := access["source"].(map[string]any)
			said = append(
				said,
				fmt.Sprint(side["label"], side["duties"], strings.Join(way, ">"), source["kind"], source["id"]),
			)
		}
	}
	want := []string{
		"Maintain vendors[Maintain vendors]VENDOR-EDITgrant" + vendor,
		"Pay[Pay]FINANCE>PAY-RUNgrant" + finance,
	}
	if !slices.Equal(said, want) {
		t.Errorf("got  %q\nwant %q", said, want)
	}
	duties := fmt.Sprint(c["sides"].([]any)[1].(map[string]any)["duty_ids"])
	if want := "[" + h.Duties["Pay"] + "]"; duties != want {
		t.Errorf("the second side has the duties %s; want %s", duties, want)
	}
	if cures := c["cures"].([]any); len(cures) != 2 || c["cures_proven"] != true || c["effect"] != "block" {
		t.Errorf("got the cures %v, proven %v, effect %v", cures, c["cures_proven"], c["effect"])
	}
}

func TestSecondEvaluationChangesNothing(t *testing.T) {
	h, _, _, id := conflicted(t)
	if n := h.evaluate(h.Ann); n != (violation.Recorded{}) {
		t.Errorf("the second evaluation recorded %+v", n)
	}
	if a := h.Must(200, "admin", "GET", path+"/"+id, nil); a.Body["version"] != 1.0 {
		t.Errorf("version %v; want 1", a.Body["version"])
	}
}

func TestRemovedAccessRemediatesAndReturnedAccessReopens(t *testing.T) {
	h, vendor, _, id := conflicted(t)
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, vendor)
	if n := h.evaluate(h.Ann); n != (violation.Recorded{Remediated: 1}) {
		t.Errorf("recorded %+v; want one remediated", n)
	}
	a := h.Must(200, "admin", "GET", path+"/"+id, nil)
	if a.Text("state") != "remediated" || a.Text("resolution") != "access_removed" {
		t.Errorf("got %s because of %s", a.Text("state"), a.Text("resolution"))
	}
	h.Exec(`update access_grant set status = 'active' where id = $1`, vendor)
	h.evaluate(h.Ann)
	a = h.Must(200, "admin", "GET", path+"/"+id, nil)
	if a.Text("state") != "open" || a.Body["reopened_count"] != 1.0 || a.Body["resolution"] != nil {
		t.Errorf("got %s, reopened %v times, resolution %v", a.Text("state"), a.Body["reopened_count"],
			a.Body["resolution"])
	}
	want := []string{"violation.found", "violation.reopened", "violation.remediated"}
	got := h.Strings(`select action from audit_event where action like 'violation.%' order by 1`)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("audited %v; want %v", got, want)
	}
}

func TestDisabledPolicySettlesItsViolations(t *testing.T) {
	h, _, _, id := conflicted(t)
	h.Exec(`update separation_policy set enabled = false, version = version + 1`)
	h.evaluate(h.Ann)
	if a := h.Must(200, "admin", "GET", path+"/"+id, nil); a.Text("resolution") != "policy_changed" {
		t.Errorf("got %v", a.Body["resolution"])
	}
}

func TestFalsePositiveIsBoundToVersionAndAccess(t *testing.T) {
	h, _, _, id := conflicted(t)
	why := map[string]any{"reason": "The run is read only."}
	h.Must(200, "admin", "POST", path+"/"+id+"/false-positive", why)
	h.Refused(409, "invalid_transition", "admin", "POST", path+"/"+id+"/false-positive", why)
	h.evaluate(h.Ann)
	h.state(id, "false_positive")
	h.Exec(`update separation_policy set version = version + 1`)
	h.evaluate(h.Ann)
	h.state(id, "open")

	h.Must(200, "admin", "POST", path+"/"+id+"/false-positive", why)
	h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
		values (current_tenant(), $1, 0, 9, 'entitlement', $2)`, h.Duties["Pay"], h.Groups["AUDIT"])
	h.Exec(`update duty set version = version + 1 where id = $1`, h.Duties["Pay"])
	h.Grants("AUDIT")
	h.evaluate(h.Ann)
	h.state(id, "open")
}

func TestFalsePositiveCanBeWithdrawn(t *testing.T) {
	h, _, _, id := conflicted(t)
	at := path + "/" + id + "/false-positive"
	h.Refused(409, "invalid_transition", "admin", "DELETE", at, nil)
	marked := h.Must(200, "admin", "POST", at, map[string]any{"reason": "The run is read only."})
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Refused(403, "read_only_role", "auditor", "DELETE", at, nil)
	h.Refused(412, "precondition_failed", "admin", "DELETE", at, nil, "If-Match", `"1"`)
	a := h.Must(200, "admin", "DELETE", at, nil, "If-Match", marked.Header.Get("ETag"))
	if a.Text("state") != "open" || a.Body["false_positive"] != nil || a.Body["reopened_count"] != 1.0 {
		t.Errorf("got %v", a.Body)
	}
	h.evaluate(h.Ann)
	h.state(id, "open")
	if n := h.Count(`select count(*) from audit_event where action = 'violation.false_positive_withdrawn'`); n != 1 {
		t.Errorf("the withdrawal is audited %d times; want once", n)
	}
}

func TestRemediationRevokesACureAndWaitsForTheProof(t *testing.T) {
	h, vendor, _, id := conflicted(t)
	body := map[string]any{"remove": []string{vendor}, "reason": "Moved to another team."}
	a := h.Must(200, "admin", "POST", path+"/"+id+"/remediate?dry_run=true", body)
	if a.Body["dry_run"] != true || h.Count(`select count(*) from access_reason`) != 0 {
		t.Errorf("the dry run wrote, or says %v", a.Body["dry_run"])
	}
	h.Must(200, "admin", "POST", path+"/"+id+"/remediate", body)
	h.evaluate(h.Ann)
	h.state(id, "open")
	if n := h.Count(`select count(*) from work_item where kind = 'provisioning' and subject = $1`, h.Ann); n == 0 {
		t.Error("nothing was ordered")
	}
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, vendor)
	h.evaluate(h.Ann)
	h.state(id, "remediated")
	h.Refused(409, "invalid_transition", "admin", "POST", path+"/"+id+"/remediate", body)
}

func TestRemediationRefusesWhatIsNoCure(t *testing.T) {
	h, _, finance, id := conflicted(t)
	more := h.Person("bob", "")
	h.Exec(`update account set identity_id = $1 where false`, more)
	other := h.Grant(h.System, h.House.Account(h.System, "ann2", h.Ann), h.Groups["PAY-RUN"])
	h.evaluate(h.Ann)
	h.Refused(409, "not_a_cure", "admin", "POST", path+"/"+id+"/remediate",
		map[string]any{"remove": []string{finance}, "reason": "x"})
	h.Refused(422, "validation_failed", "admin", "POST", path+"/"+id+"/remediate",
		map[string]any{"remove": []string{separationtest.NewID()}, "reason": "x"})
	h.Must(200, "admin", "POST", path+"/"+id+"/remediate?dry_run=true",
		map[string]any{"remove": []string{finance, other}, "reason": "x"})
}

func TestPendingAccessIsRemovedElsewhere(t *testing.T) {
	h := open(t)
	h.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	h.Grants("FINANCE")
	reason := separationtest.NewID()
	h.Exec(`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		source_id) values (current_tenant(), $1, $2, $3, $4, 'manual', 'user', $1)`, reason, h.Ann, h.System,
		h.Groups["VENDOR-EDIT"])
	h.evaluate(h.Ann)
	list := h.Must(200, "admin", "GET", path+"?grade=latent", nil)
	if len(list.Items()) != 1 {
		t.Fatalf("got %v; want one latent violation", list.Body)
	}
	h.Refused(409, "not_a_grant", "admin", "POST", path+"/"+list.Items()[0]["id"].(string)+"/remediate",
		map[string]any{"remove": []string{reason}, "reason": "x"})
}

func TestPendingAccessNamesItsRequestAndRole(t *testing.T) {
	h := open(t)
	h.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	h.Grants("FINANCE")
	request, role := separationtest.NewID(), separationtest.NewID()
	h.Exec(`insert into role (tenant_id, id, key, name, lifecycle)
		values (current_tenant(), $1, 'vendor-clerk', 'Vendor clerk', 'active')`, role)
	h.Exec(`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`, role,
		h.Groups["VENDOR-EDIT"])
	h.Exec(`insert into access_request (tenant_id, id, number, requested_for, requested_by)
		values (current_tenant(), $1, 1, $2, '{}')`, request, h.Ann)
	h.Exec(`insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, role_id)
		values (current_tenant(), $1, $2, 0, $3, 'grant', $4)`, separationtest.NewID(), request, h.Ann, role)
	h.evaluate(h.Ann)
	items := h.Must(200, "admin", "GET", path, nil).Items()
	if len(items) != 1 {
		t.Fatalf("got %v; want one violation", items)
	}
	side := items[0]["conflict"].(map[string]any)["sides"].([]any)[0].(map[string]any)
	source := side["access"].([]any)[0].(map[string]any)["source"].(map[string]any)
	if source["kind"] != "request_item" || source["request_id"] != request || source["role_id"] != role {
		t.Errorf("got the source %v; want request %s and role %s", source, request, role)
	}
}

func TestAssigneeIsAnActivePerson(t *testing.T) {
	h, _, _, id := conflicted(t)
	bob := h.Person("bob", "")
	a := h.Must(200, "admin", "POST", path+"/"+id+"/assign", map[string]any{"identity_id": bob})
	if who, _ := a.Body["assignee"].(map[string]any); who["display"] != "bob" {
		t.Errorf("assigned to %v; want bob", a.Body["assignee"])
	}
	if got := h.Must(200, "admin", "GET", path+"?assignee_id="+bob, nil); len(got.Items()) != 1 {
		t.Errorf("bob has %v", got.Body)
	}
	h.Must(200, "admin", "POST", path+"/"+id+"/assign", map[string]any{"identity_id": nil})
	h.Refused(422, "validation_failed", "admin", "POST", path+"/"+id+"/assign",
		map[string]any{"identity_id": separationtest.NewID()})
	h.Refused(412, "precondition_failed", "admin", "POST", path+"/"+id+"/assign",
		map[string]any{"identity_id": bob}, "If-Match", `"1"`)
}

func TestViolationsAreSeenByThoseWhoMay(t *testing.T) {
	h, _, _, id := conflicted(t)
	boss, owner, peer := h.Person("boss", ""), h.Person("owner", ""), h.Person("peer", "")
	h.Exec(`update identity set manager_id = $1 where id = $2`, boss, h.Ann)
	h.Exec(`update entitlement set owner_ids = array[$1::uuid] where id = $2`, owner, h.Groups["VENDOR-EDIT"])
	tenant := h.Tenant.Tenant
	h.Let("boss", tenant, boss, viewer.Manager)
	h.Let("owner", tenant, owner, viewer.ResourceOwner)
	h.Let("peer", tenant, peer, viewer.Manager, viewer.ResourceOwner)
	h.Let("auditor", tenant, "", viewer.Auditor)
	for as, want := range map[string]int{"admin": 1, "auditor": 1, "boss": 1, "owner": 1, "peer": 0} {
		a := h.Must(200, as, "GET", path, nil)
		if len(a.Items()) != want || a.Body["total"] != float64(want) {
			t.Errorf("%s sees %d of %v; want %d", as, len(a.Items()), a.Body["total"], want)
		}
	}
	h.Refused(404, "not_found", "peer", "GET", path+"/"+id, nil)
	a := h.Must(200, "owner", "GET", path+"/"+id, nil)
	text := fmt.Sprint(a.Body)
	if a.Body["partial"] != true || strings.Contains(text, "PAY-RUN") || strings.Contains(text, "FINANCE") ||
		!strings.Contains(text, "VENDOR-EDIT") {
		t.Errorf("the owner of VENDOR-EDIT reads %s", text)
	}
	if a := h.Must(200, "boss", "GET", path+"/"+id, nil); a.Body["partial"] != false {
		t.Error("the manager reads a part only")
	}
	h.Refused(403, "read_only_role", "auditor", "POST", path+"/"+id+"/assign", map[string]any{"identity_id": nil})
}

func TestListIsFilteredAndSorted(t *testing.T) {
	h, _, _, _ := conflicted(t)
	h.Exec(`update violation set severity = 'low'`)
	second := h.Policy("Second", "shadow", "block", "Pay", "Maintain vendors")
	h.evaluate(h.Ann)
	for query, want := range map[string]int{
		"": 2, "?policy_id=" + second: 1, "?identity_id=" + h.Ann: 2, "?state=remediated": 0, "?severity=high": 1,
		"?severity=high,low": 2, "?severity=critical,low": 1, "?state=open,false_positive": 2, "?q=second": 1,
		"?q=ANN": 2, "?q=ann%20payments": 1, "?q=VENDOR-EDIT": 0,
		"?entitlement_id=" + h.Groups["PAY-RUN"]: 2, "?entitlement_id=" + h.Groups["AUDIT"]: 0, "?grade=latent": 0,
	} {
		if a := h.Must(200, "admin", "GET", path+query, nil); len(a.Items()) != want {
			t.Errorf("%s: got %d; want %d", query, len(a.Items()), want)
		}
	}
	first := h.Must(200, "admin", "GET", path+"?sort=-severity&limit=1", nil)
	if first.Values("severity")[0] != "high" {
		t.Errorf("got %v first; want high", first.Values("severity"))
	}
	next := h.Must(200, "admin", "GET", path+"?sort=-severity&limit=1&cursor="+first.Text("next_cursor"), nil)
	if len(next.Items()) != 1 || next.Values("severity")[0] != "low" {
		t.Errorf("got %v next; want low", next.Values("severity"))
	}
}
