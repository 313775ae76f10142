package chain_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/progress"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

var ctx = context.Background()

// house has chains with a real inbox; who is to be asked is written on a board, and an hour of work is an hour.
type house struct {
	*recordtest.House
	chains *chain.Service
	inbox  *inbox.Service
	board  *board
	thing  string // an entitlement
	people map[string]string
	users  map[string]viewer.Viewer

	mu       sync.Mutex
	at       time.Time
	outcomes []chain.Outcome
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{
		at:     time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		people: map[string]string{},
		users:  map[string]viewer.Viewer{},
		board:  &board{},
	}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		log := slog.New(slog.DiscardHandler)
		h.inbox = &inbox.Service{
			DB:      db,
			Cursors: cursors,
			Log:     log,
			Now:     h.now,
			Answers: map[string]decision.Answer{},
		}
		h.chains = &chain.Service{DB: db, Log: log, Now: h.now, Decided: h.decided, Approvers: h.board}
		h.inbox.Answers = h.chains.Answers()
		return nil
	})
	h.EverybodySignsIn()
	system := newID()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir',
			'Directory', 'ldap')`,
		system,
	)
	h.thing = h.Entitlement(system, "Finance clerk")
	for _, name := range []string{"ben", "ann"} {
		h.person(name)
	}
	return h
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// later moves the clock.
func (h *house) later(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

func (h *house) decided(_ context.Context, _ *pg.Tx, outcomes []chain.Outcome) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.outcomes = append(h.outcomes, outcomes...)
	return nil
}

// results are what was rung about an item, in order.
func (h *house) results(item string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []string
	for _, o := range h.outcomes {
		if o.ItemID == item {
			list = append(list, o.Result)
		}
	}
	return strings.Join(list, " ")
}

// last is the last outcome of an item.
func (h *house) last(item string) (last chain.Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.outcomes {
		if o.ItemID == item {
			last = o
		}
	}
	return last
}

// person makes somebody who can sign in by their name.
func (h *house) person(name string, roles ...viewer.Role) string {
	h.T.Helper()
	id := h.Person(name, "")
	h.people[name] = id
	h.user(name, id, roles...)
	return id
}

// user makes somebody who signs in; identity may be empty.
func (h *house) user(name, identity string, roles ...viewer.Role) {
	h.T.Helper()
	v := viewer.Viewer{
		Tenant:   h.Tenant.Tenant,
		Kind:     viewer.User,
		ID:       newID(),
		Display:  name,
		Identity: identity,
		Roles:    roles,
	}
	h.users[name] = v
	if len(roles) > 0 {
		h.Exec(
			`insert into app_user (tenant_id, id, email, display_name, identity_id, roles) values (current_tenant(), $1,
				$2, $3, nullif($4, '')::uuid, $5::text[])`,
			v.ID,
			name+"@example.com",
			name,
			identity,
			roles,
		)
	}
}

func (h *house) slot(name string) approval.PlanSlot {
	if role, is := strings.CutPrefix(name, "role:"); is {
		return approval.PlanSlot{
			Role:    role,
			Display: "all users with the role " + role,
			Via:     "fallback",
			Because: "governance",
		}
	}
	who, because, _ := strings.Cut(name, "/")
	if because == "" {
		because = who
	}
	id, known := h.people[who]
	if !known {
		id = h.person(who)
	}
	return approval.PlanSlot{IdentityID: id, Display: who, Via: "direct", Because: because}
}

// group is a group of a stage: any, all or a number, and who is in it.
func (h *house) group(mode any, names ...string) approval.PlanGroup {
	g := approval.PlanGroup{Slots: []approval.PlanSlot{}}
	for _, n := range names {
		g.Slots = append(g.Slots, h.slot(n))
	}
	switch mode := mode.(type) {
	case int:
		g.Needed = mode
	case string:
		g.Needed = 1
		if mode == "all" {
			g.Needed = len(names)
		}
	}
	return g
}

// stage is a stage of groups. Its definition counts as the groups do.
func stage(name string, mode string, groups ...approval.PlanGroup) approval.PlanStage {
	s := approval.PlanStage{
		Definition: approval.ApprovalStage{Name: name, RequireComment: "none", RespondWithin: "P3D"},
		Groups:     groups,
	}
	for _, g := range groups {
		s.Definition.Groups = append(s.Definition.Groups, approval.ApproverGroup{Mode: mode, Quorum: g.Needed})
	}
	return s
}

func plan(stages ...approval.PlanStage) approval.Plan {
	return approval.Plan{
		Rule:     approval.RuleRef{Name: "a rule"},
		Outcome:  approval.Chain,
		Stages:   stages,
		Distinct: true,
	}
}

// item is that ann asks for the thing for ben.
func (h *house) item(p approval.Plan) chain.Item {
	return chain.Item{
		ItemID:    newID(),
		RequestID: newID(),
		Number:    "REQ-000001",
		Plan:      p,
		Subject: approval.Subject{
			BeneficiaryID: h.people["ben"],
			RequesterID:   h.people["ann"],
			Kind:          "grant",
			EntitlementID: &h.thing,
			Justification: "month end",
		},
		What: decision.Ref{
			Type:    "entitlement",
			ID:      h.thing,
			Display: "Finance clerk",
		},
		Who: decision.Ref{Type: "identity", ID: h.people["ben"], Display: "ben"},
		RequestedBy: decision.Actor{
			Type:       "user",
			ID:         newID(),
			IdentityID: h.people["ann"],
			Display:    "ann",
		},
		RiskLevel: "low",
		ExpiresAt: h.now().Add(14 * 24 * time.Hour),
	}
}

// start begins a chain and gives its item. The board resolves stages as the plan has them until something else is
// written on it.
func (h *house) start(p approval.Plan) string {
	h.T.Helper()
	return h.startItem(h.item(p))
}

func (h *house) startItem(m chain.Item) string {
	h.T.Helper()
	if err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { return h.chains.Start(ctx, tx, []chain.Item{m}) },
	); err != nil {
		h.T.Fatal(err)
	}
	return m.ItemID
}

// tasks are the open tasks of an item that somebody decides by name or role.
func (h *house) tasks(item, who string) []string {
	h.T.Helper()
	return h.Strings(`select t.id::text from decision_task t
		where t.subject ->> 'id' = $1 and t.state in ('open', 'claimed') and t.kind = 'request_approval'
		  and (exists (select from decision_assignee a where a.task_id = t.id and a.identity_id::text = $2
		      and a.dropped_at is null)
		       or 'role:' || coalesce(t.roles[1], '') = $3) order by t.id`, item, h.people[who], who)
}

// decide answers the only open task that a person, or a holder of a role, has about an item. more are a comment and
// inputs.
func (h *house) decide(item, as, action string, more ...any) error {
	h.T.Helper()
	return h.decideFor(item, as, as, action, more...)
}

func (h *house) decideFor(item, whose, as, action string, more ...any) error {
	h.T.Helper()
	tasks := h.tasks(item, whose)
	if len(tasks) != 1 {
		h.T.Fatalf("%s has %d open tasks about the item; want 1", whose, len(tasks))
	}
	return h.answer(tasks[0], h.users[as], action, more...)
}

func (h *house) answer(task string, as viewer.Viewer, action string, more ...any) error {
	d := decision.Decision{Action: action}
	if len(more) > 0 {
		d.Comment, _ = more[0].(string)
	}
	if len(more) > 1 {
		d.Inputs, _ = more[1].(map[string]any)
	}
	results, err := h.decideAll(as, []string{task}, d)
	if err != nil {
		return err
	}
	return results[0]
}

func (h *house) decideAll(as viewer.Viewer, tasks []string, d decision.Decision) (results []error, err error) {
	err = h.DB.As(ctx, as, func(tx *pg.Tx) (err error) {
		results, err = h.inbox.Decide(ctx, tx, tasks, d)
		return err
	})
	return results, err
}

// bulk approves many tasks at once.
func (h *house) bulk(as string, tasks []string) ([]error, error) {
	return h.decideAll(h.users[as], tasks, decision.Decision{Action: "approve"})
}

// yes is decide with approve, which must be taken.
func (h *house) yes(item, as string) {
	h.T.Helper()
	if err := h.decide(item, as, "approve"); err != nil {
		h.T.Fatalf("%s approves: %v", as, err)
	}
}

func (h *house) no(item, as string) {
	h.T.Helper()
	if err := h.decide(item, as, "reject", "no"); err != nil {
		h.T.Fatalf("%s rejects: %v", as, err)
	}
}

// refused expects a fault with this code.
func (h *house) refused(err error, code string) {
	h.T.Helper()
	if !fault.IsCode(err, code) {
		h.T.Errorf("got %v; want %s", err, code)
	}
}

// work does what has come with time, until there is nothing.
func (h *house) work() {
	h.T.Helper()
	for range 100 {
		n, err := h.chains.Part(ctx, h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
	h.T.Fatal("the work never ends")
}

func (h *house) stages(item string) []progress.StageInstance {
	h.T.Helper()
	var found map[string][]progress.StageInstance
	if err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) (err error) { found, err = progress.Stages(ctx, tx, []string{item}); return err },
	); err != nil {
		h.T.Fatal(err)
	}
	return found[item]
}

// states are the states of the stages of an item.
func (h *house) states(item string) string {
	h.T.Helper()
	var list []string
	for _, s := range h.stages(item) {
		list = append(list, s.State)
	}
	return strings.Join(list, " ")
}

// asked are the people and roles with open slots in a stage, sorted.
func (h *house) asked(item string, stage int) string {
	h.T.Helper()
	var list []string
	for _, g := range h.stages(item)[stage].Groups {
		for _, s := range g.Slots {
			if s.State == "open" {
				list = append(list, s.Display)
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (h *house) expect(what, got, want string) {
	h.T.Helper()
	if got != want {
		h.T.Errorf("%s: got %q; want %q", what, got, want)
	}
}

// yes2 approves what somebody else, or a role, is asked, as somebody.
func (h *house) yes2(item, whose, as string) {
	h.T.Helper()
	if err := h.decideFor(item, whose, as, "approve"); err != nil {
		h.T.Fatalf("%s approves for %s: %v", as, whose, err)
	}
}

func (h *house) cancel(item string) {
	h.T.Helper()
	err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { return chain.Cancel(ctx, tx, []string{item}, "the request was withdrawn") },
	)
	if err != nil {
		h.T.Fatal(err)
	}
}
