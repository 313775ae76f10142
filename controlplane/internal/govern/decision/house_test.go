package decision_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// house is a served inbox, and a package that asks: it records
// what it is told and refuses what it is told to refuse.
type house struct {
	*recordtest.House
	inbox *inbox.Service
	shift time.Duration // how much later than it is

	mu     sync.Mutex
	refuse map[string]error // by key of a task
	fail   error
}

// heard counts the rows that the room has kept of an answer.
const heard = `select count(*) from identity where attributes ->> 'heard' = $1`

func open(t testing.TB) *house {
	t.Helper()
	h := &house{refuse: map[string]error{}}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		answers := map[string]decision.Answer{
			"request_approval": h.answer,
			"sync_hold":        h.answer,
			"orphan_account":   h.answer,
			"schema_diff": func(_ context.Context, _ *pg.Tx, a []decision.Answered) ([]error, error) {
				return make([]error, len(a)), nil
			},
		}
		h.inbox = &inbox.Service{
			DB:      db,
			Cursors: cursors,
			Log:     slog.New(slog.DiscardHandler),
			Now:     h.now,
			Answers: answers,
		}
		return h.inbox.Routes()
	})
	h.EverybodySignsIn()
	return h
}

func (h *house) now() time.Time { return time.Now().Add(h.shift) }

// answer keeps what it is told in a row of its own for each task, in the transaction.
func (h *house) answer(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	results := make([]error, len(answered))
	if h.fail != nil {
		return nil, h.fail
	}
	var told []string
	for i, a := range answered {
		results[i] = h.refuse[a.Task.Key]
		if results[i] == nil {
			told = append(told, a.Task.Key+"="+a.Decision.Action)
		}
	}
	const sql = `
		insert into identity (tenant_id, id, external_id, display_name, attributes)
		select current_tenant(), gen_random_uuid(), 'heard ' || t || clock_timestamp(), t,
		    jsonb_build_object('heard', t)
		  from unnest($1::text[]) t`
	_, err := tx.Exec(ctx, sql, told)
	return results, err
}

// heard says how often the room was told, for good, of an answer to the question with a key.
func (h *house) heard(key, action string) int {
	h.T.Helper()
	return h.Count(heard, key+"="+action)
}

// as runs something in a transaction of the tenant's system.
func (h *house) as(do func(ctx context.Context, tx *pg.Tx) error) {
	h.T.Helper()
	ctx := context.Background()
	if err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return do(ctx, tx) }); err != nil {
		h.T.Fatal(err)
	}
}

var yesOrNo = []decision.Action{
	{Key: "approve", Label: "Approve", Style: "positive"},
	{Key: "reject", Label: "Reject", Style: "negative", Requires: []string{"comment"}},
	{Key: "limit", Label: "Limit", Style: "neutral", Requires: []string{"inputs.ends_at"}},
}

// question is a question to people.
func question(key string, people ...string) decision.New {
	n := decision.New{Kind: "sync_hold", Key: key, Title: "About " + key, Summary: "In short", Actions: yesOrNo,
		Subject: decision.Ref{Type: "connector", ID: "01a1f99f-1d39-767a-8283-ef45f2482197", Display: "Directory"},
		Source:  decision.Ref{Type: "sync_run", ID: "01a1f99f-1d39-767a-8283-ef45f2482198", Display: "Run"}}
	for _, id := range people {
		n.Assignees = append(n.Assignees, decision.Assignee{IdentityID: id})
	}
	return n
}

// ask asks and gives the ids of the tasks.
func (h *house) ask(questions ...decision.New) (ids []string) {
	h.T.Helper()
	h.as(func(ctx context.Context, tx *pg.Tx) (err error) {
		ids, err = decision.Ask(ctx, tx, questions)
		return err
	})
	return ids
}

// one asks one question.
func (h *house) one(n decision.New) string { h.T.Helper(); return h.ask(n)[0] }

// staff makes people who can sign in under their names.
func (h *house) staff(names ...string) (ids []string) {
	h.T.Helper()
	for _, name := range names {
		id := h.Person(name, "")
		h.Let(name, h.Tenant.Tenant, id)
		ids = append(ids, id)
	}
	return ids
}

// task reads a task as somebody.
func (h *house) task(as, id string) map[string]any {
	h.T.Helper()
	return h.Must(200, as, "GET", "/decision-tasks/"+id, nil).Body
}

// people are who decides a task, by name and how they came to it.
func people(task map[string]any) string {
	var names []string
	list, _ := task["assignees"].([]any)
	for _, a := range list {
		a := a.(map[string]any)
		name := fmt.Sprint(a["display"], "/", a["via"])
		if f, is := a["acting_for"].(map[string]any); is {
			name += "/" + fmt.Sprint(f["display"])
		}
		names = append(names, name)
	}
	slices.Sort(names)
	roles, _ := task["roles"].([]any)
	return fmt.Sprint(names, roles)
}

// history are the events of a task, the first one first.
func history(task map[string]any) (events []string) {
	list, _ := task["history"].([]any)
	for _, e := range list {
		events = append(events, e.(map[string]any)["event"].(string))
	}
	return events
}

func (h *house) decide(as, id, action string) recordtest.Answer {
	h.T.Helper()
	return h.Call(as, "POST", "/decision-tasks/"+id+"/decide", map[string]any{"action": action, "comment": "because"})
}

// work does what is due, as the work queue of a process does.
func (h *house) work() {
	h.T.Helper()
	if err := h.pass(); err != nil {
		h.T.Fatal(err)
	}
}

func (h *house) pass() error {
	work := &queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.inbox.Kinds()}
	_, err := work.Look(context.Background())
	return err
}

func conflict(code string) error { return fault.Coded(fault.Conflict, code, "the facts have changed") }
