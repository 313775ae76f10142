package decision_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// scoped is a house with two systems and two people whom tasks concern.
type scoped struct {
	*house
	p                  []string // ann, who delegates, bob and cid
	hr, mail           string
	inFinance, inSales string
}

func openScoped(t *testing.T) *scoped {
	h := &scoped{house: open(t)}
	h.p = h.staff("ann", "bob", "cid")
	for name, id := range map[string]*string{"hr": &h.hr, "mail": &h.mail} {
		*id = uuid.Must(uuid.NewV7()).String()
		h.Exec(`insert into connector (tenant_id, id, business_id, name, type)
			values (current_tenant(), $1, $2, $2, 'ldap')`, *id, name)
	}
	h.inFinance, h.inSales = h.Person("fay", ""), h.Person("sam", "")
	h.Exec(`update identity set department = 'Finance' where id = $1`, h.inFinance)
	h.Exec(`update identity set department = 'Sales' where id = $1`, h.inSales)
	return h
}

// about asks ann about objects, and returns who decides, without the name of the task.
func (h *scoped) about(key, risk string, refs ...decision.Ref) string {
	h.T.Helper()
	q := question(key, h.p[0])
	q.Kind, q.RiskLevel, q.Links = "request_approval", risk, refs
	q.Subject, q.Source = decision.Ref{Type: "x", ID: key}, decision.Ref{Type: "x", ID: key}
	return people(h.task("ann", h.one(q)))
}

const (
	alone    = "[ann/direct] []"
	withBob  = "[ann/direct bob/delegate/ann] []"
	finance  = "Finance"
	isPerson = "identity"
)

