package rules

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// States of an identity.
const (
	PreHire     = "pre_hire"
	Active      = "active"
	OnLeave     = "on_leave"
	Notice      = "notice"
	Deactivated = "deactivated"
	Archived    = "archived"
)

// Moves are the states that an action can reach from each state. Archiving is apart: it is possible from every state.
var Moves = map[string][]string{
	PreHire:     {Active, Deactivated},
	Active:      {OnLeave, Notice, Deactivated},
	OnLeave:     {Active, Notice, Deactivated},
	Notice:      {Active, Notice, Deactivated},
	Deactivated: {Active, Archived},
	Archived:    {},
}

// CheckMove refuses a transition that is not among Moves.
func CheckMove(from, to string) error {
	if slices.Contains(Moves[from], to) {
		return nil
	}
	return fault.Coded(fault.Conflict, "invalid_transition", "an identity that is %s cannot become %s", from, to).
		Also("allowed", Moves[from])
}

// Clock is an instant as a tenant's days see it.
type Clock struct {
	Now       time.Time
	Today     string     // the tenant's date
	noticeAt  *time.Time // last moments until then are close enough for notice; nil: all are
	noticeDay *string
}

// Clock gives an instant as the tenant's days see it.
func (l Lifecycle) Clock(now time.Time) Clock {
	c := Clock{Now: now, Today: l.Today(now)}
	if l.NoticeLead != nil {
		ahead := span.Add(now, *l.NoticeLead, l.Zone())
		until := l.Today(ahead)
		c.noticeAt, c.noticeDay = &ahead, &until
	}
	return c
}

// StateSQL is the state of the people i that follows from what is said of them and from their dates. Its arguments are
// those of Args. TestSQLAndGoAgreeOnStates compares it with State.
const StateSQL = `identity_state(coalesce(i.standing, i.status), i.start_date, i.termination_date, i.last_working_at,
	i.leave_from, i.leave_to,
	@clock_now::timestamptz, @clock_today::date, coalesce(@clock_notice_at::timestamptz, 'infinity'),
	  coalesce(@clock_notice_day::date, 'infinity'))`

// Args are the arguments of StateSQL, and of statements about due dates.
func (c Clock) Args(more pgx.NamedArgs) pgx.NamedArgs {
	args := pgx.NamedArgs{
		"clock_now":        c.Now,
		"clock_today":      c.Today,
		"clock_notice_at":  c.noticeAt,
		"clock_notice_day": c.noticeDay,
	}
	for name, value := range more {
		args[name] = value
	}
	return args
}

// Dates are the dates of an identity that decide its state. Days are YYYY-MM-DD.
type Dates struct {
	StartDate, TerminationDate *string
	LastWorkingAt              *time.Time
	LeaveFrom, LeaveTo         *string
}

// State is the state that follows from the standing of an identity and from its dates. The last day and the last day
// of a leave are whole days; last_working_at decides before termination_date; notice goes before leave.
func (c Clock) State(standing string, f Dates) string {
	switch {
	case standing == Deactivated || standing == Archived || c.ended(f):
		return Deactivated
	case f.StartDate != nil && *f.StartDate > c.Today, standing == PreHire && f.StartDate == nil:
		return PreHire
	case standing == Notice || c.ending(f):
		return Notice
	case (standing == OnLeave || f.LeaveFrom != nil) && c.Within(f.LeaveFrom, f.LeaveTo):
		return OnLeave
	}
	return Active
}

// ended says whether the employment has ended. The last working instant, where there is one, is
// exact; the termination date is the last day, so that it ends with the day after.
func (c Clock) ended(f Dates) bool {
	if f.LastWorkingAt != nil {
		return !f.LastWorkingAt.After(c.Now)
	}
	return f.TerminationDate != nil && *f.TerminationDate < c.Today
}

// ending reports whether the last moment is known, and close enough.
func (c Clock) ending(f Dates) bool {
	if f.LastWorkingAt != nil {
		return c.noticeAt == nil || !f.LastWorkingAt.After(*c.noticeAt)
	}
	return f.TerminationDate != nil && (c.noticeDay == nil || *f.TerminationDate <= *c.noticeDay)
}

// Within reports whether today lies between two days; nil is open.
func (c Clock) Within(from, to *string) bool {
	return (from == nil || *from <= c.Today) && (to == nil || *to >= c.Today)
}
