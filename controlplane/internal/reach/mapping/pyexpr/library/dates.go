package library

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/object"
)

// The name datetime is the class and the module in one: datetime.strptime works as well as datetime.datetime.strptime.
func init() {
	Names["datetime"], Names["date"], Names["timedelta"], Names["timezone"], Names["time"] = momentType, dateType, deltaType, zoneType, clockType
	for name, y := range map[string]value{"datetime": momentType, "timedelta": deltaType, "timezone": zoneType, "UTC": utc, "date": dateType, "time": clockType, "MINYEAR": int64(1), "MAXYEAR": int64(9999)} {
		momentType.Statics[name] = y
	}
	for _, name := range []string{"now", "utcnow", "today"} {
		momentType.Not[name] = noClock
	}
	dateType.Not["today"] = noClock
	zoneType.Statics["utc"] = utc
	deltaType.New = object.NewFunc("timedelta", "days? seconds? microseconds? milliseconds? minutes? hours? weeks?", newDelta)
	zoneType.New = object.NewFunc("timezone", "offset name?", func(t *thread, a values) value {
		d, ok := a[0].(delta)
		if !ok {
			t.TypeError("timezone() argument 1 must be datetime.timedelta, not %s", object.TypeName(a[0]))
		}
		if d.micros <= -calendar.Day || d.micros >= calendar.Day {
			t.ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).")
		}
		z := &zone{offset: d.micros}
		if !missing(a[1]) {
			z.name = text(t, a[1], "timezone() argument 2")
		}
		return z
	})
	dateType.New = object.NewFunc("date", "year month day", func(t *thread, a values) value { return date{dayOf(t, a[0], a[1], a[2])} })
	momentType.New = object.NewFunc("datetime", "year month day hour? minute? second? microsecond? tzinfo? fold?|", func(t *thread, a values) value {
		return newMoment(t, dayOf(t, a[0], a[1], a[2])*calendar.Day+timeOf(t, a[3:7]), zoneOf(t, a[7]))
	})
	clockType.New = object.NewFunc("time", "hour? minute? second? microsecond? tzinfo?", func(t *thread, a values) value {
		return clock{timeOf(t, a[:4]), zoneOf(t, a[4])}
	})
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
	}{{"hour", 24, calendar.Hour}, {"minute", 60, calendar.Minute}, {"second", 60, calendar.Second}, {"microsecond", 1_000_000, 1}} {
		if missing(a[i]) {
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
	if orNone(v) == nil {
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

// days is the day of a date or of a moment.
func days(v value) int64 {
	if m, ok := v.(moment); ok {
		return m.micros / calendar.Day
	}
	return v.(date).days
}

// clockTime is the time of the day and the zone of a time or of a moment.
func clockTime(v value) (int64, *zone) {
	if m, ok := v.(moment); ok {
		return m.micros % calendar.Day, m.zone
	}
	c := v.(clock)
	return c.micros, c.zone
}

func dateFields() {
	for _, y := range []*object.Type{dateType, momentType} {
		y.Getters["year"] = func(_ *thread, v value) value { year, _, _ := calendar.Date(days(v)); return year }
		y.Getters["month"] = func(_ *thread, v value) value { _, month, _ := calendar.Date(days(v)); return month }
		y.Getters["day"] = func(_ *thread, v value) value { _, _, day := calendar.Date(days(v)); return day }
	}
}

func clockFields() {
	for _, y := range []*object.Type{clockType, momentType} {
		for name, of := range map[string]func(micros int64) int64{
			"hour":   func(m int64) int64 { return m / calendar.Hour },
			"minute": func(m int64) int64 { return m / calendar.Minute % 60 },
			"second": func(m int64) int64 { return m / calendar.Second % 60 }, "microsecond": func(m int64) int64 { return m % calendar.Second },
		} {
			y.Getters[name] = func(_ *thread, v value) value { m, _ := clockTime(v); return of(m) }
		}
		y.Getters["tzinfo"] = func(_ *thread, v value) value { _, z := clockTime(v); return orNoZone(z) }
		y.Getters["fold"] = func(*thread, value) value { return int64(0) }
		method(y, "utcoffset", "", func(_ *thread, a values) value {
			if _, z := clockTime(a[0]); z != nil {
				return delta{z.offset}
			}
			return nil
		})
		method(y, "tzname", "", func(_ *thread, a values) value {
			if _, z := clockTime(a[0]); z != nil {
				return z.String()
			}
			return nil
		})
	}
	method(clockType, "isoformat", "timespec?", func(t *thread, a values) value {
		c := a[0].(clock)
		return result(t, clockISO(t, c.micros, c.zone, textOr(t, a[1], "auto")))
	})
	method(clockType, "strftime", "format", func(t *thread, a values) value {
		c := a[0].(clock)
		first, _ := calendar.DayOf(1900, 1, 1)
		return strftime(t, moment{first*calendar.Day + c.micros, c.zone}, text(t, a[1], "strftime() argument 1"))
	})
}

func textOr(t *thread, v value, otherwise string) string {
	if missing(v) {
		return otherwise
	}
	return text(t, v, "argument")
}

func strftime(t *thread, m moment, format string) string {
	t.Steps(len(format))
	t.Alloc(16*len(format) + 32)
	c := calendar.Moment{Micros: m.micros}
	if m.zone != nil {
		c.Offset, c.Zone = &m.zone.offset, m.zone.String()
	}
	s, err := calendar.Strftime(c, format)
	if err != nil {
		t.ValueError("%s", err)
	}
	t.Alloc(len(s))
	return s
}

// Format is strftime, or str where nothing is asked for.
func (d date) Format(t *thread, spec string) string {
	if spec == "" {
		return d.Str(t)
	}
	return strftime(t, moment{micros: d.days * calendar.Day}, spec)
}

// Format is strftime, or str where nothing is asked for.
func (m moment) Format(t *thread, spec string) string {
	if spec == "" {
		return t.Str(m)
	}
	return strftime(t, m, spec)
}

func dateMethods() {
	shared := func(name, params string, fn func(t *thread, a values) value) {
		method(dateType, name, params, fn)
		method(momentType, name, params, fn)
	}
	shared("weekday", "", func(_ *thread, a values) value { return calendar.Weekday(days(a[0])) })
	shared("isoweekday", "", func(_ *thread, a values) value { return calendar.Weekday(days(a[0])) + 1 })
	shared("toordinal", "", func(_ *thread, a values) value { return days(a[0]) + 1 })
	shared("isocalendar", "", func(_ *thread, a values) value {
		y, w, d := calendar.ISOWeek(days(a[0]))
		return object.NewTuple(y, w, d)
	})
	shared("strftime", "format", func(t *thread, a values) value {
		m, ok := a[0].(moment)
		if !ok {
			m.micros = days(a[0]) * calendar.Day
		}
		return strftime(t, m, text(t, a[1], "strftime() argument 1"))
	})
	shared("ctime", "", func(t *thread, a values) value {
		m, ok := a[0].(moment)
		if !ok {
			m.micros = days(a[0]) * calendar.Day
		}
		return strftime(t, m, "%c")
	})
	method(dateType, "isoformat", "", func(t *thread, a values) value { return result(t, a[0].(date).String()) })
	method(dateType, "replace", "year? month? day?", func(t *thread, a values) value { return date{replacedDay(t, a[0], a[1:4])} })
}

// replacedDay is the day of v with other parts where they are given.
func replacedDay(t *thread, v value, parts values) int64 {
	y, m, d := calendar.Date(days(v))
	all := values{y, m, d}
	for i, p := range parts {
		if !missing(p) {
			all[i] = p
		}
	}
	return dayOf(t, all[0], all[1], all[2])
}

func momentMethods() {
	method(momentType, "isoformat", "sep? timespec?", func(t *thread, a values) value {
		return result(t, a[0].(moment).iso(t, textOr(t, a[1], "T"), textOr(t, a[2], "auto")))
	})
	method(momentType, "date", "", func(_ *thread, a values) value { return date{days(a[0])} })
	method(momentType, "time", "", func(_ *thread, a values) value { return clock{a[0].(moment).micros % calendar.Day, nil} })
	method(momentType, "timetz", "", func(_ *thread, a values) value {
		return clock{a[0].(moment).micros % calendar.Day, a[0].(moment).zone}
	})
	method(momentType, "timestamp", "", func(_ *thread, a values) value {
		return float64(a[0].(moment).utc()-calendar.Epoch) / 1e6
	})
	method(momentType, "astimezone", "tz?", func(t *thread, a values) value {
		z := zoneOf(t, a[1])
		if z == nil {
			z = utc
		}
		return newMoment(t, a[0].(moment).utc()+z.offset, z)
	})
	method(momentType, "replace", "year? month? day? hour? minute? second? microsecond? tzinfo? fold?|", func(t *thread, a values) value {
		m := a[0].(moment)
		at := m.micros % calendar.Day
		parts := values{at / calendar.Hour, at / calendar.Minute % 60, at / calendar.Second % 60, at % calendar.Second}
		for i, p := range a[4:8] {
			if !missing(p) {
				parts[i] = p
			}
		}
		z := m.zone
		if !missing(a[8]) {
			z = zoneOf(t, a[8])
		}
		return newMoment(t, replacedDay(t, m, a[1:4])*calendar.Day+timeOf(t, parts), z)
	})
}

func deltaMethods() {
	method(deltaType, "total_seconds", "", func(_ *thread, a values) value { return float64(a[0].(delta).micros) / 1e6 })
	deltaType.Getters["days"] = func(_ *thread, v value) value { d, _, _ := v.(delta).parts(); return d }
	deltaType.Getters["seconds"] = func(_ *thread, v value) value { _, s, _ := v.(delta).parts(); return s }
	deltaType.Getters["microseconds"] = func(_ *thread, v value) value { _, _, m := v.(delta).parts(); return m }
	method(zoneType, "utcoffset", "dt", func(_ *thread, a values) value { return delta{a[0].(*zone).offset} })
	method(zoneType, "tzname", "dt", func(_ *thread, a values) value { return a[0].(*zone).String() })
}

func dateMakers() {
	static := func(y *object.Type, name, params string, fn func(t *thread, a values) value) {
		y.Statics[name] = object.NewFunc(name, params, fn)
	}
	static(dateType, "fromisoformat", "date_string/", func(t *thread, a values) value {
		s := text(t, a[0], "fromisoformat: argument")
		d, err := calendar.ParseISODate(s)
		if err != nil {
			t.ValueError("Invalid isoformat string: %s", t.Repr(s))
		}
		return date{d}
	})
	static(dateType, "fromordinal", "ordinal/", func(t *thread, a values) value { return date{ordinal(t, a[0])} })
	static(momentType, "fromordinal", "ordinal/", func(t *thread, a values) value { return moment{micros: ordinal(t, a[0]) * calendar.Day} })
	static(dateType, "fromisocalendar", "year week day", func(t *thread, a values) value {
		d, ok := calendar.FromISOWeek(small(t, a[0], "year"), small(t, a[1], "week"), small(t, a[2], "day"))
		if !ok {
			t.ValueError("Invalid week or day")
		}
		return date{d}
	})
	static(momentType, "fromisoformat", "date_string/", func(t *thread, a values) value {
		s := text(t, a[0], "fromisoformat: argument")
		m, err := calendar.ParseISO(s)
		if err != nil {
			t.ValueError("Invalid isoformat string: %s", t.Repr(s))
		}
		return fromMoment(t, m)
	})
	static(clockType, "fromisoformat", "time_string/", func(t *thread, a values) value {
		s := text(t, a[0], "fromisoformat: argument")
		m, err := calendar.ParseISOTime(strings.TrimPrefix(s, "T"))
		if err != nil {
			t.ValueError("Invalid isoformat string: %s", t.Repr(s))
		}
		v := fromMoment(t, m)
		return clock(v)
	})
	static(momentType, "strptime", "date_string/ format/", func(t *thread, a values) value {
		return strptime(t, text(t, a[0], "strptime() argument 1"), text(t, a[1], "strptime() argument 2"))
	})
	static(momentType, "combine", "date time tzinfo?", func(t *thread, a values) value {
		c, ok := a[1].(clock)
		if _, day := a[0].(date); !ok || !day && !is[moment](a[0]) {
			t.TypeError("combine() needs a date and a time")
		}
		z := c.zone
		if !missing(a[2]) {
			z = zoneOf(t, a[2])
		}
		return newMoment(t, days(a[0])*calendar.Day+c.micros, z)
	})
	static(momentType, "fromtimestamp", "timestamp tz?", func(t *thread, a values) value {
		z := zoneOf(t, a[1])
		if z == nil {
			t.ValueError("datetime.fromtimestamp needs a time zone here: datetime.fromtimestamp(value, timezone.utc)")
		}
		return newMoment(t, addTime(t, stamp(t, a[0]), z.offset), z)
	})
	static(momentType, "utcfromtimestamp", "timestamp/", func(t *thread, a values) value { return newMoment(t, stamp(t, a[0]), nil) })
	momentType.Statics["min"], momentType.Statics["max"] = moment{}, moment{micros: endOfTime - 1}
	dateType.Statics["min"], dateType.Statics["max"] = date{}, date{calendar.LastDay}
}

func ordinal(t *thread, v value) int64 {
	n := small(t, v, "ordinal")
	if n < 1 || n > calendar.LastDay+1 {
		t.ValueError("ordinal must be >= 1")
	}
	return n - 1
}

// stamp is a number of seconds since 1970 as microseconds since the year 1.
func stamp(t *thread, v value) int64 {
	f, ok := t.AsFloat(v)
	if !ok {
		t.TypeError("'%s' object cannot be interpreted as an integer", object.TypeName(v))
	}
	t.IntOfFloat(f)
	if f < -1e12 || f > 1e12 {
		t.ValueError("the time stamp is out of range")
	}
	return object.Bigger(t.Binary("+", t.IntOfFloat(t.Round(f*1e6, 0)), calendar.Epoch)).Int64()
}

func fromMoment(t *thread, m calendar.Moment) moment {
	out := moment{micros: m.Micros}
	if m.Offset != nil {
		out.zone = utc
		if *m.Offset != 0 {
			out.zone = &zone{offset: *m.Offset}
		}
	}
	t.Alloc(48)
	return out
}

// strptime reads a text by a format.
func strptime(t *thread, s, format string) value {
	source, err := calendar.Pattern(format)
	if err != nil {
		t.ValueError("%s", err)
	}
	p := compiled(t, source, int64(2))
	m, ok := matchOnce(t, p, s, object.Missing, object.Missing, 1).(*match)
	if !ok {
		t.ValueError("time data %s does not match format %s", t.Repr(s), t.Repr(format))
	}
	if m.spans[1] != len(s) {
		t.ValueError("unconverted data remains: %s", s[m.spans[1]:])
	}
	read, err := calendar.Assemble(p.NamesInOrder(), func(name string) string {
		found, _ := m.group(t, p.Names[name], "").(string)
		return found
	})
	if err != nil {
		t.ValueError("%s", err)
	}
	if read.Micros < 0 || read.Micros >= endOfTime {
		t.ValueError("year is out of range")
	}
	return fromMoment(t, read)
}
