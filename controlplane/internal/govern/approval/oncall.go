package approval

import (
	"context"
	"fmt"
	"net/http"
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

// OnCallScheduleFields are what may be written of a schedule.
type OnCallScheduleFields struct {
	Name        string    `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	Description string    `json:"description" db:"description" required:"false" maxLength:"4000"`
	IdentityIDs []string  `json:"identity_ids" db:"identity_ids" required:"false" nullable:"false" maxItems:"100" format:"uuid" doc:"The people who take turns, in their order. A person can appear several times."`
	Shift       string    `json:"shift" db:"shift" required:"false" maxLength:"64" doc:"The length of a turn as an ISO 8601 duration. The default is P7D. Turns of whole days change at the same time of the day." example:"P7D"`
	StartsAt    time.Time `json:"starts_at" db:"starts_at" required:"false" doc:"The start of the first turn. The default is now."`
	CalendarID  *string   `json:"calendar_id" db:"calendar_id" required:"false" format:"uuid" doc:"The calendar in whose zone days are counted; null: the usual one."`
}

// OnCallSchedule is a schedule as the API shows it.
type OnCallSchedule struct {
	ID string `json:"id" db:"id"`
	OnCallScheduleFields
	OnCallID  string    `json:"on_call_identity_id" db:"-" doc:"Whose turn it is now."`
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	Version   int       `json:"version" db:"version"`
}

const onCall = base + "/on-call"

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
			Describe("While a rule uses it, that is 409 schedule_in_use."),
	}
}

func (f *OnCallScheduleFields) check(ctx context.Context, tx *pg.Tx, now time.Time) error {
	if f.Shift == "" {
		f.Shift = "P7D"
	}
	if f.StartsAt.IsZero() {
		f.StartsAt = now.UTC().Truncate(time.Second)
	}
	f.StartsAt = f.StartsAt.UTC()
	f.IdentityIDs = given(f.IdentityIDs)
	c := &checker{}
	if strings.TrimSpace(f.Name) == "" {
		c.refuse("#/name", "required", "a schedule needs a name")
	}
	if len(f.IdentityIDs) == 0 {
		c.refuse("#/identity_ids", "required", "at least one person takes turns")
	}
	for i, id := range f.IdentityIDs {
		c.mention("identity", id, fmt.Sprintf("#/identity_ids/%d", i))
	}
	if f.CalendarID != nil {
		c.mention("work_calendar", *f.CalendarID, "#/calendar_id")
	}
	if d := c.length("#/shift", f.Shift, true, aYear); d > 0 && d < time.Minute {
		c.refuse("#/shift", "invalid_duration", "at least a minute")
	}
	if err := c.find(ctx, tx); err != nil {
		return err
	}
	return c.verdict("schedule")
}

// turns fills in whose turn it is.
func turns(ctx context.Context, tx *pg.Tx, of []OnCallSchedule, at time.Time) error {
	o, ids := &org{}, make([]string, len(of))
	for i := range of {
		ids[i] = of[i].ID
	}
	var err error
	if o.clock, err = Calendars(ctx, tx); err != nil {
		return err
	}
	if err := o.loadDuty(ctx, tx, ids, at); err != nil {
		return err
	}
	for i := range of {
		if turn := o.duty[of[i].ID]; len(turn) > 0 {
			of[i].OnCallID = turn[0]
		}
	}
	return nil
}

type onCallIn struct {
	httpapi.Paging
	Q string `query:"q" maxLength:"200" doc:"Words, each of which is part of a name, without regard to case, accents and order."`
}

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

const onCallColumns = `s.id::text as id, s.name, s.description, s.identity_ids::text[] as identity_ids, s.shift, s.starts_at,
	s.calendar_id::text as calendar_id, s.created_at, s.updated_at, s.version`

func (s *Service) findOnCall(ctx context.Context, tx *pg.Tx, id, locking string) (OnCallSchedule, error) {
	found, err := findOne[OnCallSchedule](
		ctx,
		tx,
		"on-call schedule",
		`select `+onCallColumns+` from on_call_schedule s where s.id = $1`+locking,
		id,
	)
	if err != nil {
		return OnCallSchedule{}, err
	}
	one := []OnCallSchedule{found}
	err = turns(ctx, tx, one, s.Now())
	return one[0], err
}

func (s *Service) oneOnCall(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[OnCallSchedule], error) {
	var found OnCallSchedule
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = s.findOnCall(ctx, tx, in.ID, "")
		return err
	})
	return &httpapi.One[OnCallSchedule]{ETag: httpapi.ETag(found.Version), Body: found}, err
}

type postOnCallIn struct{ Body OnCallScheduleFields }

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
	ID string `path:"id"`
	httpapi.IfMatch
	Body    OnCallScheduleFields
	RawBody []byte
}

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

func (s *Service) putOnCall(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	before, after OnCallScheduleFields,
	action string,
) (OnCallSchedule, error) {
	const put = `
		insert into on_call_schedule as s (tenant_id, id, name, description, identity_ids, shift, starts_at,
		    calendar_id)
		values (current_tenant(), @id, @name, @description, @identities::text[]::uuid[], @shift, @starts_at, @calendar)
		    on conflict (tenant_id, id) do update
		   set name = @name, description = @description, identity_ids = @identities::text[]::uuid[], shift = @shift,
		       starts_at = @starts_at, calendar_id = @calendar, updated_at = now(), version = s.version + 1`
	if err := after.check(ctx, tx, s.Now()); err != nil {
		return OnCallSchedule{}, err
	}
	changes, err := mergepatch.Diff(before, after)
	if err != nil {
		return OnCallSchedule{}, err
	}
	if len(changes) > 0 {
		_, err := tx.Exec(
			ctx,
			put,
			pgx.NamedArgs{
				"id":          id,
				"name":        after.Name,
				"description": after.Description,
				"identities":  after.IdentityIDs,
				"shift":       after.Shift,
				"starts_at":   after.StartsAt,
				"calendar":    after.CalendarID,
			},
		)
		if err != nil {
			return OnCallSchedule{}, taken(err, "on_call_schedule_name_unique", "an on-call schedule", after.Name)
		}
		if err := audit.Record(
			ctx,
			tx,
			audit.Entry{Action: action, Subject: scheduleSubject(id, after.Name), Changes: changes},
		); err != nil {
			return OnCallSchedule{}, err
		}
	}
	return s.findOnCall(ctx, tx, id, "")
}

func scheduleSubject(id, name string) audit.Subject {
	return audit.Subject{Type: "on_call_schedule", ID: id, Display: name}
}

func (s *Service) removeOnCall(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := s.findOnCall(ctx, tx, in.ID, " for update of s")
		if err != nil {
			return err
		}
		if err := in.Check(found.Version); err != nil {
			return err
		}
		if err := unused(ctx, tx, found.ID, "schedule_in_use", "schedule"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `delete from on_call_schedule where id = $1`, found.ID); err != nil {
			return fmt.Errorf("delete on-call schedule: %w", err)
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "on_call_schedule.deleted", Subject: scheduleSubject(found.ID, found.Name)},
		)
	})
}
