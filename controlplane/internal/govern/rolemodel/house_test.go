package rolemodel_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

const roles = "/entitlements/roles"

// house is a served API with the packages that work on roles, and the evaluation, which works when it is told to.
type house struct {
	*recordtest.House
	policies *policy.Service
	models   *rolemodel.Service
	inbox    *inbox.Service
	system   string
	groups   []string
	at       time.Time // what the evaluation takes for now; zero: now
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		log := slog.New(slog.DiscardHandler)
		h.policies = &policy.Service{DB: db, Cursors: cursors, Log: log, Now: h.now}
		kept := &role.Service{DB: db, Cursors: cursors, Conditions: accesspolicy.ReadRoleCondition}
		h.models = &rolemodel.Service{
			DB:       db,
			Cursors:  cursors,
			Policies: h.policies.Simulations(),
			Roles:    kept,
			Now:      h.now,
		}
		kept.Guard = h.models.Guard
		h.inbox = &inbox.Service{DB: db, Cursors: cursors, Log: log, Now: h.now, Answers: h.models.Answers()}
		people := &directory.Service{DB: db, Cursors: cursors, Now: h.now}
		var all []httpapi.Route
		for _, of := range [][]httpapi.Route{h.policies.Routes(), kept.Routes(), h.models.Routes(), h.inbox.Routes(),
			people.Routes()} {
			all = append(all, of...)
		}
		return all
	})
	h.EverybodySignsIn()
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

// settle evaluates until there is nothing to do.
func (h *house) settle() {
	h.T.Helper()
	const due = `select (select count(*) from work_item where kind in ('policy', 'policy_sweep'))
		+ (select count(*) from policy_walk where finished_at is null and started_at is not null)`
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

// pass lets the ledger and the evaluation see a later instant.
func (h *house) pass(to time.Time) {
	h.T.Helper()
	h.at = to
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		_, _, err := ledger.Settle(ctx, tx, to)
		return err
	})
	h.settle()
}

func (h *house) as(fn func(ctx context.Context, tx *pg.Tx) error) {
	h.T.Helper()
	ctx := context.Background()
	if err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		h.T.Fatal(err)
	}
}

// crowd makes people of a department who have nothing to do with what is tried, so that one person is no tenth of all.
func (h *house) crowd(n int) {
	h.Exec(`insert into identity (tenant_id, id, external_id, display_name, department)
		select current_tenant(), gen_random_uuid(), 'crowd-' || n, 'Somebody ' || n,
		    'Crowd' from generate_series(1, $1::int) n`, n)
}

// hire makes somebody of a department.
func (h *house) hire(name, department string) string {
	h.T.Helper()
	id := h.Person(name, "")
	h.Exec(`update identity set department = $2 where id = $1`, id, department)
	return id
}

// make makes a role through the API and gives its path.
func (h *house) make(body map[string]any) string {
	h.T.Helper()
	return roles + "/" + h.Must(201, "admin", "POST", roles, body).Text("id")
}

func id(path string) string { return strings.TrimPrefix(path, roles+"/") }

// publish publishes, and confirms what it does.
func (h *house) publish(path string) recordtest.Answer {
	h.T.Helper()
	a := h.Call("admin", "POST", path+"/publish", nil)
	if a.Text("code") == "confirmation_required" {
		a = h.Call(
			"admin",
			"POST",
			path+"/publish?confirm="+a.Body["impact"].(map[string]any)["plan_hash"].(string),
			nil,
		)
	}
	if a.Status != 200 {
		h.T.Fatalf("publish: %d %v", a.Status, a.Body)
	}
	return a
}

// holds are the groups that somebody has a live reason for.
func (h *house) holds(person string) string {
	h.T.Helper()
	return fmt.Sprint(
		h.Strings(
			`select e.name || case when r.ends_at is null then '' else ' ends' end || case r.state
		    when 'active' then '' else ' ' || r.state end
		from access_reason r join entitlement e on e.id = r.entitlement_id where r.identity_id = $1
		    and r.state <> 'ended' and r.effect = 'allow' order by 1`,
			person,
		),
	)
}

func (h *house) expect(person, want string) {
	h.T.Helper()
	if got := h.holds(person); got != want {
		h.T.Errorf("holds %s; want %s", got, want)
	}
}

func about(field, op string, value any) map[string]any {
	return map[string]any{"match": "all", "rules": []any{map[string]any{"field": field, "op": op, "value": value}}}
}
