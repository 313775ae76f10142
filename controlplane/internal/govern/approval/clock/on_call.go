package clock

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// OnDuty finds who is on call by each schedule at an instant, followed by the others in the order of their turns, and
// the schedules' names. A schedule that does not exist is missing from both.
func (c Clock) OnDuty(
	ctx context.Context,
	tx *pg.Tx,
	schedules []string,
	at time.Time,
) (duty map[string][]string, names map[string]string, err error) {
	const sql = `
		select s.id::text, s.name, s.identity_ids::text[], s.shift, s.starts_at, coalesce(s.calendar_id::text, '')
		  from on_call_schedule s
		 where s.id = any(@ids::text[]::uuid[])`
	duty, names = map[string][]string{}, map[string]string{}
	if len(schedules) == 0 {
		return duty, names, nil
	}
	var id, name, shift, calendar string
	var ids []string
	var starts time.Time
	if err := pg.Each(
		ctx,
		tx,
		"find who is on call",
		[]any{&id, &name, &ids, &shift, &starts, &calendar},
		func() error {
			length, err := span.Parse(shift)
			if err != nil {
				return fmt.Errorf("shift of the schedule %s: %w", id, err)
			}
			turn := worktime.Turn(len(ids), starts, length, c.calendar(calendar).Zone, at)
			duty[id], names[id] = slices.Concat(ids[turn:], ids[:turn]), name
			return nil
		},
		sql,
		pgx.NamedArgs{"ids": schedules},
	); err != nil {
		return nil, nil, err
	}
	return duty, names, nil
}
