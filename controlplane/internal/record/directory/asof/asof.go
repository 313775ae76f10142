package asof

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Parameter is the query parameter as_of. Embed it in the input struct.
type Parameter struct {
	// How it was then: an instant such as 2026-05-31T17:00:00Z, or a day such as 2026-05-31, which means its end in the
	// tenant's time zone. Today's is now.
	AsOf string `query:"as_of" maxLength:"40" example:"2026-05-31"`
}

// Moment is an instant of the past, and since when the past is kept. Before that nothing that has ended is known.
type Moment struct {
	// At is the instant; Kept is the beginning of the history.
	At   time.Time
	Kept time.Time
}

// Moment finds the instant that is asked for. One that is still to come is a fault of kind Invalid.
func (p Parameter) Moment(ctx context.Context, tx *pg.Tx, now time.Time) (m Moment, err error) {
	if m.Kept, err = HistoryStart(ctx, tx); err != nil {
		return m, err
	}
	m.At, err = ParseInstant(ctx, tx, "as_of", p.AsOf, now)
	return m, err
}

// ParseInstant reads the parameter of this name: an instant, or a day, which means its end in the tenant's time zone.
func ParseInstant(ctx context.Context, tx *pg.Tx, name, text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return past(name, at, now)
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fault.Coded(fault.Malformed, "invalid_parameter", "%s must be an instant such as "+
			"2026-05-31T17:00:00Z, or a day such as 2026-05-31", name).
			With(fault.Field{Parameter: name, Code: "invalid", Detail: "RFC 3339, or YYYY-MM-DD; in a query a + has " +
				"to be written as %2B"})
	}
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return time.Time{}, err
	}
	if l.Today(now) == text {
		return now, nil
	}
	return past(name, DayEnd(day, l.Zone()).Add(-time.Microsecond), now)
}

// past refuses an instant that has not come yet. name is the parameter's.
func past(name string, at, now time.Time) (time.Time, error) {
	if at.After(now) {
		return at, fault.Coded(fault.Invalid, "instant_in_future", "%s is in the future. Only past states can be "+
			"shown.", name).
			With(fault.Field{Parameter: name, Code: "instant_in_future",
				Detail: "give an instant that has passed, or today"})
	}
	return at.UTC(), nil
}

// DayEnd is when a date ends in a zone: where clocks are set at midnight, the last time that they show it.
func DayEnd(day time.Time, zone *time.Location) time.Time {
	midnight := func(offset int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, time.FixedZone("", offset))
	}
	noon := time.Date(day.Year(), day.Month(), day.Day()+1, 12, 0, 0, 0, zone)
	set, _ := noon.ZoneBounds()
	_, offset := noon.Zone()
	end := midnight(offset)
	if set.IsZero() || !end.Before(set) {
		return end.UTC()
	}
	_, before := set.Add(-time.Nanosecond).In(zone).Zone()
	if end = midnight(before); end.After(set) {
		end = set // the midnight that is left out
	}
	return end.UTC()
}

// HistoryStart is the instant since which the tenant's history is kept.
func HistoryStart(ctx context.Context, tx *pg.Tx) (since time.Time, err error) {
	const sql = `
		select coalesce(h.since, t.created_at)
		  from tenant t
		  left join history_start h on h.tenant_id = t.id
		 where t.id = current_tenant()`
	if err := tx.QueryRow(ctx, sql).Scan(&since); err != nil {
		return since, fmt.Errorf("find since when history is kept: %w", err)
	}
	return since, nil
}

// Headers are the response headers of a historical answer.
type Headers struct {
	// The instant that the answer is for, when as_of was given.
	AsOf string `header:"As-Of"`
	// Since when the past is kept, when as_of was given: what had ended before is not known.
	HistorySince string `header:"History-Since"`
}

// Headers are the response headers for the moment; none for the zero moment, which is now.
func (m Moment) Headers() Headers {
	if m.At.IsZero() {
		return Headers{}
	}
	return Headers{m.At.UTC().Format(time.RFC3339Nano), m.Kept.UTC().Format(time.RFC3339Nano)}
}

// List is a response with a list, current or historical.
type List[T any] struct {
	Headers
	Body httpapi.List[T]
}

// ListOf makes a list one of a moment, or a current one if the moment is zero.
func ListOf[T any](m Moment, out *httpapi.ListOut[T], err error) (*List[T], error) {
	if err != nil {
		return nil, err
	}
	return &List[T]{m.Headers(), out.Body}, nil
}

// Unsupported is the fault that a parameter has no historical values.
func Unsupported(parameter, why string) error {
	return fault.Coded(fault.Invalid, "not_with_as_of", "%s cannot be asked for together with as_of: %s", parameter,
		why).
		With(fault.Field{Parameter: parameter, Code: "not_with_as_of", Detail: why})
}

// One is a response with one resource. A historical one has no ETag.
type One[T any] struct {
	Headers
	// Version of the resource, for If-Match. Absent in a historical response.
	ETag string `header:"ETag"`
	Body T
}

// Current is a response with one current resource.
func Current[T any](one *httpapi.One[T], err error) (*One[T], error) {
	if err != nil {
		return nil, err
	}
	return &One[T]{ETag: one.ETag, Body: one.Body}, nil
}
