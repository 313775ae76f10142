package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// callAnswers reports to the packages that asked, kind by kind, and returns why they refuse. With try, it is undone.
func (s *Service) callAnswers(ctx context.Context, tx *pg.Tx, answered []decision.Answered, try bool) ([]error, error) {
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
		group := make([]decision.Answered, len(by[kind]))
		for n, i := range by[kind] {
			group[n] = answered[i]
		}
		results, err := s.callAnswer(ctx, tx, kind, group, try)
		if err != nil {
			return nil, err
		}
		for n, i := range by[kind] {
			refused[i] = results[n]
		}
	}
	return refused, nil
}

// callAnswer reports to the package that asks tasks of a kind.
func (s *Service) callAnswer(
	ctx context.Context,
	tx *pg.Tx,
	kind string,
	group []decision.Answered,
	try bool,
) ([]error, error) {
	answer, known := s.Answers[kind]
	if !known {
		results := make([]error, len(group))
		for i := range results {
			results[i] = fault.Coded(
				fault.Conflict,
				"not_decidable",
				"Tasks of the kind %s cannot be decided in this installation.",
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
func settle(ctx context.Context, tx *pg.Tx, accepted []decision.Answered, applyAt *time.Time) error {
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
	events, entries := make([]decision.HistoryEntry, len(accepted)), make([]audit.Entry, len(accepted))
	for i, a := range accepted {
		b, err := json.Marshal(a.Decision)
		if err != nil {
			return fmt.Errorf("encode decision: %w", err)
		}
		ids[i], decisions[i] = a.Task.ID, string(b)
		events[i], entries[i] = a.HistoryEntry(applyAt), a.AuditEntry(applyAt)
	}
	args := pgx.NamedArgs{"ids": ids, "decisions": decisions, "at": accepted[0].Decision.At, "apply_at": applyAt}
	if err := pg.Exec(ctx, tx, "decide", sql, args); err != nil {
		return err
	}
	if err := decision.SyncOpen(ctx, tx, ids); err != nil {
		return err
	}
	if err := decision.AddHistory(ctx, tx, events); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}
