package decision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Decide decides open tasks in the caller's transaction as its viewer, after every check of who may: for rooms that
// take decisions by paths of their own. The results are in the order of the ids.
func (s *Service) Decide(ctx context.Context, tx *pg.Tx, ids []string, d Decision) ([]error, error) {
	if d.Channel == "" {
		d.Channel = "request"
	}
	return s.decide(ctx, tx, ids, d, 0, nil)
}

// decide decides tasks, now or after a time in which that can be undone. also is one more check of each.
func (s *Service) decide(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	d Decision,
	wait time.Duration,
	also func(DecisionTask) error,
) ([]error, error) {
	d.At, d.By = s.Now().UTC().Truncate(time.Microsecond), ActorOf(tx.Viewer)
	tasks, err := lock(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	results, first := make([]error, len(ids)), map[string]int{}
	var answered []Answered
	var places []int
	for i, id := range ids {
		if _, again := first[id]; again { // named twice, it is decided once
			continue
		}
		first[id] = i
		t, there := tasks[id]
		if !there {
			results[i] = absent(id)
			continue
		}
		if results[i] = t.judge(tx, d, also); results[i] == nil {
			answered, places = append(answered, Answered{Task: t, Decision: d.actingFor(t)}), append(places, i)
		}
	}
	refused, err := s.tell(ctx, tx, answered, wait > 0)
	if err != nil {
		return nil, err
	}
	var accepted []Answered
	for n, a := range answered {
		if results[places[n]] = refused[n]; refused[n] == nil {
			accepted = append(accepted, a)
		}
	}
	for i, id := range ids {
		results[i] = results[first[id]]
	}
	var applyAt *time.Time
	if wait > 0 {
		at := d.At.Add(wait)
		applyAt = &at
	}
	return results, settle(ctx, tx, accepted, applyAt)
}

// judge is why the transaction's viewer does not decide a task so; nil: they may.
func (t DecisionTask) judge(tx *pg.Tx, d Decision, also func(DecisionTask) error) error {
	if err := t.waits(); err != nil {
		return err
	}
	if err := t.decidable(tx.Viewer); err != nil {
		return err
	}
	if also != nil {
		if err := also(t); err != nil {
			return err
		}
	}
	if err := t.free(tx.Viewer); err != nil {
		return err
	}
	return t.takes(d)
}

// actingFor is the decision with for whom it is made.
func (d Decision) actingFor(t DecisionTask) Decision {
	if a, is := t.assignee(d.By.IdentityID); is && a.ActingFor != nil {
		d.By.ActingFor = &a.ActingFor.ID
	}
	return d
}

// tell tells those who asked, kind by kind, and gives why they refuse. With try, what they did is undone.
func (s *Service) tell(ctx context.Context, tx *pg.Tx, answered []Answered, try bool) ([]error, error) {
	refused := make([]error, len(answered))
	var kinds []string
	by := map[string][]int{}
	for i, a := range answered {
		if _, known := by[a.Task.Kind]; !known {
			kinds = append(kinds, a.Task.Kind)
		}
		by[a.Task.Kind] = append(by[a.Task.Kind], i)
	}
	for _, kind := range kinds {
		group := make([]Answered, len(by[kind]))
		for n, i := range by[kind] {
			group[n] = answered[i]
		}
		results, err := s.tellOne(ctx, tx, kind, group, try)
		if err != nil {
			return nil, err
		}
		for n, i := range by[kind] {
			refused[i] = results[n]
		}
	}
	return refused, nil
}

// tellOne tells the room that asks tasks of a kind.
func (s *Service) tellOne(ctx context.Context, tx *pg.Tx, kind string, group []Answered, try bool) ([]error, error) {
	answer, known := s.Answers[kind]
	if !known {
		results := make([]error, len(group))
		for i := range results {
			results[i] = fault.Coded(
				fault.Conflict,
				"not_decidable",
				"nothing in this installation takes decisions about tasks of the kind %s",
				kind,
			)
		}
		return results, nil
	}
	at := tx
	if try {
		inner, err := tx.Begin(ctx)
		if err != nil {
			return nil, fmt.Errorf("try a decision: %w", err)
		}
		defer func() { _ = inner.Rollback(ctx) }()
		at = &pg.Tx{Tx: inner, Viewer: tx.Viewer}
	}
	results, err := answer(ctx, at, group)
	if err != nil {
		return nil, fmt.Errorf("answer %s: %w", kind, err)
	}
	if len(results) != len(group) {
		return nil, fmt.Errorf("answer %s: %d results for %d decisions", kind, len(results), len(group))
	}
	for _, r := range results {
		var f *fault.Fault
		if r != nil && !errors.As(r, &f) {
			return nil, fmt.Errorf("answer %s: %w", kind, r)
		}
	}
	return results, nil
}

// settle writes decisions down: in the tasks, in their histories and in the audit log.
func settle(ctx context.Context, tx *pg.Tx, accepted []Answered, applyAt *time.Time) error {
	const sql = `
		update decision_task t
		   set state = 'decided', decision = u.decision::jsonb, decided_at = @at, apply_at = @apply_at,
		       claimed_by = null, claimed_at = null, closed_reason = null,
		       updated_at = now(), version = t.version + 1
		  from unnest(@ids::text[]::uuid[], @decisions::text[]) u (id, decision)
		 where t.tenant_id = current_tenant()
		   and t.id = u.id`
	if len(accepted) == 0 {
		return nil
	}
	ids, decisions := make([]string, len(accepted)), make([]string, len(accepted))
	events, entries := make([]happened, len(accepted)), make([]audit.Entry, len(accepted))
	for i, a := range accepted {
		b, err := json.Marshal(a.Decision)
		if err != nil {
			return fmt.Errorf("encode decision: %w", err)
		}
		ids[i], decisions[i] = a.Task.ID, string(b)
		events[i], entries[i] = a.event(applyAt), a.entry(applyAt)
	}
	args := pgx.NamedArgs{"ids": ids, "decisions": decisions, "at": accepted[0].Decision.At, "apply_at": applyAt}
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	if err := follow(ctx, tx, ids); err != nil {
		return err
	}
	if err := note(ctx, tx, events); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}

// event is the decision for the task's history.
func (a Answered) event(applyAt *time.Time) happened {
	h := happened{task: a.Task.ID, event: "decided", detail: a.Task.label(a.Decision.Action)}
	if a.Task.ActingFor != nil {
		h.detail += ", for " + a.Task.ActingFor.Display
	}
	if a.Decision.Comment != "" {
		h.detail += ": " + a.Decision.Comment
	}
	if applyAt != nil {
		h.event = "deferred"
		h.detail += " (can be undone until " + when(*applyAt) + ")"
	}
	return h
}

// entry is the decision for the audit log.
func (a Answered) entry(applyAt *time.Time) audit.Entry {
	e := a.Task.entry("decision_task.decided")
	e.Reason = a.Decision.Comment
	e.Context["action"], e.Context["channel"] = a.Decision.Action, a.Decision.Channel
	if a.Task.ActingFor != nil {
		e.ActingFor = audit.Subject(*a.Task.ActingFor)
	}
	if applyAt != nil {
		e.Context["apply_at"] = applyAt.UTC().Format(time.RFC3339)
	}
	return e
}

// entry is an entry of the audit log about a task.
func (t DecisionTask) entry(action string) audit.Entry {
	e := audit.Entry{Action: action, Subject: audit.Subject(t.ref()), Context: map[string]any{"kind": t.Kind}}
	for _, r := range []Ref{t.Subject, t.Source} {
		if r.ID != "" {
			e.Objects = append(e.Objects, audit.Subject(r))
		}
	}
	return e
}
