package chain

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// resolveAtOnce is how many stages are opened by whoever decides: for each it has to be found anew who is asked. The
// stages that many decisions at once open beyond these are left to the worker, which is told of them as the decisions
// are committed.
const resolveAtOnce = 20

// What nobody decides but the chain, or about it, as the audit log has it.
const (
	didAgree    = "access_request.agreed_by_requesting"
	didEscalate = "access_request.escalated"
	didExpire   = "access_request.expired"
	didResolve  = "access_request.reresolved"
	didBlock    = "access_request.blocked"
	didUnblock  = "access_request.unblocked"
	didTimeOut  = "access_request.wait_timed_out"
	didWithdraw = "access_request.approval_withdrawn"
)

// work is what one transaction does to chains. It is gathered in memory and done at the end, in a few statements
// however many chains there are.
type work struct {
	s   *Service
	tx  *pg.Tx
	now time.Time

	answering map[string]bool // tasks whose answer is being taken: they are the inbox's to end
	resolved  int             // stages that were opened
	clock     Clock
	holders   map[string][]string // of roles of the tenant: the people, or users, who have them

	flows    []*flow
	touched  map[*flow]bool
	logs     []logged
	asks     []*question
	closes   map[ending][]closing
	assigns  []assignment
	audits   []audit.Entry
	outcomes []Outcome
	later    bool // something is left to the worker, now
}

// ending is how tasks end, and closing is one that does.
type ending struct{ state, why string }
type closing struct {
	f       *flow
	kind    string
	key, id string // id is empty where there is nobody who could have it in hand
}

// assignment changes who may decide an open task.
type assignment struct {
	taskID string
	add    []decision.Assignee
	drop   []string
	why    string
}

func (s *Service) work(tx *pg.Tx) *work {
	return &work{
		s:         s,
		tx:        tx,
		now:       s.Now().UTC().Truncate(time.Microsecond),
		answering: map[string]bool{},
		touched:   map[*flow]bool{},
		closes:    map[ending][]closing{},
	}
}

// touch has a flow written at the end.
func (w *work) touch(f *flow) {
	if !w.touched[f] {
		w.touched[f] = true
		w.flows = append(w.flows, f)
	}
	f.touchedAt = w.now
}

func (w *work) log(f *flow, stage int, step, detail string, args ...any) {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	w.logs = append(w.logs, logged{f.ItemID, stage, LogEntry{At: w.now, Step: step, Detail: detail}})
}

// audit enters what nobody decided but the product itself, or an administrator about the chain.
func (w *work) audit(f *flow, action, reason string, more map[string]any) {
	about := map[string]any{"item_id": f.ItemID, "number": f.Number, "stage": f.definition(f.Stage).Name}
	for k, v := range more {
		about[k] = v
	}
	w.audits = append(
		w.audits,
		audit.Entry{
			Action:  action,
			Subject: audit.Subject{Type: "access_request", ID: f.RequestID, Display: f.Number},
			Objects: []audit.Subject{
				{Type: f.Shown.What.Type, ID: f.Shown.What.ID, Display: f.Shown.What.Display},
			},
			Reason:  reason,
			Context: about,
		},
	)
}

func (w *work) ring(f *flow, result, code, reason string) {
	w.outcomes = append(
		w.outcomes,
		Outcome{
			ItemID:       f.ItemID,
			Result:       result,
			ReasonCode:   code,
			Reason:       reason,
			By:           f.deciders(),
			ByRequesting: f.requesters(),
			StartsAt:     f.StartsAt,
			EndsAt:       f.EndsAt,
		},
	)
}

// deciders are all who answered, in the order of the stages.
func (f *flow) deciders() []decision.Actor {
	return f.actors(func(s *slot) bool {
		return (s.State == slotApproved || s.State == slotRejected) && !s.byRequesting()
	})
}

// requesters are those who agreed by requesting.
func (f *flow) requesters() []decision.Actor { return f.actors((*slot).byRequesting) }

// actors are the people who decided such slots, each once, in the order of the stages.
func (f *flow) actors(such func(*slot) bool) (by []decision.Actor) {
	for _, st := range f.steps {
		for _, s := range st.slots {
			known := func(other decision.Actor) bool { return same(other, *s.DecidedBy) }
			if such(s) && s.DecidedBy != nil && !slices.ContainsFunc(by, known) {
				by = append(by, *s.DecidedBy)
			}
		}
	}
	return by
}

