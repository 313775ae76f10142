package calendar

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/clock"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// OnCallScheduleFields are what may be written of a schedule.
type OnCallScheduleFields struct {
	// Display name of the on-call schedule. It must be unique.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the on-call schedule, for administrators.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// The people who take turns, in their order. A person can appear several times.
	IdentityIDs []string `json:"identity_ids" db:"identity_ids" required:"false" nullable:"false" maxItems:"100" format:"uuid"`
	// The length of a turn as an ISO 8601 duration. The default is P7D. Turns of whole days change at the same time of
	// the day.
	Shift string `json:"shift" db:"shift" required:"false" maxLength:"64" example:"P7D"`
	// The start of the first turn. The default is now.
	StartsAt time.Time `json:"starts_at" db:"starts_at" required:"false"`
	// The calendar in whose zone days are counted; null: the usual one.
	CalendarID *string `json:"calendar_id" db:"calendar_id" required:"false" format:"uuid"`
}

// OnCallSchedule is a schedule as the API shows it.
type OnCallSchedule struct {
	// ID of the on-call schedule.
	ID string `json:"id" db:"id"`
	OnCallScheduleFields
	// Whose turn it is now.
	OnCallID string `json:"on_call_identity_id" db:"-"`
	// Time the on-call schedule was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time of the last change to the on-call schedule.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// check fills in defaults (shifts of a week from now on) and reports everything that is wrong with
// the schedule at once, references to people and calendars included.
func (f *OnCallScheduleFields) check(ctx context.Context, tx *pg.Tx, now time.Time) error {
	if f.Shift == "" {
		f.Shift = "P7D"
	}
	if f.StartsAt.IsZero() {
		f.StartsAt = now.UTC().Truncate(time.Second)
	}
	f.StartsAt = f.StartsAt.UTC()
	f.IdentityIDs = approval.NonNil(f.IdentityIDs)
	c := &check.Checker{}
	if strings.TrimSpace(f.Name) == "" {
		c.Refuse("#/name", "required", "a schedule needs a name")
	}
	if len(f.IdentityIDs) == 0 {
		c.Refuse("#/identity_ids", "required", "at least one person takes turns")
	}
	for i, id := range f.IdentityIDs {
		c.Mention("identity", id, fmt.Sprintf("#/identity_ids/%d", i))
	}
	if f.CalendarID != nil {
		c.Mention("work_calendar", *f.CalendarID, "#/calendar_id")
	}
	if d := c.Duration("#/shift", f.Shift, true, check.Year); d > 0 && d < time.Minute {
		c.Refuse("#/shift", "invalid_duration", "at least a minute")
	}
	if err := c.FindReferences(ctx, tx); err != nil {
		return err
	}
	return c.Verdict("schedule")
}

// turns fills in whose turn it is.
func turns(ctx context.Context, tx *pg.Tx, of []OnCallSchedule, at time.Time) error {
	ids := make([]string, len(of))
	for i := range of {
		ids[i] = of[i].ID
	}
	clock, err := clock.Load(ctx, tx)
	if err != nil {
		return err
	}
	duty, _, err := clock.OnDuty(ctx, tx, ids, at)
	if err != nil {
		return err
	}
	for i := range of {
		if turn := duty[of[i].ID]; len(turn) > 0 {
			of[i].OnCallID = turn[0]
		}
	}
	return nil
}
