package datetime

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// The helpers are what mappings need often and Python says at length. All of them give None for None, so that a field
// which a record lacks needs no question of its own.
func init() {
	library.AddHelper(
		"parse_date",
		"value *formats",
		func(t *thread, a values) value { return date{days(parseMoment(t, a))} },
	)
	library.AddHelper("parse_datetime", "value *formats", func(t *thread, a values) value { return parseMoment(t, a) })
	library.AddHelper("format_date", "value format?", formatDate)
}

// parseMoment reads a date by the formats given, or by ISO 8601 where there are none.
func parseMoment(t *thread, a values) moment {
	switch v := a[0].(type) {
	case moment:
		return v
	case date:
		return moment{micros: v.days * calendar.Day}
	}
	s := strings.TrimSpace(t.Str(a[0]))
	formats := a[1].(*object.Tuple).Items
	if len(formats) == 0 {
		if m, err := calendar.ParseISO(s); err == nil {
			return fromMoment(t, m)
		}
		t.ValueError("%s is no date of ISO 8601; name its format, as in parse_date(value, '%%d.%%m.%%Y')", t.Repr(s))
	}
	for _, f := range formats {
		format := library.TextArg(t, f, "a format of parse_date()")
		if m, ok := tryFormat(t, s, format); ok {
			return m
		}
	}
	t.ValueError("%s is in none of the formats", t.Repr(s))
	return moment{}
}

// tryFormat is strptime where a text that does not fit is no error.
func tryFormat(t *thread, s, format string) (m moment, ok bool) {
	mark := t.Mark()
	defer func() {
		if r := recover(); r != nil {
			if _, raised := r.(*object.Raised); !raised {
				panic(r)
			}
			t.Restore(mark)
			ok = false
		}
	}()
	return strptime(t, s, format), true
}

func formatDate(t *thread, a values) value {
	format := library.TextOr(t, a[1], "%Y-%m-%d")
	switch v := a[0].(type) {
	case date, moment:
		return v.(object.Formatter).Format(t, format)
	}
	return strftime(t, parseMoment(t, values{a[0], &object.Tuple{}}), format)
}
