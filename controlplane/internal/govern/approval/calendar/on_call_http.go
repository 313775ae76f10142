package calendar

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// onCall is the path of on-call schedules.
const onCall = "/approval-rules/on-call"

// onCallRoutes are the routes of on-call schedules. Administrators write; auditors read.
func (s *Service) onCallRoutes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", onCall, "List on-call schedules", s.listOnCall).For(both...).Describe(aboutOnCall),
		httpapi.Handle("POST", onCall, "Create an on-call schedule", s.postOnCall).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutOnCall),
		httpapi.Handle("GET", onCall+"/{id}", "Retrieve an on-call schedule", s.oneOnCall).For(both...),
		httpapi.Handle("PATCH", onCall+"/{id}", "Update an on-call schedule", s.patchOnCall).
			For(viewer.Admin).
			Errors(409, 412),
		httpapi.Handle("DELETE", onCall+"/{id}", "Delete an on-call schedule", s.removeOnCall).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe("A schedule that a rule uses cannot be deleted: 409 schedule_in_use."),
	}
}

// onCallIn is the input of listOnCall.
type onCallIn struct {
	httpapi.Paging
	// Words, each of which is part of a name, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
}

// listOnCall is GET of the on-call schedules, by name, with whose turn it is now.
func (s *Service) listOnCall(
	ctx context.Context,
	v viewer.Viewer,
	in *onCallIn,
) (*httpapi.ListOut[OnCallSchedule], error) {
	walk, err := s.Cursors.Walk(v, "on-call-schedules", in.Paging, in.Q)
	if err != nil {
		return nil, err
	}
	var items []OnCallSchedule
	var total int64
	q := schedulesByName()
	q.Search(in.Q, `s.name`)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[OnCallSchedule](ctx, tx, q, walk.Page); err != nil {
			return err
		}
		return turns(ctx, tx, items, s.Now())
	})
	return httpapi.Out(walk, items, total, func(c OnCallSchedule) []string { return []string{c.Name, c.ID} }), err
}

// oneOnCall is GET of one on-call schedule.
func (s *Service) oneOnCall(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[OnCallSchedule], error) {
	var found OnCallSchedule
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = s.findOnCall(ctx, tx, in.ID, "")
		return err
	})
	return &httpapi.One[OnCallSchedule]{ETag: httpapi.ETag(found.Version), Body: found}, err
}

// postOnCallIn is the input of postOnCall.
type postOnCallIn struct{ Body OnCallScheduleFields }

// postOnCall is POST of an on-call schedule.
func (s *Service) postOnCall(
	ctx context.Context,
	v viewer.Viewer,
	in *postOnCallIn,
) (*httpapi.Created[OnCallSchedule], error) {
	id := uuid.Must(uuid.NewV7()).String()
	var made OnCallSchedule
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		made, err = s.putOnCall(ctx, tx, id, OnCallScheduleFields{}, in.Body, "on_call_schedule.created")
		return err
	})
	return &httpapi.Created[OnCallSchedule]{
		Location: httpapi.Prefix + onCall + "/" + id,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, err
}

type patchOnCallIn struct {
	// ID of the on-call schedule.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    OnCallScheduleFields
	RawBody []byte
}

// patchOnCall is PATCH of an on-call schedule.
func (s *Service) patchOnCall(
	ctx context.Context,
	v viewer.Viewer,
	in *patchOnCallIn,
) (*httpapi.One[OnCallSchedule], error) {
	if err := mergepatch.Keep(in.RawBody, "name", "identity_ids", "shift", "starts_at"); err != nil {
		return nil, err
	}
	var changed OnCallSchedule
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := s.findOnCall(ctx, tx, in.ID, " for update of s")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		after, err := mergepatch.Apply(before.OnCallScheduleFields, in.RawBody)
		if err != nil {
			return err
		}
		changed, err = s.putOnCall(ctx, tx, before.ID, before.OnCallScheduleFields, after, "on_call_schedule.updated")
		return err
	})
	return &httpapi.One[OnCallSchedule]{ETag: httpapi.ETag(changed.Version), Body: changed}, err
}

// removeOnCall is DELETE of an on-call schedule. While a rule uses it, that is a conflict.
func (s *Service) removeOnCall(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := s.findOnCall(ctx, tx, in.ID, " for update of s")
		if err != nil {
			return err
		}
		if err := in.Check(found.Version); err != nil {
			return err
		}
		if err := check.CheckUnused(ctx, tx, found.ID, "schedule_in_use", "schedule"); err != nil {
			return err
		}
		if err := pg.Exec(
			ctx,
			tx,
			"delete on-call schedule",
			`delete from on_call_schedule where id = $1`,
			found.ID,
		); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "on_call_schedule.deleted", Subject: scheduleSubject(found.ID, found.Name)},
		)
	})
}
