package changes

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// csvPage is how many changes are read at once, each page in a transaction of its own: a slow reader holds none open.
const csvPage = 2000

// csvHeader names the columns; their order is part of the format.
var csvHeader = []string{
	"n",
	"object",
	"change",
	"state",
	"guard",
	"external_id",
	"display",
	"department",
	"container",
	"manager",
	"fields",
	"before",
	"after",
	"reason",
	"object_id",
	"at",
}

type csvIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the sync run.
	RunID string `path:"run_id"`
	ChangeFilters
}

// csv is GET of a run's changes as CSV. The export is recorded before the first row is sent.
func (s *Service) csv(ctx context.Context, v viewer.Viewer, in *csvIn) (httpapi.File, error) {
	var o reconcile.Outcome
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if o, err = reconcile.FindRun(ctx, tx, in.ID, in.RunID, ""); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "sync_run.changes_exported", Subject: audit.Subject{Type: "sync_run", ID: in.RunID},
				Context: map[string]any{"run_id": in.RunID, "connector_id": in.ID}},
		)
	})
	return httpapi.File{Name: "changes-" + in.RunID + ".csv", Write: func(ctx context.Context, w io.Writer) error {
		return s.writeCSV(ctx, v, w, o, in.RunID, in.ChangeFilters)
	}}, err
}

// writeCSV writes all matching changes, a page and a transaction at a time, so that a slow reader
// holds no transaction open. The changes of a run do not change once it is evaluated, but for their
// state.
func (s *Service) writeCSV(
	ctx context.Context,
	v viewer.Viewer,
	w io.Writer,
	o reconcile.Outcome,
	run string,
	f ChangeFilters,
) error {
	out := spreadsheet.New(w)
	if err := out.Write(csvHeader); err != nil {
		return fmt.Errorf("write changes: %w", err)
	}
	page := pg.Page{Limit: csvPage - 1}
	for {
		var found []Change
		err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
			found, err = listChanges(ctx, tx, o.Listed, run, f, page)
			return err
		})
		if err != nil {
			return err
		}
		for _, c := range found {
			if err := out.Write(c.cells()); err != nil {
				return fmt.Errorf("write changes: %w", err)
			}
		}
		if err := out.Flush(); err != nil || len(found) < csvPage {
			return err
		}
		page.After = []string{strconv.FormatInt(found[len(found)-1].N, 10)}
	}
}

// cells is the change as a row, in the order of csvHeader.
func (c Change) cells() []string {
	return []string{
		strconv.FormatInt(c.N, 10),
		c.Object,
		c.Change,
		c.State,
		text(c.Guard),
		c.ExternalID,
		c.Display,
		text(c.Department),
		text(c.Container),
		text(c.Manager),
		strings.Join(c.Fields, " "),
		string(c.Before),
		string(c.After),
		text(c.Reason),
		text(c.ObjectID),
		c.At.UTC().Format(time.RFC3339),
	}
}

// text is the text behind a pointer, empty for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
