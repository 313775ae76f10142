package batch

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Commit ends tasks, writes chains, asks tasks and changes their assignees, in a few statements however many there
// are.
func (w *Batch) Commit(ctx context.Context) error {
	if err := w.endTasks(ctx); err != nil {
		return err
	}
	if err := w.freeToAssign(ctx); err != nil {
		return err
	}
	questions, err := question.Phrase(ctx, w.Tx, w.Asks)
	if err != nil {
		return err
	}
	for f := range w.touched {
		f.LookAt = f.NextDate(w.Now)
		w.later = w.later || f.Live() && !f.LookAt.After(w.Now) || len(f.LeftTasks) > 0
	}
	if err := store.Write(ctx, w.Tx, w.flows, w.logs); err != nil {
		return err
	}
	if len(questions) > 0 {
		if _, err := decision.Ask(ctx, w.Tx, questions); err != nil {
			return err
		}
	}
	for _, a := range w.assigns {
		if err := decision.Assign(ctx, w.Tx, a.taskID, a.add, a.drop, a.why); err != nil {
			return err
		}
	}
	if err := audit.RecordAll(ctx, w.Tx, w.audits); err != nil {
		return err
	}
	if w.later {
		if err := pg.Notify(ctx, w.Tx, queue.Channel, ""); err != nil {
			return err
		}
	}
	return nil
}

// endTasks closes the tasks that are over. One that somebody has in hand at this very moment is left for the next look:
// they wait for our chain, and will be told that it is decided, so whoever waited for their task would wait in a
// circle.
func (w *Batch) endTasks(ctx context.Context) error {
	var ids []string
	for _, list := range w.closes {
		for _, c := range list {
			if c.id != "" {
				ids = append(ids, c.id)
			}
		}
	}
	busy, err := BusyTasks(ctx, w.Tx, ids)
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
			if _, err := decision.Close(ctx, w.Tx, kind, keys, e.state, e.why); err != nil {
				return err
			}
		}
	}
	return nil
}

// freeToAssign refuses to change who decides a task that somebody has in hand: all of it is tried again, later.
func (w *Batch) freeToAssign(ctx context.Context) error {
	ids := make([]string, len(w.assigns))
	for i, a := range w.assigns {
		ids[i] = a.taskID
	}
	busy, err := BusyTasks(ctx, w.Tx, ids)
	if err == nil && len(busy) > 0 {
		err = ErrBusy
	}
	return err
}

// BusyTasks locks the open ones of some tasks, and says which could not be because somebody has them in hand.
func BusyTasks(ctx context.Context, tx *pg.Tx, ids []string) (map[string]bool, error) {
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
	found, err := pg.All[string](ctx, tx, "lock tasks", sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	for _, id := range found {
		busy[id] = true
	}
	return busy, nil
}

// ErrBusy says that somebody decides a task of the chain at this moment. Whoever waited for it could wait in a circle,
// so the work is tried again later.
var ErrBusy = errors.New("a task of the chain is being decided at this moment")
