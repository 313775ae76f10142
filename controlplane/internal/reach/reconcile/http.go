package reconcile

import (
	"context"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Routes of the room.
func (s *Service) Routes() []httpapi.Route {
	const run = "/connectors/{id}/sync-runs/{run_id}"
	return []httpapi.Route{
		httpapi.Handle("GET", run+"/diff", "Summarize the changes of a sync run", s.diff).
			For(viewer.Admin, viewer.Auditor).
			Describe("Held kinds come first. Each group names the most affected departments, with samples; holds " +
				"name the exceeded limit and the probable cause."),
		httpapi.Handle("GET", run+"/changes", "List the changes of a sync run", s.changes).
			For(viewer.Admin, viewer.Auditor).
			Describe("A connector's first load lists what it brought."),
		httpapi.Download("GET", run+"/changes.csv", "Export the changes of a sync run", "text/csv; charset=utf-8",
			s.csv).
			For(viewer.Admin, viewer.Auditor).
			Describe("The same as the list, as a table. A cell that a spreadsheet would take for a formula begins " +
				"with an apostrophe."),
		httpapi.Handle("GET", run+"/holds", "List the holds of a sync run", s.holds).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", run+"/release", "Release a held sync run", s.release).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe("Every change is checked again; changes that no longer match are skipped. Changes outside of " +
				"the subset stay held."),
		httpapi.Handle("POST", run+"/discard", "Discard a held sync run", s.discard).For(viewer.Admin).Errors(409).
			Describe("None of the held changes are applied. The next sync run computes them again."),
		httpapi.Handle("GET", "/connectors/{id}/safety", "Get the safety limits of a connector", s.safety).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PUT", "/connectors/{id}/safety", "Set the safety limits of a connector", s.decideSafety).
			For(viewer.Admin).
			Errors(412).
			Describe("The whole is replaced. Whatever lets more through than before needs a reason."),
	}
}

type runIn struct {
	ID    string `path:"id"`
	RunID string `path:"run_id"`
}

type diffOut struct{ Body Diff }

func (s *Service) diff(ctx context.Context, v viewer.Viewer, in *runIn) (*diffOut, error) {
	out := &diffOut{}
	err := s.DB.AsBulk(ctx, v, func(tx *pg.Tx) (err error) {
		out.Body, err = DiffOf(ctx, tx, in.ID, in.RunID)
		return err
	})
	return out, err
}

type changesIn struct {
	ID    string `path:"id"`
	RunID string `path:"run_id"`
	httpapi.Paging
	ChangeFilters
}

func (s *Service) changes(ctx context.Context, v viewer.Viewer, in *changesIn) (*httpapi.ListOut[Change], error) {
	walk, err := s.Cursors.Walk(v, "sync_changes."+in.RunID, in.Paging, in.ChangeFilters)
	if err != nil {
		return nil, err
	}
	var found []Change
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		o, err := look(ctx, tx, in.ID, in.RunID, "")
		if err != nil {
			return err
		}
		if found, err = listChanges(ctx, tx, o.listed, in.RunID, in.ChangeFilters, walk.Page); err != nil {
			return err
		}
		total, err = countMatching(ctx, tx, o.listed, in.RunID, in.ChangeFilters)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, found, total, func(c Change) []string { return []string{strconv.FormatInt(c.N, 10)} }), nil
}

// Holding is what a run holds.
type Holding struct {
	Items  []Hold            `json:"items" nullable:"false"`
	Held   int64             `json:"held" doc:"changes that wait for a decision"`
	Digest string            `json:"digest" doc:"of them; a release names it"`
	Links  map[string]string `json:"links"`
}

type holdsOut struct{ Body Holding }

func (s *Service) holds(ctx context.Context, v viewer.Viewer, in *runIn) (*holdsOut, error) {
	out := &holdsOut{Holding{Links: linksOf(in.ID, in.RunID)}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := look(ctx, tx, in.ID, in.RunID, ""); err != nil {
			return err
		}
		var err error
		if out.Body.Items, err = holdsOf(ctx, tx, in.RunID); err != nil {
			return err
		}
		out.Body.Digest, out.Body.Held, err = heldDigest(ctx, tx, in.RunID)
		return err
	})
	return out, err
}

type releaseIn struct {
	ID    string `path:"id"`
	RunID string `path:"run_id"`
	Body  Decision
}

type releaseOut struct{ Body Released }

func (s *Service) release(ctx context.Context, v viewer.Viewer, in *releaseIn) (*releaseOut, error) {
	released, err := s.Release(ctx, v, in.ID, in.RunID, in.Body)
	return &releaseOut{released}, err
}

// Dismissal is why what is held is discarded.
type Dismissal struct {
	Comment string `json:"comment" minLength:"1" maxLength:"2000" doc:"why; it goes into the audit log"`
}

type discardIn struct {
	ID    string `path:"id"`
	RunID string `path:"run_id"`
	Body  Dismissal
}

func (s *Service) discard(ctx context.Context, v viewer.Viewer, in *discardIn) (*holdsOut, error) {
	if err := s.Discard(ctx, v, in.ID, in.RunID, in.Body.Comment); err != nil {
		return nil, err
	}
	return s.holds(ctx, v, &runIn{in.ID, in.RunID})
}
