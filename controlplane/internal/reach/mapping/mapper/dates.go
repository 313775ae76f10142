package mapper

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// date parses a day. Nil for no text, and for a text that is no day.
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

// setDate fills one of the date fields. The returned Problem is the reason if the text is no day.
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

// setLastWorking reads the instant at which a person's work ends. A day without a time counts to its end, in UTC.
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

// parseDate reads a day in the forms that sources write, and drops the time of day: a hire date of
// 2026-03-01T00:00:00+02:00 is the first of March. The result is midnight UTC.
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
