package datetime

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

func dateMakers() {
	static := func(y *library.Type, name, params string, fn func(t *thread, a values) value) {
		y.Statics[name] = library.NewFunc(name, params, fn)
	}
	static(dateType, "fromisoformat", "date_string/", func(t *thread, a values) value {
		s := library.TextArg(t, a[0], "fromisoformat: argument")
		d, err := calendar.ParseISODate(s)
		if err != nil {
			t.ValueError("Invalid isoformat string: %s", t.Repr(s))
		}
		return date{d}
	})
	static(dateType, "fromordinal", "ordinal/", func(t *thread, a values) value { return date{ordinal(t, a[0])} })
	static(
		momentType,
		"fromordinal",
		"ordinal/",
		func(t *thread, a values) value {
			return moment{micros: ordinal(t, a[0]) * calendar.Day}
		},
	)
	static(dateType, "fromisocalendar", "year week day", func(t *thread, a values) value {
		d, ok := calendar.FromISOWeek(small(t, a[0], "year"), small(t, a[1], "week"), small(t, a[2], "day"))
		if !ok {
			t.ValueError("Invalid week or day")
		}
		return date{d}
	})
	static(momentType, "fromisoformat", "date_string/", func(t *thread, a values) value {
		s := library.TextArg(t, a[0], "fromisoformat: argument")
		m, err := calendar.ParseISO(s)
		if err != nil {
			t.ValueError("Invalid isoformat string: %s", t.Repr(s))
		}
		return fromMoment(t, m)
	})
	static(clockType, "fromisoformat", "time_string/", func(t *thread, a values) value {
		s := library.TextArg(t, a[0], "fromisoformat: argument")
		m, err := calendar.ParseISOTime(strings.TrimPrefix(s, "T"))
		if err != nil {
			t.ValueError("Invalid isoformat string: %s", t.Repr(s))
		}
		v := fromMoment(t, m)
		return clock(v)
	})
	static(momentType, "strptime", "date_string/ format/", func(t *thread, a values) value {
		return strptime(
			t,
			library.TextArg(t, a[0], "strptime() argument 1"),
			library.TextArg(t, a[1], "strptime() argument 2"),
		)
	})
	static(momentType, "combine", "date time tzinfo?", func(t *thread, a values) value {
		c, ok := a[1].(clock)
		if _, day := a[0].(date); !ok || !day && !is[moment](a[0]) {
			t.TypeError("combine() needs a date and a time")
		}
		z := c.zone
		if !library.Omitted(a[2]) {
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
	static(
		momentType,
		"utcfromtimestamp",
		"timestamp/",
		func(t *thread, a values) value { return newMoment(t, stamp(t, a[0]), nil) },
	)
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
	return object.Bigger(operator.Binary(t, "+", t.IntOfFloat(operator.Round(t, f*1e6, 0)), calendar.Epoch)).Int64()
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

// formatKey is a format for dates that an expression remembers the pattern of.
type formatKey string

// reader is the pattern that reads texts of a format.
func reader(t *thread, format string) string {
	t.Steps(len(format))
	if source, ok := t.Memo[formatKey(format)].(string); ok {
		return source
	}
	source, err := calendar.Pattern(format)
	if err != nil {
		t.ValueError("%s", err)
	}
	if t.Memo == nil {
		t.Memo = map[any]any{}
	}
	if len(t.Memo) < regex.MaxCached && len(format) < 256 {
		t.Memo[formatKey(format)] = source
	}
	return source
}

// strptime reads a text by a format of strptime. One that does not fit raises a ValueError.
func strptime(t *thread, s, format string) moment {
	p, err := regex.CompileCached(t, &t.Memo, reader(t, format), regex.IgnoreCase)
	if err != nil {
		t.Raise("re.error", "%s", err)
	}
	spans := p.Match(t, s, 0, len(s), -1, regex.Prefix)
	if spans == nil {
		t.ValueError("time data %s does not match format %s", t.Repr(s), t.Repr(format))
	}
	t.Alloc(64)
	if spans[1] != len(s) {
		t.ValueError("unconverted data remains: %s", s[spans[1]:])
	}
	read, err := calendar.Assemble(p.NamesInOrder(), func(name string) string {
		from, to := spans[2*p.Names[name]], spans[2*p.Names[name]+1]
		if from < 0 || to < 0 {
			return ""
		}
		t.Alloc(16)
		return s[from:to]
	})
	if err != nil {
		t.ValueError("%s", err)
	}
	if read.Micros < 0 || read.Micros >= endOfTime {
		t.ValueError("year is out of range")
	}
	return fromMoment(t, read)
}
