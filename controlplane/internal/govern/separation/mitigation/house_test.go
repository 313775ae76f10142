package mitigation_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/evidence"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery/answer"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	controls = "/policies/mitigation"
	path     = "/policies/mitigations"
	day      = 24 * time.Hour
)

// house is a world with mitigations whose clock the test moves.
type house struct {
	*separationtest.World
	service *mitigation.Service
	mu      sync.Mutex
	clock   time.Time

	Policy, Violation, Bob, Carol string
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clock
}

// open makes a house in which Ann violates an enforced policy, Bob owns controls, and Carol and an administrator
// approve.
func open(t testing.TB) *house {
	t.Helper()
	h := &house{clock: time.Now().UTC().Truncate(time.Microsecond)}
	h.World = separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		h.service = &mitigation.Service{DB: db, Cursors: cursors, Now: h.now, Ask: evidence.Ask}
		return slices.Concat(
			(&control.Service{DB: db, Cursors: cursors}).Routes(),
			h.service.Routes(),
			(&separationpolicy.Service{DB: db, Cursors: cursors}).Routes(),
			(&evidence.Service{DB: db, Cursors: cursors, Now: h.now}).Routes(),
			(&answer.Service{DB: db, Now: h.now}).Routes(),
			(&violation.Service{DB: db, Cursors: cursors, Now: h.now}).Routes(),
		)
	})
	tenant := h.Tenant.Tenant
	h.Policy = h.World.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	h.Bob, h.Carol = h.Person("bob", ""), h.Person("carol", "")
	h.Let("bob", tenant, h.Bob, viewer.ResourceOwner)
	h.Let("carol", tenant, h.Carol, viewer.Admin)
	h.Let("ann", tenant, h.Ann, viewer.Admin)
	h.Let("auditor", tenant, "", viewer.Auditor)
	h.Grants("VENDOR-EDIT")
	h.Grants("FINANCE")
	h.evaluate()
	h.Violation = h.Strings(`select id::text from violation`)[0]
	return h
}

// evaluate has Ann evaluated.
func (h *house) evaluate() {
	h.T.Helper()
	h.As(func(ctx context.Context, tx *pg.Tx) error {
		b, err := rulebook.For(ctx, tx)
		if err != nil {
			return err
		}
		found, err := check.People(ctx, tx, b, []string{h.Ann}, h.now())
		if err != nil {
			return err
		}
		_, err = violation.Record(ctx, tx, b, []string{h.Ann}, found, violation.ByScan, h.now())
		return err
	})
}

// control makes a control that Bob owns and Carol approves.
func (h *house) control(more map[string]any) string {
	h.T.Helper()
	body := map[string]any{"name": "Dual check " + separationtest.NewID(), "control_owner_ids": []string{h.Bob},
		"approver_ids": []string{h.Carol}, "max_duration": "P180D",
		"evidence": map[string]any{"kind": "attestation", "cadence": "P30D", "grace": "P7D"}}
	for name, value := range more {
		body[name] = value
	}
	return h.Must(201, "admin", "POST", controls, body).Text("id")
}

// propose proposes a mitigation of Ann's violation as an administrator.
func (h *house) propose(controlID, duration string) string {
	h.T.Helper()
	return h.Must(201, "admin", "POST", path, map[string]any{"mitigation_policy_id": controlID,
		"violation_id": h.Violation, "duration": duration, "justification": "Bob checks each payment."}).Text("id")
}

// as lets a caller act in a transaction, as decision tasks do.
func (h *house) as(who string, do func(ctx context.Context, tx *pg.Tx) error) error {
	v := viewer.Viewer{Tenant: h.Tenant.Tenant, Kind: viewer.User, ID: separationtest.NewID(), Display: who,
		Roles: []viewer.Role{viewer.Admin}}
	switch who {
	case "bob":
		v.Identity = h.Bob
	case "carol":
		v.Identity = h.Carol
	case "ann":
		v.Identity = h.Ann
	}
	ctx := context.Background()
	return h.DB.As(ctx, v, func(tx *pg.Tx) error { return do(ctx, tx) })
}

// approve approves a mitigation as Carol.
func (h *house) approve(id string) {
	h.T.Helper()
	if err := h.as("carol", func(ctx context.Context, tx *pg.Tx) error {
		_, err := mitigation.Approved(ctx, tx, id, "agreed", h.now())
		return err
	}); err != nil {
		h.T.Fatal(err)
	}
}

// pass moves the clock and lets the worker do what has a turn.
func (h *house) pass(d time.Duration) {
	h.T.Helper()
	h.mu.Lock()
	h.clock = h.clock.Add(d)
	h.mu.Unlock()
	h.work()
}

func (h *house) work() {
	h.T.Helper()
	for {
		n, err := h.service.Turn(context.Background(), h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// follow does the work that changed violations have enqueued.
func (h *house) follow() {
	h.T.Helper()
	h.As(func(ctx context.Context, tx *pg.Tx) error {
		ids, err := pg.All[string](ctx, tx, "subjects",
			`select distinct subject::text from work_item where kind = 'mitigation'`)
		if err != nil || len(ids) == 0 {
			return err
		}
		items := make([]queue.Item, len(ids))
		for i, id := range ids {
			items[i].Subject = id
		}
		return h.service.Kinds()[0].Work(ctx, tx, items)
	})
}

// is checks the states of a mitigation and of Ann's violation.
func (h *house) is(id, state, of string) {
	h.T.Helper()
	a := h.Must(200, "admin", "GET", path+"/"+id, nil)
	b := h.Must(200, "admin", "GET", "/policies/violations/"+h.Violation, nil)
	if a.Text("state") != state || b.Text("state") != of {
		h.T.Fatalf("the mitigation is %s and the violation %s; want %s and %s", a.Text("state"), b.Text("state"),
			state, of)
	}
}
