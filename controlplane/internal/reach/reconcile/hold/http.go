package hold

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// Service answers for what runs hold, and takes decisions about it.
type Service struct {
	DB   *pg.DB
	Wake func() // makes the worker look for runs at once; nil: it finds them by itself
	Now  func() time.Time
}

// Routes are the paths of a run's holds.
func (s *Service) Routes() []httpapi.Route {
	const run = "/connectors/{id}/sync-runs/{run_id}"
	return []httpapi.Route{
		httpapi.Handle("GET", run+"/holds", "List the holds of a sync run", s.holds).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", run+"/release", "Release a held sync run", s.release).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe("Every change is checked again; changes that no longer match are skipped. Changes outside of " +
				"the subset stay held."),
		httpapi.Handle("POST", run+"/discard", "Discard a held sync run", s.discard).For(viewer.Admin).Errors(409).
			Describe("None of the held changes are applied. The next sync run computes them again."),
	}
}

type holdsIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the held sync run.
	RunID string `path:"run_id"`
}

// Holding is what a run holds.
type Holding struct {
	// Kinds of change that are held.
	Items []reconcile.Hold `json:"items" nullable:"false"`
	// Number of changes that await a decision.
	Held int64 `json:"held"`
	// Digest of the held changes. A release names it.
	Digest string `json:"digest"`
	// URLs of the sync run and of related resources, by name.
	Links map[string]string `json:"links"`
}

// holdsOut is the response with what a run holds.
type holdsOut struct{ Body Holding }

// holds is GET of what a run holds, with the digest that a release has to name: the administrator
// releases what was shown and nothing else.
func (s *Service) holds(ctx context.Context, v viewer.Viewer, in *holdsIn) (*holdsOut, error) {
	out := &holdsOut{Holding{Links: reconcile.Links(in.ID, in.RunID)}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := reconcile.FindRun(ctx, tx, in.ID, in.RunID, ""); err != nil {
			return err
		}
		var err error
		if out.Body.Items, err = List(ctx, tx, in.RunID); err != nil {
			return err
		}
		out.Body.Digest, out.Body.Held, err = Digest(ctx, tx, in.RunID)
		return err
	})
	return out, err
}

type releaseIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the held sync run.
	RunID string `path:"run_id"`
	Body  Decision
}

// releaseOut is the response of a release.
type releaseOut struct{ Body Released }

// release is POST …/release.
func (s *Service) release(ctx context.Context, v viewer.Viewer, in *releaseIn) (*releaseOut, error) {
	released, err := s.Release(ctx, v, in.ID, in.RunID, in.Body)
	return &releaseOut{released}, err
}

// Dismissal is why what is held is discarded.
type Dismissal struct {
	// Reason for the decision, which is recorded in the audit log.
	Comment string `json:"comment" minLength:"1" maxLength:"2000"`
}

type discardIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the held sync run.
	RunID string `path:"run_id"`
	Body  Dismissal
}

// discard is POST …/discard. The response is what the run holds afterwards: nothing.
func (s *Service) discard(ctx context.Context, v viewer.Viewer, in *discardIn) (*holdsOut, error) {
	if err := s.Discard(ctx, v, in.ID, in.RunID, in.Body.Comment); err != nil {
		return nil, err
	}
	return s.holds(ctx, v, &holdsIn{in.ID, in.RunID})
}
