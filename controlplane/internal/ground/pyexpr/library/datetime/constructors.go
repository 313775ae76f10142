package datetime

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// The name datetime is the class and the module in one: datetime.strptime works as well as datetime.datetime.strptime.
func init() {
	for name, y := range map[string]*library.Type{"datetime": momentType, "date": dateType, "timedelta": deltaType,
		"timezone": zoneType, "time": clockType} {
		library.Names[name] = y
	}
	for name, y := range map[string]value{"datetime": momentType, "timedelta": deltaType, "timezone": zoneType,
		"UTC": utc, "date": dateType, "time": clockType, "MINYEAR": int64(1), "MAXYEAR": int64(9999)} {
		momentType.Statics[name] = y
	}
	for _, name := range []string{"now", "utcnow", "today"} {
		momentType.Not[name] = noClock
	}
	dateType.Not["today"] = noClock
	zoneType.Statics["utc"] = utc
	deltaType.New = library.NewFunc(
		"timedelta",
		"days? seconds? microseconds? milliseconds? minutes? hours? weeks?",
		newDelta,
	)
	zoneType.New = library.NewFunc("timezone", "offset name?", func(t *thread, a values) value {
		d, ok := a[0].(delta)
		if !ok {
			t.TypeError("timezone() argument 1 must be datetime.timedelta, not %s", object.TypeName(a[0]))
		}
		if d.micros <= -calendar.Day || d.micros >= calendar.Day {
			t.ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).")
		}
		z := &zone{offset: d.micros}
		if !library.Omitted(a[1]) {
			z.name = library.TextArg(t, a[1], "timezone() argument 2")
		}
		return z
	})
	dateType.New = library.NewFunc(
		"date",
		"year month day",
		func(t *thread, a values) value { return date{dayOf(t, a[0], a[1], a[2])} },
	)
	momentType.New = library.NewFunc(
		"datetime",
		"year month day hour? minute? second? microsecond? tzinfo? fold?|",
		func(t *thread, a values) value {
			return newMoment(t, dayOf(t, a[0], a[1], a[2])*calendar.Day+timeOf(t, a[3:7]), zoneOf(t, a[7]))
		},
	)
	clockType.New = library.NewFunc(
		"time",
		"hour? minute? second? microsecond? tzinfo?",
		func(t *thread, a values) value {
			return clock{timeOf(t, a[:4]), zoneOf(t, a[4])}
		},
	)
	dateFields()
	clockFields()
	dateMethods()
	momentMethods()
	deltaMethods()
	dateMakers()
}

func small(t *thread, v value, what string) int64 {
	if !object.IsInt(v) {
		t.TypeError("'%s' object cannot be interpreted as an integer", object.TypeName(v))
	}
	i := t.Index(v)
	if i < -1<<31 || i >= 1<<31 {
		t.Raise("OverflowError", "%s is too large", what)
	}
	return int64(i)
}

func dayOf(t *thread, year, month, day value) int64 {
	y, m, d := small(t, year, "year"), small(t, month, "month"), small(t, day, "day")
	switch {
	case y < 1 || y > 9999:
		t.ValueError("year %d is out of range", y)
	case m < 1 || m > 12:
		t.ValueError("month must be in 1..12")
	}
	days, ok := calendar.DayOf(y, m, d)
	if !ok {
		t.ValueError("day is out of range for month")
	}
	return days
}

// timeOf makes a time of hour, minute, second and microsecond.
func timeOf(t *thread, a values) int64 {
	total := int64(0)
	for i, part := range []struct {
		name  string
		limit int64
		unit  int64
	}{{"hour", 24, calendar.Hour}, {"minute", 60, calendar.Minute}, {"second", 60, calendar.Second},
		{"microsecond", 1_000_000, 1}} {
		if library.Omitted(a[i]) {
			continue
		}
		n := small(t, a[i], part.name)
		if n < 0 || n >= part.limit {
			t.ValueError("%s must be in 0..%d", part.name, part.limit-1)
		}
		total += n * part.unit
	}
	return total
}

func zoneOf(t *thread, v value) *zone {
	if library.OrNone(v) == nil {
		return nil
	}
	z, ok := v.(*zone)
	if !ok {
		t.TypeError("tzinfo argument must be None or of a tzinfo subclass, not type '%s'", object.TypeName(v))
	}
	return z
}

func orNoZone(z *zone) value {
	if z == nil {
		return nil
	}
	return z
}
