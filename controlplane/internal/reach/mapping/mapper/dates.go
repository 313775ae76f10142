package mapper

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

func date(s *string) *time.Time {
	if s == nil {
		return nil
	}
	t, ok := parseDate(*s)
	if !ok {
		return nil
	}
	return &t
}

func (p *Person) setDate(f mapping.Field, text string) *Problem {
	t, ok := parseDate(text)
	if !ok {
		return &Problem{Code: "not_a_date", Message: fmt.Sprintf("%s needs a date such as 2026-01-31", f)}
	}
	switch f {
	case mapping.HireDate:
		p.HireDate = &t
	case mapping.StartDate:
		p.StartDate = &t
	case mapping.LeaveFrom:
		p.LeaveFrom = &t
	case mapping.LeaveTo:
		p.LeaveTo = &t
	default:
		p.TerminationDate = &t
	}
	return nil
}

// setLastWorking reads the instant at which somebody's work ends. A day without a time counts to its end, in UTC.
func (p *Person) setLastWorking(text string) *Problem {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		at = at.UTC().Truncate(time.Second)
		p.LastWorkingAt = &at
		return nil
	}
	day, ok := parseDate(text)
	if !ok {
		return &Problem{
			Code:    "not_a_date",
			Message: string(mapping.LastWorkingAt) + " needs a time such as 2026-01-31T17:00:00Z, or a date",
		}
	}
	end := day.AddDate(0, 0, 1)
	p.LastWorkingAt = &end
	return nil
}

// checkLeave drops a leave that ends before it begins.
func (p *Person) checkLeave() *Problem {
	if p.LeaveFrom == nil || p.LeaveTo == nil || !p.LeaveTo.Before(*p.LeaveFrom) {
		return nil
	}
	p.LeaveFrom, p.LeaveTo = nil, nil
	return &Problem{
		Field: string(mapping.LeaveTo),
		Code:  "invalid_leave",
		Message: "The leave ends before it begins. It was recorded without a leave; correct leave_from or leave_to " +
			"in the source.",
	}
}

func parseDate(s string) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
		"2006/01/02", "20060102"} {
		if t, err := time.Parse(layout, s); err == nil {
			return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), true
		}
	}
	return time.Time{}, false
}

// onLeave reports whether a day is one of their leave.
func (p *Person) onLeave(day time.Time) bool {
	return p.LeaveFrom != nil && !p.LeaveFrom.After(day) && (p.LeaveTo == nil || !p.LeaveTo.Before(day))
}
