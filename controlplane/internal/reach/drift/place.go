package drift

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// write makes orders of what is to be written.
func (l *pass) write(c shape.Config, a *account, before state, pushes []push) {
	rule := slices.DeleteFunc(slices.Clone(pushes), func(p push) bool { return !p.byRule })
	pushes = slices.DeleteFunc(pushes, func(p push) bool { return p.byRule })
	origin, note := "lifecycle", "the person has changed"
	if l.resolve != nil {
		origin, note = "manual", "a person decided about drift"
	}
	if len(rule) > 0 && l.resolve == nil && l.room[c.ConnectorID] > 0 {
		if len(pushes) == 0 {
			origin, note = "drift", "the target has something else, and the connector's rule is to write it again"
			l.room[c.ConnectorID]--
		}
		pushes = append(pushes, rule...)
	}
	if len(pushes) == 0 {
		return
	}
	out := shape.Written(pushesOf(pushes))
	l.orders = append(
		l.orders,
		placing{
			Order:  Order{Operation: "update_account", AccountID: a.ID, Account: out, CreatedFrom: origin, Note: note},
			kept:   len(l.after) - 1,
			before: before,
			pushes: pushes,
			auto:   l.resolve == nil,
		},
	)
}

// pushesOf are the attributes without what was observed of them.
func pushesOf(pushes []push) []shape.Owned {
	out := make([]shape.Owned, len(pushes))
	for i, p := range pushes {
		out[i] = p.Owned
	}
	return out
}

// move orders another name, or place, where the template always says it.
func (l *pass) move(ctx context.Context, c shape.Config, a *account, f identity.Facts) error {
	names := l.names[a.ConnectorID]
	username, container, err := c.Moved(f, a.Username, names.Taken)
	var cannot *shape.Unmakable
	switch {
	case errors.As(err, &cannot):
		l.after[len(l.after)-1].State.Problems = append(l.after[len(l.after)-1].State.Problems, cannot.Problems...)
		return names.Err()
	case err != nil:
		return err
	}
	if err := names.Err(); err != nil {
		return err
	}
	if container != nil && strings.EqualFold(shape.Parent(a.Native), *container) {
		container = nil
	}
	if username == nil && container == nil {
		return nil
	}
	if username != nil {
		names.Take(*username)
	}
	l.orders = append(
		l.orders,
		placing{
			Order: Order{
				Operation:   "rename_account",
				AccountID:   a.ID,
				Account:     v1.ProvisionAccount{Username: username, Container: container},
				CreatedFrom: "lifecycle",
				Note:        "the person has changed",
			},
			kept: len(l.after) - 1,
			auto: true,
		},
	)
	return nil
}

// place hands the orders in. One that cannot be placed by rule leaves what it is about as drift; where a change of the
// account is open already, it is looked at again when that has ended.
func (l *pass) place(ctx context.Context) ([]string, error) {
	var tasks []string
	for _, o := range l.orders {
		id, err := l.s.Place(ctx, l.tx, o.Order)
		if err == nil {
			tasks = append(tasks, id)
			l.placed(o, id)
			continue
		}
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable || !o.auto {
			return nil, err
		}
		if f.Code == "task_open" && l.configs[l.after[o.kept].ConnectorID].WriteMode != writing.WriteSimulate {
			l.undo(o)
			l.again = append(l.again, l.after[o.kept].AccountID)
		}
	}
	return tasks, nil
}

// placed notes in the state which task writes the attributes of an order.
func (l *pass) placed(o placing, task string) {
	after := &l.after[o.kept].State
	for _, p := range o.pushes {
		after.Pushed[p.Target] = pushed{Desired: p.Value, Observed: p.observed, TaskID: task}
		for i := range after.Drift {
			if after.Drift[i].Field == p.Target {
				after.Drift[i].TaskID = &task
			}
		}
	}
}

// undo forgets that the template has changed, so that the next pass finds it again.
func (l *pass) undo(o placing) {
	after := &l.after[o.kept].State
	for _, p := range o.pushes {
		if was, known := o.before.Desired[p.Target]; known {
			after.Desired[p.Target] = was
		}
	}
}

// patience is after which time an account is looked at again that a change is open of.
const patience = time.Minute

// store writes all new states in one statement.
func (l *pass) store(ctx context.Context) error {
	for i := range l.after {
		k := &l.after[i]
		for _, part := range []struct {
			to   *json.RawMessage
			from any
		}{{&k.Desired, k.State.Desired}, {&k.Drift, k.State.Drift}, {&k.Accepted, k.State.Accepted},
			{&k.Pushed, k.State.Pushed}, {&k.Problems, k.State.Problems}} {
			b, err := json.Marshal(part.from)
			if err != nil {
				return fmt.Errorf("keep what was compared: %w", err)
			}
			*part.to = b
		}
	}
	text, err := json.Marshal(l.after)
	if err != nil {
		return fmt.Errorf("keep what was compared: %w", err)
	}
	const sql = `
		insert into account_shape (tenant_id, account_id, connector_id, desired, drift, accepted, pushed, problems)
		select current_tenant(), r.account_id, r.connector_id, r.desired, r.drift, r.accepted, r.pushed, r.problems
		  from jsonb_to_recordset($1::jsonb) r (account_id uuid, connector_id uuid, desired jsonb, drift jsonb,
		      accepted jsonb, pushed jsonb, problems jsonb)
		    on conflict (tenant_id, account_id) do update
		   set connector_id = excluded.connector_id, desired = excluded.desired, drift = excluded.drift,
		       accepted = excluded.accepted, pushed = excluded.pushed, problems = excluded.problems, looked_at = now()`
	if len(l.after) > 0 {
		if _, err := l.tx.Exec(ctx, sql, string(text)); err != nil {
			return fmt.Errorf("keep what was compared: %w", err)
		}
	}
	if len(l.again) == 0 {
		return nil
	}
	return queue.Enqueue(ctx, l.tx, queue.Work{Kind: kind, Subjects: l.again, Cause: whyPerson, Delay: patience})
}
