package datetime

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
)

type (
	// date is a day, counted from the first of January of the year 1.
	date struct{ days int64 }
	// zone is a timezone with a fixed offset in microseconds.
	zone struct {
		offset int64
		name   string
	}
	// moment is a datetime: microseconds on the wall since the year 1.
	moment struct {
		micros int64
		zone   *zone
	}
	// clock is a time of the day.
	clock struct {
		micros int64
		zone   *zone
	}
	// delta is a timedelta in microseconds.
	delta struct{ micros int64 }
)

func (date) TypeName() string { return "date" }

func (moment) TypeName() string { return "datetime" }

func (clock) TypeName() string { return "time" }

func (delta) TypeName() string { return "timedelta" }

func (*zone) TypeName() string { return "timezone" }

var (
	dateType   = library.NewType("date", func(v value) bool { return is[date](v) || is[moment](v) })
	momentType = library.NewType("datetime", is[moment])
	clockType  = library.NewType("time", is[clock])
	deltaType  = library.NewType("timedelta", is[delta])
	zoneType   = library.NewType("timezone", is[*zone])
	utc        = &zone{name: "UTC"}
)

func is[T any](v value) bool { _, ok := v.(T); return ok }

const noClock = "a transform gives the same for the same record every day, so there is no clock in it"

// endOfTime is the first microsecond that is too late.
const endOfTime = (calendar.LastDay + 1) * calendar.Day

func newDate(t *thread, days int64) date {
	if days < 0 || days > calendar.LastDay {
		t.Raise("OverflowError", "date value out of range")
	}
	t.Alloc(16)
	return date{days}
}

func newMoment(t *thread, micros int64, z *zone) moment {
	if micros < 0 || micros >= endOfTime {
		t.Raise("OverflowError", "date value out of range")
	}
	t.Alloc(32)
	return moment{micros, z}
}

func (d date) String() string {
	y, m, day := calendar.Date(d.days)
	return fmt.Sprintf("%04d-%02d-%02d", y, m, day)
}

func (z *zone) String() string {
	if z.name != "" {
		return z.name
	}
	if z.offset == 0 {
		return "UTC"
	}
	return "UTC" + calendar.Offset(&z.offset, ":")
}

func (z *zone) Repr(t *thread) string {
	if z == utc {
		return "datetime.timezone.utc"
	}
	s := "datetime.timezone(" + delta{z.offset}.Repr(t)
	if z.name != "" {
		s += ", " + t.Repr(z.name)
	}
	return s + ")"
}

func (z *zone) Str(*thread) string { return z.String() }

func (d date) Repr(*thread) string {
	y, m, day := calendar.Date(d.days)
	return fmt.Sprintf("datetime.date(%d, %d, %d)", y, m, day)
}

func (d date) Str(*thread) string { return d.String() }

func (m moment) Repr(t *thread) string {
	y, month, day := calendar.Date(m.micros / calendar.Day)
	return fmt.Sprintf("datetime.datetime(%d, %d, %d, ", y, month, day) + clockParts(t, m.micros%calendar.Day, m.zone)
}

func (m moment) Str(t *thread) string { return m.iso(t, " ", "auto") }

func (c clock) Repr(t *thread) string {
	return "datetime.time(" + clockParts(t, c.micros, c.zone)
}

func (c clock) Str(t *thread) string { return clockISO(t, c.micros, c.zone, "auto") }

// clockParts writes the arguments that make a time, and closes the call.
func clockParts(t *thread, micros int64, z *zone) string {
	s := fmt.Sprintf("%d, %d", micros/calendar.Hour, micros/calendar.Minute%60)
	second, fraction := micros/calendar.Second%60, micros%calendar.Second
	if second != 0 || fraction != 0 {
		s += fmt.Sprintf(", %d", second)
	}
	if fraction != 0 {
		s += fmt.Sprintf(", %d", fraction)
	}
	if z != nil {
		s += ", tzinfo=" + z.Repr(t)
	}
	return s + ")"
}

func (m moment) iso(t *thread, sep, spec string) string {
	return date{m.micros / calendar.Day}.String() + sep + clockISO(t, m.micros%calendar.Day, m.zone, spec)
}

func clockISO(t *thread, micros int64, z *zone, spec string) string {
	fraction := micros % calendar.Second
	if spec == "auto" {
		if spec = "seconds"; fraction != 0 {
			spec = "microseconds"
		}
	}
	s := fmt.Sprintf(
		"%02d:%02d:%02d.%06d",
		micros/calendar.Hour,
		micros/calendar.Minute%60,
		micros/calendar.Second%60,
		fraction,
	)
	n, ok := map[string]int{"hours": 2, "minutes": 5, "seconds": 8, "milliseconds": 12, "microseconds": 15}[spec]
	if !ok {
		t.ValueError("Unknown timespec value")
	}
	if s = s[:n]; z != nil {
		s += calendar.Offset(&z.offset, ":")
	}
	return s
}

func (d delta) Repr(*thread) string {
	days, seconds, micros := d.parts()
	var args []string
	for _, p := range []struct {
		name string
		n    int64
	}{{"days", days}, {"seconds", seconds}, {"microseconds", micros}} {
		if p.n != 0 {
			args = append(args, fmt.Sprintf("%s=%d", p.name, p.n))
		}
	}
	if len(args) == 0 {
		return "datetime.timedelta(0)"
	}
	return "datetime.timedelta(" + strings.Join(args, ", ") + ")"
}

func (d delta) parts() (days, seconds, micros int64) {
	days = floor(d.micros, calendar.Day)
	rest := d.micros - days*calendar.Day
	return days, rest / calendar.Second, rest % calendar.Second
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (d delta) Str(*thread) string {
	days, seconds, micros := d.parts()
	s := fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if micros != 0 {
		s += fmt.Sprintf(".%06d", micros)
	}
	switch days {
	case 0:
	case 1, -1:
		s = fmt.Sprintf("%d day, %s", days, s)
	default:
		s = fmt.Sprintf("%d days, %s", days, s)
	}
	return s
}

func (d delta) Truth() bool { return d.micros != 0 }