// A delegation passes on the tasks that it covers, whatever names their systems and people. The others stay with the
// delegator.
func TestADelegationIsLimitedToSystemsRisksAndPeople(t *testing.T) {
	h := openScoped(t)
	group := h.Entitlement(h.hr, "payroll", h.p[0])
	post := h.Entitlement(h.mail, "post", h.p[0])
	account := h.Account(h.mail, "fay", h.inFinance)
	role := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'clerk', 'clerk')`, role)
	for _, e := range []string{group, post} {
		h.Exec(`insert into role_entitlement (tenant_id, role_id, entitlement_id)
			values (current_tenant(), $1, $2)`, role, e)
	}
	ref := func(kind, id string) decision.Ref { return decision.Ref{Type: kind, ID: id} }
	fay, sam := ref(isPerson, h.inFinance), ref(isPerson, h.inSales)
	byDepartment := map[string]any{"field": "department", "op": "eq", "value": finance}
	for i, tt := range []struct {
		name   string
		limits []any
		refs   []decision.Ref
		risk   string
		want   string
	}{
		{"an entitlement of the system", []any{"system_ids", []string{h.hr}}, []decision.Ref{ref("entitlement", group)},
			"", withBob},
		{"an entitlement of another system", []any{"system_ids", []string{h.hr}},
			[]decision.Ref{ref("entitlement", post)}, "", alone},
		{"an account of the system", []any{"system_ids", []string{h.mail}}, []decision.Ref{ref("account", account)}, "",
			withBob},
		{"a role of two systems, one covered", []any{"system_ids", []string{h.mail}}, []decision.Ref{ref("role", role)},
			"", alone},
		{"a role of two systems, both covered", []any{"system_ids", []string{h.hr, h.mail}},
			[]decision.Ref{ref("role", role)}, "", withBob},
		{"no system", []any{"system_ids", []string{h.hr}}, []decision.Ref{fay}, "", alone},
		{"the system itself", []any{"system_ids", []string{h.hr}}, []decision.Ref{ref("connector", h.hr)}, "", withBob},
		{"its risk", []any{"risk_levels", []string{"low", "medium"}}, nil, "medium", withBob},
		{"a higher risk", []any{"risk_levels", []string{"low", "medium"}}, nil, "high", alone},
		{"no risk", []any{"risk_levels", []string{"low"}}, nil, "", alone},
		{"a person of the department", []any{"condition", byDepartment}, []decision.Ref{fay}, "", withBob},
		{"a person of another department", []any{"condition", byDepartment}, []decision.Ref{sam}, "", alone},
		{"two people", []any{"condition", byDepartment}, []decision.Ref{fay, sam}, "", alone},
		{"no person", []any{"condition", byDepartment}, nil, "", alone},
		{"the owner of an account", []any{"condition", byDepartment}, []decision.Ref{ref("account", account)}, "",
			withBob},
		{"all limits", []any{"system_ids", []string{h.hr}, "risk_levels", []string{"high"}, "condition", byDepartment,
			"kinds", []string{"request_approval"}}, []decision.Ref{ref("entitlement", group), fay}, "high", withBob},
		{"another kind", []any{"kinds", []string{"sync_hold"}}, []decision.Ref{fay}, "", alone},
	} {
		id := h.delegate("ann", h.p[1], tt.limits...)
		key := uuid.Must(uuid.NewV7()).String()
		if got := h.about(key, tt.risk, tt.refs...); got != tt.want {
			t.Errorf("%d %s: decided by %s; want %s", i, tt.name, got, tt.want)
		}
		h.Must(204, "ann", "DELETE", delegations+"/"+id, nil)
	}
}

// Tasks that are open when a limited delegation begins, changes and ends follow it.
func TestOpenTasksFollowALimitedDelegation(t *testing.T) {
	h := openScoped(t)
	ask := func(person string) string {
		q := question(person, h.p[0])
		q.Links = []decision.Ref{{Type: isPerson, ID: person}}
		return h.one(q)
	}
	fay, sam := ask(h.inFinance), ask(h.inSales)
	check := func(when, wantFay, wantSam string) {
		t.Helper()
		if got := people(h.task("ann", fay)); got != wantFay {
			t.Errorf("%s, the task about Finance is decided by %s; want %s", when, got, wantFay)
		}
		if got := people(h.task("ann", sam)); got != wantSam {
			t.Errorf("%s, the task about Sales is decided by %s; want %s", when, got, wantSam)
		}
	}
	in := func(department string) map[string]any {
		return map[string]any{"condition": map[string]any{"field": "department", "op": "eq", "value": department}}
	}
	id := h.delegate("ann", h.p[1], "condition", in(finance)["condition"])
	check("limited to Finance", withBob, alone)
	d := h.Must(200, "ann", "PATCH", delegations+"/"+id, in("Sales"))
	check("limited to Sales", alone, withBob)
	if said := d.Text("sentence"); !strings.Contains(said, "Sales") || strings.Contains(said, finance) {
		t.Errorf("the delegation says %q; want the new condition alone", said)
	}
	h.Must(200, "ann", "PATCH", delegations+"/"+id, map[string]any{"condition": nil})
	check("without a condition", withBob, withBob)
	h.Must(204, "ann", "DELETE", delegations+"/"+id, nil)
	check("when it has ended", alone, alone)
}

// A person can delegate different tasks to different people. Two delegations whose limits allow the same task overlap.
func TestLimitedDelegationsOfOnePersonDoNotOverlap(t *testing.T) {
	h := openScoped(t)
	h.delegate("ann", h.p[1], "system_ids", []string{h.hr})
	h.delegate("ann", h.p[2], "system_ids", []string{h.mail}, "risk_levels", []string{"low"})
	for name, body := range map[string]map[string]any{
		"without a limit":    {"delegate_id": h.p[2]},
		"the same system":    {"delegate_id": h.p[2], "system_ids": []string{h.hr, h.mail}},
		"another limit":      {"delegate_id": h.p[2], "risk_levels": []string{"low"}},
		"by a condition too": {"delegate_id": h.p[2], "condition": map[string]any{"field": "department", "op": "exists", "value": true}},
	} {
		if a := h.Call("ann", "POST", delegations, body); a.Status != 409 || a.Text("code") != "delegation_overlaps" {
			t.Errorf("%s: %d %v; want 409 delegation_overlaps", name, a.Status, a.Body)
		}
	}
	h.delegate("ann", h.p[2], "system_ids", []string{h.mail}, "risk_levels", []string{"high"})
	e := h.Must(200, "ann", "GET", delegations+"/effective", nil)
	if by, _ := e.Body["decided_by"].([]any); len(by) != 3 {
		t.Errorf("decided by %v; want three ways", e.Body["decided_by"])
	}
	for name, body := range map[string]map[string]any{
		"an unknown system":  {"delegate_id": h.p[1], "system_ids": []string{h.p[0]}},
		"an unknown risk":    {"delegate_id": h.p[1], "risk_levels": []string{"none"}},
		"an unknown field":   {"delegate_id": h.p[1], "condition": map[string]any{"field": "shoe_size", "op": "eq", "value": 1}},
		"access of a person": {"delegate_id": h.p[1], "condition": map[string]any{"field": "roles", "op": "has_role", "value": "x"}},
	} {
		if a := h.Call("bob", "POST", delegations, body); a.Status != 422 || a.Text("detail") == "" {
			t.Errorf("%s: %d %v; want 422 with a detail", name, a.Status, a.Body)
		}
	}
}

// A limited delegation of an inbox with thousands of tasks begins in seconds.
func TestALimitedDelegationOfAFullInboxBegins(t *testing.T) {
	h := openScoped(t)
	const n = 2000
	all := make([]decision.New, n)
	for i := range all {
		all[i] = question(fmt.Sprint(i), h.p[0])
		all[i].Links = []decision.Ref{{Type: isPerson, ID: h.inSales}, {Type: "connector", ID: h.hr}}
		all[i].RiskLevel = []string{"low", "high"}[i%2]
	}
	h.ask(all...)
	h.Analyze()
	begun := time.Now()
	h.delegate("ann", h.p[1], "risk_levels", []string{"high"}, "condition",
		map[string]any{"field": "department", "op": "eq", "value": "Sales"})
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("%d tasks were looked at in %v; want at most 10 s", n, took)
	} else {
		t.Logf("%d tasks in %v", n, took)
	}
	got := h.Count(`select count(*) from decision_assignee where identity_id = $1 and dropped_at is null`, h.p[1])
	if got != n/2 {
		t.Errorf("the delegate decides %d tasks; want %d of high risk", got, n/2)
	}
}
