package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Answerer carries out decisions about tasks of the kind, each by itself: one that cannot be done undoes no other.
func (k Kind) Answerer() decision.Answer {
	return func(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
		results := make([]error, len(answered))
		ids := make([]string, len(answered))
		for i, a := range answered {
			ids[i] = a.Task.Key
		}
		waiting, err := k.waiting(ctx, tx, ids)
		if err != nil {
			return nil, err
		}
		why, err := k.ended(
			ctx,
			tx,
			slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(waiting, id) }),
		)
		if err != nil {
			return nil, err
		}
		err = tx.With(ctx, settings(k.Bulk), func() (err error) {
			for i, a := range answered {
				if over, is := why[ids[i]]; is {
					results[i] = fault.Coded(fault.Conflict, "matter_settled", "This no longer needs a decision: "+
						"%s", over).
						Also("allowed", []string{})
					continue
				}
				if results[i], err = carry(ctx, tx, k, a); err != nil {
					return err
				}
			}
			return nil
		})
		return results, err
	}
}

// settings let a decision reach whatever the task is about: that its maker may decide it has been checked. bulk is for
// decisions about thousands of rows.
func settings(bulk bool) pg.Settings {
	wide := pg.Settings{"app.sees": "all"}
	if bulk {
		return wide.And(pg.LoadedTables).And(pg.Settings{"statement_timeout": "10min"})
	}
	return wide
}

// carry carries one decision out, or gives the fault for which it cannot be.
func carry(ctx context.Context, tx *pg.Tx, k Kind, a decision.Answered) (refused, err error) {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("carry a decision out: %w", err)
	}
	err = k.Answer(ctx, &pg.Tx{Tx: inner, Viewer: maker(tx.Viewer, a.Decision.By)}, a)
	if err == nil {
		return nil, inner.Commit(ctx)
	}
	if back := inner.Rollback(ctx); back != nil {
		return nil, errors.Join(err, back)
	}
	var f *fault.Fault
	if errors.As(err, &f) && f.Kind != fault.Internal && f.Kind != fault.Unavailable {
		return f, nil
	}
	return nil, err
}

// maker is on whose behalf a decision is carried out: who made it, also when that is done later.
func maker(v viewer.Viewer, by decision.Actor) viewer.Viewer {
	if v.Kind == viewer.Machine && by.ID != "" {
		v.Kind, v.ID, v.Display, v.Identity = viewer.Kind(by.Type), by.ID, by.Display, by.IdentityID
		v.Maker, v.MakerIdentity = by.MakerID, by.MakerIdentityID
	}
	if !v.Has(viewer.Admin) {
		v.Roles = append(slices.Clone(v.Roles), viewer.Admin)
	}
	return v
}

// Keep has nobody asked about the task's object again, until the time has come or about is something else. until nil:
// for good.
func Keep(ctx context.Context, tx *pg.Tx, kind string, a decision.Answered, about string, until *time.Time) error {
	const sql = `
		insert into decision_kept (tenant_id, kind, source_id, about, until, comment, decided_by)
		values (current_tenant(), @kind, @id, @about, @until, @comment, @by)
		    on conflict (tenant_id, kind, source_id) do update
		   set about = excluded.about, until = excluded.until, comment = excluded.comment,
		       decided_by = excluded.decided_by, decided_at = now()`
	_, err := tx.Exec(
		ctx,
		sql,
		pgx.NamedArgs{
			"kind":    kind,
			"id":      a.Task.Key,
			"about":   about,
			"until":   until,
			"comment": a.Decision.Comment,
			"by":      a.Decision.By,
		},
	)
	if err != nil {
		return fmt.Errorf("keep as it is: %w", err)
	}
	return nil
}
