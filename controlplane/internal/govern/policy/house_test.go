package policy_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// house is a served API with the evaluation beside it, which works when it is told to.
type house struct {
	*recordtest.House
	policies *policy.Service
	system   string // a connector
	groups   []string
	at       time.Time // what the evaluation takes for now; zero: now
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		h.policies = &policy.Service{DB: db, Cursors: cursors, Log: slog.New(slog.DiscardHandler), Now: h.now}
		people := &directory.Service{DB: db, Cursors: cursors, Now: h.now}
		roles := &role.Service{DB: db, Cursors: cursors}
		return append(append(h.policies.Routes(), people.Routes()...), roles.Routes()...)
	})
	h.system = uuid.Must(uuid.NewV7()).String()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir',
			'Directory', 'ldap')`,
		h.system,
	)
	for i := range 6 {
		h.groups = append(h.groups, h.Entitlement(h.system, fmt.Sprintf("group-%d", i)))
	}
	return h
}

func (h *house) now() time.Time {
	if h.at.IsZero() {
		return time.Now()
	}
	return h.at
}

// due is how much there is to do. Somebody who was cut off may be at it for a moment longer.
const due = `select (select count(*) from work_item where kind in ('policy', 'policy_sweep'))
	+ (select count(*) from policy_walk where finished_at is null and started_at is not null)`

// settle evaluates until there is nothing to do.
func (h *house) settle() {
	h.T.Helper()
	for range 10_000 {
		n, err := h.policies.Part(context.Background(), h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 && h.Count(due) == 0 {
			return
		}
	}
	h.T.Fatal("the evaluation finds something to do again and again")
}

// hire makes somebody through the API and gives their id.
func (h *house) hire(name, department string, more ...any) string {
	h.T.Helper()
	body := map[string]any{
		"external_id": name,
		"email":       name + "@acme.test",
		"first_name":  name,
		"last_name":   "X",
		"department":  department,
	}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	a := h.Call("admin", "POST", "/identities", body)
	if a.Status != 201 {
		h.T.Fatalf("hire %s: %d %v", name, a.Status, a.Body)
	}
	return a.Text("id")
}

func (h *house) patch(id string, body any) {
	h.T.Helper()
	if a := h.Call("admin", "PATCH", "/identities/"+id, body); a.Status != 200 {
		h.T.Fatalf("patch: %d %v", a.Status, a.Body)
	}
}

// about is a condition of one rule.
func about(field, op string, value any) map[string]any {
	return map[string]any{"match": "all", "rules": []any{map[string]any{"field": field, "op": op, "value": value}}}
}

var everybody = map[string]any{"match": "all", "rules": []any{}}

// rule is the body of an enforced birthright.
func (h *house) rule(name string, subject map[string]any, groups ...string) map[string]any {
	return map[string]any{
		"name":       name,
		"mode":       "enforce",
		"birthright": true,
		"subject":    subject,
		"resources":  map[string]any{"entitlement_ids": groups},
		"lifecycle":  map[string]any{"on_no_match": "end_now"},
	}
}

// enforce makes a policy, and confirms what it does to those who are there.
func (h *house) enforce(body map[string]any) string {
	h.T.Helper()
	a := h.Call("admin", "POST", "/policies/access-grant", body)
	if a.Text("code") == "confirmation_required" {
		a = h.Call(
			"admin",
			"POST",
			"/policies/access-grant?confirm="+a.Body["impact"].(map[string]any)["plan_hash"].(string),
			body,
		)
	}
	if a.Status != 201 {
		h.T.Fatalf("make policy: %d %v", a.Status, a.Body)
	}
	return a.Text("id")
}

// holds are the names of the groups that somebody has a live reason of a state for.
func (h *house) holds(id, state string) string {
	h.T.Helper()
	return fmt.Sprint(h.Strings(`select e.name from access_reason r join entitlement e on e.id = r.entitlement_id
		where r.identity_id = $1 and r.state = $2 and r.effect = 'allow' order by 1`, id, state))
}

func (h *house) expect(id, state, want string) {
	h.T.Helper()
	if got := h.holds(id, state); got != want {
		h.T.Errorf("%s: %s; want %s", state, got, want)
	}
}
