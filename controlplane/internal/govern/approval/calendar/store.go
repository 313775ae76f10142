package calendar

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// calendarsByName lists calendars.
func calendarsByName() *listing.Query {
	return &listing.Query{
		Columns: calendarColumns,
		From:    "work_calendar c",
		ID:      "c.id",
		Order:   listing.Order{Column: "c.name", Type: "text"},
	}
}

// calendarColumns are the columns of ApprovalCalendar.
const calendarColumns = `c.id::text as id, c.name, c.description, c.timezone, c.week, c.holidays, c.usual, c.created_at,
	c.updated_at, c.version`

func findCalendar(ctx context.Context, tx *pg.Tx, id, locking string) (ApprovalCalendar, error) {
	return check.FindOne[ApprovalCalendar](
		ctx,
		tx,
		"calendar",
		`select `+calendarColumns+` from work_calendar c where c.id = $1`+locking,
		id,
	)
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
	changes, err := audit.Diff(before, after)
	if err != nil {
		return ApprovalCalendar{}, err
	}
	if len(changes) > 0 {
		if after.Usual {
			if err := pg.Exec(ctx, tx, "put usual calendar aside", others, id); err != nil {
				return ApprovalCalendar{}, err
			}
		}
		_, err := tx.Exec(
			ctx,
			put,
			pgx.NamedArgs{"id": id, "name": after.Name, "description": after.Description, "timezone": after.Timezone,
				"week": after.Week, "holidays": after.Holidays, "usual": after.Usual},
		)
		if err != nil {
			return ApprovalCalendar{}, check.NameTaken(err, "work_calendar_name_unique", "a calendar", after.Name)
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

// calendarSubject names the calendar in audit entries.
func calendarSubject(id, name string) audit.Subject {
	return audit.Subject{Type: "calendar", ID: id, Display: name}
}
