package datetime

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

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
	for _, y := range []*library.Type{dateType, momentType} {
		y.Getters["year"] = func(_ *thread, v value) value {
			year, _, _ := calendar.Date(days(v))
			return year
		}
		y.Getters["month"] = func(_ *thread, v value) value {
			_, month, _ := calendar.Date(days(v))
			return month
		}
		y.Getters["day"] = func(_ *thread, v value) value {
			_, _, day := calendar.Date(days(v))
			return day
		}
	}
}

func clockFields() {
	for _, y := range []*library.Type{clockType, momentType} {
		for name, of := range map[string]func(micros int64) int64{
			"hour":        func(m int64) int64 { return m / calendar.Hour },
			"minute":      func(m int64) int64 { return m / calendar.Minute % 60 },
			"second":      func(m int64) int64 { return m / calendar.Second % 60 },
			"microsecond": func(m int64) int64 { return m % calendar.Second },
		} {
			y.Getters[name] = func(_ *thread, v value) value { m, _ := clockTime(v); return of(m) }
		}
		y.Getters["tzinfo"] = func(_ *thread, v value) value { _, z := clockTime(v); return orNoZone(z) }
		y.Getters["fold"] = func(*thread, value) value { return int64(0) }
		library.AddMethod(y, "utcoffset", "", func(_ *thread, a values) value {
			if _, z := clockTime(a[0]); z != nil {
				return delta{z.offset}
			}
			return nil
		})
		library.AddMethod(y, "tzname", "", func(_ *thread, a values) value {
			if _, z := clockTime(a[0]); z != nil {
				return z.String()
			}
			return nil
		})
	}
	library.AddMethod(clockType, "isoformat", "timespec?", func(t *thread, a values) value {
		c := a[0].(clock)
		return library.NewText(t, clockISO(t, c.micros, c.zone, library.TextOr(t, a[1], "auto")))
	})
	library.AddMethod(clockType, "strftime", "format", func(t *thread, a values) value {
		c := a[0].(clock)
		first, _ := calendar.DayOf(1900, 1, 1)
		return strftime(
			t,
			moment{first*calendar.Day + c.micros, c.zone},
			library.TextArg(t, a[1], "strftime() argument 1"),
		)
	})
}

func strftime(t *thread, m moment, format string) string {
	t.Steps(4 * len(format))
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
		library.AddMethod(dateType, name, params, fn)
		library.AddMethod(momentType, name, params, fn)
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
		return strftime(t, m, library.TextArg(t, a[1], "strftime() argument 1"))
	})
	shared("ctime", "", func(t *thread, a values) value {
		m, ok := a[0].(moment)
		if !ok {
			m.micros = days(a[0]) * calendar.Day
		}
		return strftime(t, m, "%c")
	})
	library.AddMethod(dateType, "isoformat", "", func(t *thread, a values) value {
		return library.NewText(t, a[0].(date).String())
	})
	library.AddMethod(
		dateType,
		"replace",
		"year? month? day?",
		func(t *thread, a values) value { return date{replacedDay(t, a[0], a[1:4])} },
	)
}

// replacedDay is the day of v with other parts where they are given.
func replacedDay(t *thread, v value, parts values) int64 {
	y, m, d := calendar.Date(days(v))
	all := values{y, m, d}
	for i, p := range parts {
		if !library.Omitted(p) {
			all[i] = p
		}
	}
	return dayOf(t, all[0], all[1], all[2])
}

func momentMethods() {
	library.AddMethod(momentType, "isoformat", "sep? timespec?", func(t *thread, a values) value {
		return library.NewText(t, a[0].(moment).iso(t, library.TextOr(t, a[1], "T"), library.TextOr(t, a[2], "auto")))
	})
	library.AddMethod(momentType, "date", "", func(_ *thread, a values) value { return date{days(a[0])} })
	library.AddMethod(
		momentType,
		"time",
		"",
		func(_ *thread, a values) value {
			return clock{a[0].(moment).micros % calendar.Day, nil}
		},
	)
	library.AddMethod(momentType, "timetz", "", func(_ *thread, a values) value {
		return clock{a[0].(moment).micros % calendar.Day, a[0].(moment).zone}
	})
	library.AddMethod(momentType, "timestamp", "", func(_ *thread, a values) value {
		return float64(a[0].(moment).utc()-calendar.Epoch) / 1e6
	})
	library.AddMethod(momentType, "astimezone", "tz?", func(t *thread, a values) value {
		z := zoneOf(t, a[1])
		if z == nil {
			z = utc
		}
		return newMoment(t, a[0].(moment).utc()+z.offset, z)
	})
	library.AddMethod(
		momentType,
		"replace",
		"year? month? day? hour? minute? second? microsecond? tzinfo? fold?|",
		func(t *thread, a values) value {
			m := a[0].(moment)
			at := m.micros % calendar.Day
			parts := values{
				at / calendar.Hour,
				at / calendar.Minute % 60,
				at / calendar.Second % 60,
				at % calendar.Second,
			}
			for i, p := range a[4:8] {
				if !library.Omitted(p) {
					parts[i] = p
				}
			}
			z := m.zone
			if !library.Omitted(a[8]) {
				z = zoneOf(t, a[8])
			}
			return newMoment(t, replacedDay(t, m, a[1:4])*calendar.Day+timeOf(t, parts), z)
		},
	)
}

func deltaMethods() {
	library.AddMethod(
		deltaType,
		"total_seconds",
		"",
		func(_ *thread, a values) value { return float64(a[0].(delta).micros) / 1e6 },
	)
	deltaType.Getters["days"] = func(_ *thread, v value) value { d, _, _ := v.(delta).parts(); return d }
	deltaType.Getters["seconds"] = func(_ *thread, v value) value { _, s, _ := v.(delta).parts(); return s }
	deltaType.Getters["microseconds"] = func(_ *thread, v value) value { _, _, m := v.(delta).parts(); return m }
	library.AddMethod(
		zoneType,
		"utcoffset",
		"dt",
		func(_ *thread, a values) value { return delta{a[0].(*zone).offset} },
	)
	library.AddMethod(zoneType, "tzname", "dt", func(_ *thread, a values) value { return a[0].(*zone).String() })
}
