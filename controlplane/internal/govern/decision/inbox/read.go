package inbox

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Read gives one task.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (d tasklist.DecisionTaskDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { d, err = tasklist.Read(ctx, tx, id); return err })
	return d, err
}

// List gives a page of tasks, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f tasklist.Filters,
	p pg.Page,
) (items []decision.DecisionTask, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = tasklist.List(ctx, tx, f, s.Now(), p)
		return err
	})
	return items, total, err
}

// Summary counts what waits for decisions, of the caller's own tasks, or of others.
func (s *Service) Summary(
	ctx context.Context,
	v viewer.Viewer,
	assigned string,
) (sum tasklist.DecisionSummary, err error) {
	err = s.DB.As(
		ctx,
		v,
		func(tx *pg.Tx) error { sum, err = tasklist.Summarize(ctx, tx, assigned, s.Now()); return err },
	)
	return sum, err
}
