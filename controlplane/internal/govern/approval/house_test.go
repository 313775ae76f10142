package approval_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// house is a served API over a small company: boss over lead over ada, with an administrator who can decide.
type house struct {
	*recordtest.House
	at                    time.Time
	boss, lead, ada, olga string
	system, group, role   string
	root                  string // the administrator's identity
	rules                 *ruleset.Service
}

// aTuesday is when resolution takes place in tests.
var aTuesday = time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)

func open(t testing.TB) *house {
	t.Helper()
	h := &house{at: aTuesday}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		h.rules = &ruleset.Service{DB: db, Cursors: cursors, Now: func() time.Time { return h.at }}
		return h.rules.Routes()
	})
	h.EverybodySignsIn()
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.boss = h.Person("boss", "")
	h.lead = h.Person("lead", h.boss)
	h.ada = h.Person("ada", h.lead)
	h.olga = h.Person("olga", h.boss)
	h.root = h.Person("root", "")
	h.User("root", h.root, "admin")
	h.system = uuid.Must(uuid.NewV7()).String()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir',
			'Directory', 'ldap')`,
		h.system,
	)
	h.group = h.Entitlement(h.system, "ledger", h.olga)
	h.role = h.Role("clerk", h.olga)
	return h
}

// User makes somebody who can sign in, with roles of the tenant.
func (h *house) User(name, identity string, roles ...string) {
	h.T.Helper()
	h.Exec(`insert into app_user (tenant_id, id, email, display_name, identity_id, roles)
		values (current_tenant(), $1, $2 || '@example.com', $2, nullif($3, '')::uuid,
		    $4)`, uuid.Must(uuid.NewV7()).String(), name, identity, roles)
}

// Role makes a role of the model with an owner.
func (h *house) Role(key string, owners ...string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(
		`insert into role (tenant_id, id, key, name, owner_ids) values (current_tenant(), $1, $2, $2,
			$3::text[]::uuid[])`,
		id,
		key,
		owners,
	)
	return id
}

// Assign gives somebody a role.
func (h *house) Assign(role, identity string) {
	h.T.Helper()
	h.Exec(
		`insert into role_assignment (tenant_id, id, role_id, identity_id, kind, state) values (current_tenant(), $1,
			$2, $3, 'manual', 'active')`,
		uuid.Must(uuid.NewV7()).String(),
		role,
		identity,
	)
}

// subject is a request of ada for the group.
func (h *house) subject(change ...func(*approval.Subject)) approval.Subject {
	s := approval.Subject{
		BeneficiaryID: h.ada,
		RequesterID:   h.ada,
		Kind:          "grant",
		Urgency:       "normal",
		EntitlementID: &h.group,
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func (h *house) resolve(s approval.Subject) approval.Plan {
	h.T.Helper()
	return h.resolveAll(s)[0]
}

func (h *house) resolveAll(subjects ...approval.Subject) (plans []approval.Plan) {
	h.T.Helper()
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) (err error) {
		plans, err = resolution.Plans(ctx, tx, subjects, h.at)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return plans
}

// said is a plan in short: stages apart by |, groups by &, slots by commas, with how many of them must agree.
func said(p approval.Plan) string {
	if p.Outcome != approval.Chain {
		return p.Outcome + ": " + p.Reason
	}
	stages := make([]string, len(p.Stages))
	for i, s := range p.Stages {
		stages[i] = saidStage(s)
	}
	return strings.Join(stages, " | ")
}

func saidStage(s approval.PlanStage) string {
	if s.Satisfied != "" {
		return "satisfied"
	}
	groups := make([]string, len(s.Groups))
	for i, g := range s.Groups {
		var slots []string
		for _, x := range g.Slots {
			name := x.Display
			if x.Via != "direct" {
				name += " (" + x.Via + ")"
			}
			slots = append(slots, name)
		}
		groups[i] = fmt.Sprintf("%d of %s", g.Needed, strings.Join(slots, ", "))
	}
	return strings.Join(groups, " & ")
}

func (h *house) expect(s approval.Subject, want string) approval.Plan {
	h.T.Helper()
	p := h.resolve(s)
	if got := said(p); got != want {
		h.T.Errorf("asked: %s; want %s\n%v", got, want, p.Log)
	}
	return p
}

// delegate lets somebody decide for another.
func (h *house) delegate(from, to string) {
	h.T.Helper()
	h.Exec(`insert into decision_delegation (tenant_id, id, delegator_id, delegate_id, state, starts_at)
		values (current_tenant(), $1, $2, $3, 'active',
		    $4)`, uuid.Must(uuid.NewV7()).String(), from, to, aTuesday.Add(-time.Hour))
}
