package changes

import (
	"context"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// Service returns what runs change.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// Routes are the paths of a run's changes.
func (s *Service) Routes() []httpapi.Route {
	const run = "/connectors/{id}/sync-runs/{run_id}"
	return []httpapi.Route{
		httpapi.Handle("GET", run+"/diff", "Summarize the changes of a sync run", s.diff).
			For(viewer.Admin, viewer.Auditor).
			Describe("Held kinds come first. Each group names the most affected departments, with samples; holds " +
				"name the exceeded limit and the probable cause."),
		httpapi.Handle("GET", run+"/changes", "List the changes of a sync run", s.changes).
			For(viewer.Admin, viewer.Auditor).
			Describe("For the first sync of a connector, lists the records that it added."),
		httpapi.Download("GET", run+"/changes.csv", "Export the changes of a sync run", "text/csv; charset=utf-8",
			s.csv).
			For(viewer.Admin, viewer.Auditor).
			Describe("The same list as a table. A cell that a spreadsheet would read as a formula begins with an " +
				"apostrophe."),
	}
}

type runIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the sync run.
	RunID string `path:"run_id"`
}

// diffOut is the response of diff.
type diffOut struct{ Body Diff }

// diff is GET of a run's changes in groups. It may read millions of rows, hence the bulk
// transaction.
func (s *Service) diff(ctx context.Context, v viewer.Viewer, in *runIn) (*diffOut, error) {
	out := &diffOut{}
	err := s.DB.AsBulk(ctx, v, func(tx *pg.Tx) (err error) {
		out.Body, err = FindDiff(ctx, tx, in.ID, in.RunID)
		return err
	})
	return out, err
}

type changesIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the sync run.
	RunID string `path:"run_id"`
	httpapi.Paging
	ChangeFilters
}

// changes is GET of a run's changes one by one.
func (s *Service) changes(ctx context.Context, v viewer.Viewer, in *changesIn) (*httpapi.ListOut[Change], error) {
	walk, err := s.Cursors.Walk(v, "sync_changes."+in.RunID, in.Paging, in.ChangeFilters)
	if err != nil {
		return nil, err
	}
	var found []Change
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		o, err := reconcile.FindRun(ctx, tx, in.ID, in.RunID, "")
		if err != nil {
			return err
		}
		if found, err = listChanges(ctx, tx, o.Listed, in.RunID, in.ChangeFilters, walk.Page); err != nil {
			return err
		}
		total, err = countMatching(ctx, tx, o.Listed, in.RunID, in.ChangeFilters)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, found, total, func(c Change) []string { return []string{strconv.FormatInt(c.N, 10)} }), nil
}