// end has tasks of a stage closed.
func (w *work) end(f *flow, stage int, taskIDs []string, state, why string) {
	for _, id := range taskIDs {
		if !w.answering[id] {
			e := ending{state, why}
			w.closes[e] = append(w.closes[e], closing{f, Kind, f.key(stage, id), id})
		}
	}
}

// working counts working time from now. The calendars are read once.
func (w *work) working(ctx context.Context, within time.Duration, calendar string) (time.Time, error) {
	if w.clock == nil {
		clock, err := w.s.approvers().Clock(ctx, w.tx)
		if err != nil {
			return time.Time{}, err
		}
		w.clock = clock
	}
	return w.clock.Due(w.now, within, calendar).UTC(), nil
}

// finish does what was gathered: tasks end and are asked, everything is written, and whoever waits for the outcomes is
// told.
func (w *work) finish(ctx context.Context) error {
	if err := w.endTasks(ctx); err != nil {
		return err
	}
	if err := w.freeToAssign(ctx); err != nil {
		return err
	}
	questions, err := w.phrase(ctx)
	if err != nil {
		return err
	}
	for f := range w.touched {
		f.LookAt = f.next(w.now)
		w.later = w.later || f.live() && !f.LookAt.After(w.now) || len(f.LeftTasks) > 0
	}
	if err := write(ctx, w.tx, w.flows, w.logs); err != nil {
		return err
	}
	if len(questions) > 0 {
		if _, err := decision.Ask(ctx, w.tx, questions); err != nil {
			return err
		}
	}
	for _, a := range w.assigns {
		if err := decision.Assign(ctx, w.tx, a.taskID, a.add, a.drop, a.why); err != nil {
			return err
		}
	}
	if err := audit.RecordAll(ctx, w.tx, w.audits); err != nil {
		return err
	}
	if w.later {
		if err := pg.Notify(ctx, w.tx, queue.Channel, ""); err != nil {
			return err
		}
	}
	if len(w.outcomes) == 0 {
		return nil
	}
	return w.s.Decided(ctx, w.tx, w.outcomes)
}

// endTasks closes the tasks that are over. One that somebody has in hand at this very moment is left for the next look:
// they wait for our chain, and will be told that it is decided, so whoever waited for their task would wait in a
// circle.
func (w *work) endTasks(ctx context.Context) error {
	var ids []string
	for _, list := range w.closes {
		for _, c := range list {
			if c.id != "" {
				ids = append(ids, c.id)
			}
		}
	}
	busy, err := busyTasks(ctx, w.tx, ids)
	if err != nil {
		return err
	}
	for e, list := range w.closes {
		keys := map[string][]string{}
		for _, c := range list {
			if busy[c.id] {
				c.f.LeftTasks = append(c.f.LeftTasks, c.kind+" "+c.key)
				continue
			}
			keys[c.kind] = append(keys[c.kind], c.key)
		}
		for kind, keys := range keys {
			if _, err := decision.Close(ctx, w.tx, kind, keys, e.state, e.why); err != nil {
				return err
			}
		}
	}
	return nil
}

// freeToAssign refuses to change who decides a task that somebody has in hand: all of it is tried again, later.
func (w *work) freeToAssign(ctx context.Context) error {
	ids := make([]string, len(w.assigns))
	for i, a := range w.assigns {
		ids[i] = a.taskID
	}
	busy, err := busyTasks(ctx, w.tx, ids)
	if err == nil && len(busy) > 0 {
		err = errBusy
	}
	return err
}

// busyTasks locks the open ones of some tasks, and says which could not be because somebody has them in hand.
func busyTasks(ctx context.Context, tx *pg.Tx, ids []string) (map[string]bool, error) {
	busy := map[string]bool{}
	if len(ids) == 0 {
		return busy, nil
	}
	const sql = `
		with free as materialized (
		    select t.id
		      from decision_task t
		     where t.tenant_id = current_tenant()
		       and t.id = any(@ids::text[]::uuid[])
		       and t.state in ('open', 'claimed')
		       for update skip locked
		)
		select t.id::text
		  from decision_task t
		 where t.tenant_id = current_tenant()
		   and t.id = any(@ids::text[]::uuid[])
		   and t.state in ('open', 'claimed')
		   and t.id not in (select f.id from free f)`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("lock tasks: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("lock tasks: %w", err)
	}
	for _, id := range found {
		busy[id] = true
	}
	return busy, nil
}
