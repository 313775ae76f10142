package directory

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PointInTime is the query parameter of what can be read as it was. Embed it in the input struct.
type PointInTime struct {
	AsOf string `query:"as_of" maxLength:"40" doc:"How it was then: an instant such as 2026-05-31T17:00:00Z, or a day such as 2026-05-31, which means its end in the tenant's time zone. Today's is now." example:"2026-05-31"`
}

// Moment is an instant of the past, and since when the past is kept. Before that nothing that has ended is known.
type Moment struct {
	At   time.Time
	Kept time.Time
}

// Moment finds the instant that is asked for. One that is still to come is a fault of kind Invalid.
func (p PointInTime) Moment(ctx context.Context, tx *pg.Tx, now time.Time) (m Moment, err error) {
	if m.Kept, err = HistorySince(ctx, tx); err != nil {
		return m, err
	}
	m.At, err = InstantOf(ctx, tx, "as_of", p.AsOf, now)
	return m, err
}

// InstantOf reads the parameter of this name: an instant, or a day, which means its end in the tenant's time zone.
func InstantOf(ctx context.Context, tx *pg.Tx, name, text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return past(name, at, now)
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fault.Coded(fault.Malformed, "invalid_parameter", "%s must be an instant such as 2026-05-31T17:00:00Z, or a day such as 2026-05-31", name).
			With(fault.Field{Parameter: name, Code: "invalid", Detail: "RFC 3339, or YYYY-MM-DD; in a query a + has to be written as %2B"})
	}
	l, err := FindLifecycle(ctx, tx)
	if err != nil {
		return time.Time{}, err
	}
	if l.Today(now) == text {
		return now, nil
	}
	return past(name, DayEnd(day, l.Zone()).Add(-time.Microsecond), now)
}

func past(name string, at, now time.Time) (time.Time, error) {
	if at.After(now) {
		return at, fault.Coded(fault.Invalid, "instant_in_future", "%s is still to come: what was so can be told, and not what will be", name).
			With(fault.Field{Parameter: name, Code: "instant_in_future", Detail: "give an instant that has passed, or today"})
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

// HistorySince says since when the tenant's past is kept.
func HistorySince(ctx context.Context, tx *pg.Tx) (since time.Time, err error) {
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

// Told are the headers of an answer that tells how something was.
type Told struct {
	AsOf         string `header:"As-Of" doc:"The instant that the answer is for, when as_of was given."`
	HistorySince string `header:"History-Since" doc:"Since when the past is kept, when as_of was given: what had ended before is not known."`
}

// Told tells the moment.
func (m Moment) Told() Told {
	if m.At.IsZero() {
		return Told{}
	}
	return Told{m.At.UTC().Format(time.RFC3339Nano), m.Kept.UTC().Format(time.RFC3339Nano)}
}

// ListThen is a list that can be of the past.
type ListThen[T any] struct {
	Told
	Body httpapi.List[T]
}

// Then makes a list one of a moment, or of now where the moment is zero.
func Then[T any](m Moment, out *httpapi.ListOut[T], err error) (*ListThen[T], error) {
	if err != nil {
		return nil, err
	}
	return &ListThen[T]{m.Told(), out.Body}, nil
}

// NotThen is the fault that a parameter asks for what is known of today alone.
func NotThen(parameter, why string) error {
	return fault.Coded(fault.Invalid, "not_with_as_of", "%s cannot be asked for together with as_of: %s", parameter, why).
		With(fault.Field{Parameter: parameter, Code: "not_with_as_of", Detail: why})
}
