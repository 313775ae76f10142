package approval

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// ApprovalCalendarFields are what may be written of a calendar.
type ApprovalCalendarFields struct {
	Name        string            `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	Description string            `json:"description" db:"description" required:"false" maxLength:"4000"`
	Timezone    string            `json:"timezone" db:"timezone" required:"false" maxLength:"64" doc:"An IANA time zone name. The default is the time zone of the tenant." example:"Europe/Berlin"`
	Week        ApprovalWeek      `json:"week" db:"week" required:"false" doc:"The default is Monday to Friday, nine to five. A day without hours is free."`
	Holidays    []ApprovalHoliday `json:"holidays" db:"holidays" required:"false" nullable:"false" maxItems:"1000"`
	Usual       bool              `json:"usual" db:"usual" required:"false" doc:"Counted in wherever no calendar is named. Another one that was is no more."`
}

// ApprovalCalendar is a calendar as the API shows it.
type ApprovalCalendar struct {
	ID string `json:"id" db:"id"`
	ApprovalCalendarFields
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	Version   int       `json:"version" db:"version"`
}

const calendars = base + "/calendars"

func (s *Service) calendarRoutes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
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
			Describe("Times that were counted stay; those counted from now on follow it. Lists, such as holidays, " +
				"are replaced as a whole."),
		httpapi.Handle("DELETE", calendars+"/{id}", "Delete a work calendar", s.removeCalendar).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe("While a rule or an on-call schedule uses it, that is 409 calendar_in_use."),
	}
}

// check fills in what was left out, and refuses what cannot be counted in.
func (f *ApprovalCalendarFields) check(ctx context.Context, tx *pg.Tx) error {
	c := &checker{}
	if strings.TrimSpace(f.Name) == "" {
		c.refuse("#/name", "required", "a calendar needs a name")
	}
	if f.Timezone == "" {
		clock, err := Calendars(ctx, tx)
		if err != nil {
			return err
		}
		f.Timezone = clock.usual.Zone.String()
	}
	if _, err := zoneNamed(f.Timezone); err != nil {
		c.refuse("#/timezone", "unknown_timezone", "%s", err)
	}
	if f.Week.minutes(c) == 0 && len(c.wrong) == 0 {
		c.refuse("#/week", tooLate, "a calendar needs working time: without it, no task would ever be due")
	}
	f.Holidays = given(f.Holidays)
	slices.SortFunc(f.Holidays, func(a, b ApprovalHoliday) int { return strings.Compare(a.Date, b.Date) })
	for i, h := range f.Holidays {
		at := fmt.Sprintf("#/holidays/%d", i)
		if _, err := time.Parse(time.DateOnly, h.Date); err != nil {
			c.refuse(at+"/date", "invalid", "a date such as 2026-12-25")
		}
		if i > 0 && h.Date == f.Holidays[i-1].Date {
			c.refuse(at+"/date", "duplicate", "the date %s is listed twice", h.Date)
		}
		if strings.TrimSpace(h.Name) == "" {
			c.refuse(at+"/name", "required", "enter the name of the holiday")
		}
	}
	return c.verdict("calendar")
}

// minutes are how many people work in a week. Hours are put in order, and what overlaps is refused.
func (w *ApprovalWeek) minutes(c *checker) (sum int) {
	if slices.IndexFunc(weekdays, func(d string) bool { return *w.day(d) != nil }) < 0 {
		for _, d := range weekdays[1:6] {
			*w.day(d) = []ApprovalHours{{From: "09:00", To: "17:00"}}
		}
	}
	for _, name := range weekdays {
		day := w.day(name)
		*day = given(*day)
		slices.SortFunc(*day, func(a, b ApprovalHours) int { return strings.Compare(a.From, b.From) })
		last := 0
		for i, h := range *day {
			at := fmt.Sprintf("#/week/%s/%d", name, i)
			from, to := c.hours(at, h.From, h.To)
			if from < last {
				c.refuse(at+"/from", "overlap", "it begins before the part before it ends")
			}
			sum, last = sum+max(0, to-from), to
		}
	}
	return sum
}

type calendarsIn struct {
	httpapi.Paging
	Q string `query:"q" maxLength:"200" doc:"Words, each of which is part of a name, without regard to case, accents and order."`
}

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

const calendarColumns = `c.id::text as id, c.name, c.description, c.timezone, c.week, c.holidays, c.usual, c.created_at, c.updated_at, c.version`

func findCalendar(ctx context.Context, tx *pg.Tx, id, locking string) (ApprovalCalendar, error) {
	return findOne[ApprovalCalendar](
		ctx,
		tx,
		"calendar",
		`select `+calendarColumns+` from work_calendar c where c.id = $1`+locking,
		id,
	)
}

func (s *Service) oneCalendar(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[ApprovalCalendar], error) {
	var found ApprovalCalendar
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = findCalendar(ctx, tx, in.ID, "")
		return err
	})
	return &httpapi.One[ApprovalCalendar]{ETag: httpapi.ETag(found.Version), Body: found}, err
}

type postCalendarIn struct{ Body ApprovalCalendarFields }

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
	ID string `path:"id"`
	httpapi.IfMatch
	Body    ApprovalCalendarFields
	RawBody []byte
}

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

// putCalendar writes a calendar. Of those that are usual the last one stays so.
func putCalendar(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	before, after ApprovalCalendarFields,
	action string,
) (ApprovalCalendar, error) {
	const (
		others = `update work_calendar set usual = false, updated_at = now(),
			version = version + 1 where usual and id <> $1`
		put = `
			insert into work_calendar as c (tenant_id, id, name, description, timezone, week, holidays, usual)
			values (current_tenant(), @id, @name, @description, @timezone, @week, @holidays, @usual)
			    on conflict (tenant_id, id) do update
			   set name = @name, description = @description, timezone = @timezone, week = @week, holidays = @holidays,
			       usual = @usual,
			       updated_at = now(), version = c.version + 1`
	)
	if err := after.check(ctx, tx); err != nil {
		return ApprovalCalendar{}, err
	}
	changes, err := mergepatch.Diff(before, after)
	if err != nil {
		return ApprovalCalendar{}, err
	}
	if len(changes) > 0 {
		if after.Usual {
			if _, err := tx.Exec(ctx, others, id); err != nil {
				return ApprovalCalendar{}, fmt.Errorf("put usual calendar aside: %w", err)
			}
		}
		_, err := tx.Exec(
			ctx,
			put,
			pgx.NamedArgs{"id": id, "name": after.Name, "description": after.Description, "timezone": after.Timezone,
				"week": after.Week, "holidays": after.Holidays, "usual": after.Usual},
		)
		if err != nil {
			return ApprovalCalendar{}, taken(err, "work_calendar_name_unique", "a calendar", after.Name)
		}
		if err := audit.Record(
			ctx,
			tx,
			audit.Entry{Action: action, Subject: calendarSubject(id, after.Name), Changes: changes},
		); err != nil {
			return ApprovalCalendar{}, err
		}
	}
	return findCalendar(ctx, tx, id, "")
}

func calendarSubject(id, name string) audit.Subject {
	return audit.Subject{Type: "calendar", ID: id, Display: name}
}

func (s *Service) removeCalendar(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := findCalendar(ctx, tx, in.ID, " for update of c")
		if err != nil {
			return err
		}
		if err := in.Check(found.Version); err != nil {
			return err
		}
		if err := unused(ctx, tx, found.ID, "calendar_in_use", "calendar"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `delete from work_calendar where id = $1`, found.ID); err != nil {
			return fmt.Errorf("delete calendar: %w", err)
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "calendar.deleted", Subject: calendarSubject(found.ID, found.Name)},
		)
	})
}
