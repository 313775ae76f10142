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

const (
	aboutCalendars = "A calendar defines the working time for due times. A day of a duration is a working day, " +
		"whatever its hours; the rest is counted in working hours: a task that is created on Friday at 15:00 with " +
		"P1D is due on Monday at 15:00. One calendar is the default. Without one, working time is Monday to Friday, " +
		"9:00 to 17:00, in the tenant's time zone."
	aboutOnCall = "People take turns: each is on call for one shift. If the person on call is not available, the " +
		"next person is asked."
)

// calendars is the path of work calendars.
const calendars = "/approval-rules/calendars"

// Routes are the paths of calendars and on-call schedules. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return append([]httpapi.Route{
		httpapi.Handle("GET", calendars, "List work calendars", s.listCalendars).For(both...).Describe(aboutCalendars),
		httpapi.Handle("POST", calendars, "Create a work calendar", s.postCalendar).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutCalendars),
		httpapi.Handle("GET", calendars+"/{id}", "Retrieve a work calendar", s.oneCalendar).For(both...),
		httpapi.Handle("PATCH", calendars+"/{id}", "Update a work calendar", s.patchCalendar).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("Due times that were already computed stay; later ones follow the changed calendar. Lists, such " +
				"as holidays, are replaced as a whole."),
		httpapi.Handle("DELETE", calendars+"/{id}", "Delete a work calendar", s.removeCalendar).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe("A calendar that a rule or an on-call schedule uses cannot be deleted: 409 calendar_in_use."),
	}, s.onCallRoutes()...)
}

type idIn struct {
	// ID of the work calendar or on-call schedule.
	ID string `path:"id"`
}

type matchIn struct {
	// ID of the work calendar or on-call schedule.
	ID string `path:"id"`
	httpapi.IfMatch
}

// calendarsIn is the input of listCalendars.
type calendarsIn struct {
	httpapi.Paging
	// Words, each of which is part of a name, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
}

// listCalendars is GET of the work calendars, by name.
func (s *Service) listCalendars(
	ctx context.Context,
	v viewer.Viewer,
	in *calendarsIn,
) (*httpapi.ListOut[ApprovalCalendar], error) {
	walk, err := s.Cursors.Walk(v, "approval-calendars", in.Paging, in.Q)
	if err != nil {
		return nil, err
	}
	var items []ApprovalCalendar
	var total int64
	q := calendarsByName()
	q.Search(in.Q, `c.name`)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[ApprovalCalendar](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, func(c ApprovalCalendar) []string { return []string{c.Name, c.ID} }), err
}

// oneCalendar is GET of one work calendar.
func (s *Service) oneCalendar(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[ApprovalCalendar], error) {
	var found ApprovalCalendar
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = findCalendar(ctx, tx, in.ID, "")
		return err
	})
	return &httpapi.One[ApprovalCalendar]{ETag: httpapi.ETag(found.Version), Body: found}, err
}

// postCalendarIn is the input of postCalendar.
type postCalendarIn struct{ Body ApprovalCalendarFields }

// postCalendar is POST of a work calendar.
func (s *Service) postCalendar(
	ctx context.Context,
	v viewer.Viewer,
	in *postCalendarIn,
) (*httpapi.Created[ApprovalCalendar], error) {
	id := uuid.Must(uuid.NewV7()).String()
	var made ApprovalCalendar
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		made, err = putCalendar(ctx, tx, id, ApprovalCalendarFields{}, in.Body, "calendar.created")
		return err
	})
	return &httpapi.Created[ApprovalCalendar]{
		Location: httpapi.Prefix + calendars + "/" + id,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, err
}

type patchCalendarIn struct {
	// ID of the work calendar.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    ApprovalCalendarFields
	RawBody []byte
}

// patchCalendar is PATCH of a work calendar. The row is locked from If-Match to the end. Members
// that may not be null are refused as null.
func (s *Service) patchCalendar(
	ctx context.Context,
	v viewer.Viewer,
	in *patchCalendarIn,
) (*httpapi.One[ApprovalCalendar], error) {
	if err := mergepatch.Keep(in.RawBody, "name", "timezone", "week", "holidays", "usual"); err != nil {
		return nil, err
	}
	var changed ApprovalCalendar
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := findCalendar(ctx, tx, in.ID, " for update of c")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		after, err := mergepatch.Apply(before.ApprovalCalendarFields, in.RawBody)
		if err != nil {
			return err
		}
		changed, err = putCalendar(ctx, tx, before.ID, before.ApprovalCalendarFields, after, "calendar.updated")
		return err
	})
	return &httpapi.One[ApprovalCalendar]{ETag: httpapi.ETag(changed.Version), Body: changed}, err
}

// removeCalendar is DELETE of a work calendar. While something uses it, that is a conflict.
func (s *Service) removeCalendar(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := findCalendar(ctx, tx, in.ID, " for update of c")
		if err != nil {
			return err
		}
		if err := in.Check(found.Version); err != nil {
			return err
		}
		if err := check.CheckUnused(ctx, tx, found.ID, "calendar_in_use", "calendar"); err != nil {
			return err
		}
		if err := pg.Exec(ctx, tx, "delete calendar", `delete from work_calendar where id = $1`, found.ID); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "calendar.deleted", Subject: calendarSubject(found.ID, found.Name)},
		)
	})
}
