package history

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
)

// Service answers what was. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

// Routes are the timelines, and the comparison of people.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/identities/{id}/timeline", "List the timeline of an identity", s.ofPerson).
			Describe(aboutTimelines),
		httpapi.Handle("GET", "/accounts/{id}/history", "List the history of an account", s.ofAccount).
			Describe(aboutTimelines),
		httpapi.Handle("GET", "/entitlements/grants/{id}/timeline", "List the timeline of a grant", s.ofGrant).
			Describe(aboutTimelines),
		httpapi.Handle("GET", "/identities/{id}/compare", "Compare the access of identities", s.compare).
			Describe(aboutCompare),
	}
}

const (
	aboutTimelines = "The newest first. Changes, grants and revocations, with actor and reason. The header " +
		"History-Since contains the start of the recorded history. " +
		"Events of related records are included if you may see them."
	aboutCompare = "With another person in with: the access of both, and of only one of them, today or on the date " +
		"in to. With from, and to or until now: the access that the person gained and lost in between."
)

// Filters narrow a timeline; each one given must hold.
type Filters struct {
	// What happened since this instant, or since the beginning of this day.
	From string `query:"from" maxLength:"40" example:"2026-05-01"`
	// What happened until this instant, or until the end of this day.
	To string `query:"to" maxLength:"40" example:"2026-05-31"`
	// Several values, separated by commas.
	Kind []string `query:"kind" enum:"record,state,account,grant,reason,role,request,provisioning,audit"`
}

type timelineIn struct {
	ID string `path:"id"`
	httpapi.Paging
	Filters
}

type timelineOut struct {
	// Since when the past is kept.
	HistorySince string `header:"History-Since"`
	Body         httpapi.List[HistoryEvent]
}

func (s *Service) ofPerson(ctx context.Context, v viewer.Viewer, in *timelineIn) (*timelineOut, error) {
	return s.timeline(ctx, v, "identities/timeline", in, personStory)
}

func (s *Service) ofAccount(ctx context.Context, v viewer.Viewer, in *timelineIn) (*timelineOut, error) {
	return s.timeline(ctx, v, "accounts/history", in, accountStory)
}

func (s *Service) ofGrant(ctx context.Context, v viewer.Viewer, in *timelineIn) (*timelineOut, error) {
	return s.timeline(ctx, v, "grants/timeline", in, grantStory)
}

// timeline answers a page of a story, after the check that the viewer may see it.
func (s *Service) timeline(ctx context.Context, v viewer.Viewer, name string, in *timelineIn,
	of func(ctx context.Context, tx *pg.Tx, id string) (story, error)) (*timelineOut, error) {
	walk, err := s.Cursors.Walk(v, name, in.Paging, []any{in.ID, in.Filters})
	if err != nil {
		return nil, err
	}
	var items []HistoryEvent
	var total int64
	var since time.Time
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		told, err := of(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if since, err = asof.HistoryStart(ctx, tx); err != nil {
			return err
		}
		if err := told.narrow(ctx, tx, in.Filters, s.Now()); err != nil {
			return err
		}
		items, total, err = told.read(ctx, tx, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := httpapi.Out(walk, items, total, HistoryEvent.after)
	return &timelineOut{since.UTC().Format(time.RFC3339Nano), out.Body}, nil
}
