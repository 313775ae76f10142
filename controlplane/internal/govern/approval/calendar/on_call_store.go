package calendar

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// schedulesByName lists on-call schedules.
func schedulesByName() *listing.Query {
	return &listing.Query{
		Columns: onCallColumns,
		From:    "on_call_schedule s",
		ID:      "s.id",
		Order:   listing.Order{Column: "s.name", Type: "text"},
	}
}

// onCallColumns are the columns of OnCallSchedule.
const onCallColumns = `s.id::text as id, s.name, s.description, s.identity_ids::text[] as identity_ids, s.shift,
	s.starts_at,
	s.calendar_id::text as calendar_id, s.created_at, s.updated_at, s.version`

func (s *Service) findOnCall(ctx context.Context, tx *pg.Tx, id, locking string) (OnCallSchedule, error) {
	found, err := check.FindOne[OnCallSchedule](
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

// putOnCall checks and writes a schedule, new or changed, and records the difference under action.
// Equal fields write nothing.
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
	changes, err := audit.Diff(before, after)
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
			return OnCallSchedule{}, check.NameTaken(
				err,
				"on_call_schedule_name_unique",
				"an on-call schedule",
				after.Name,
			)
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

// scheduleSubject names the schedule in audit entries.
func scheduleSubject(id, name string) audit.Subject {
	return audit.Subject{Type: "on_call_schedule", ID: id, Display: name}
}
