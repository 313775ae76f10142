package calendar

import (
	"fmt"
	"slices"
	"strings"
)

// patterns are what a directive of strptime reads, as CPython has them.
var patterns = map[byte]string{
	'd': `(?P<d>3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])`,
	'f': `(?P<f>[0-9]{1,6})`,
	'H': `(?P<H>2[0-3]|[0-1]\d|\d)`,
	'I': `(?P<I>1[0-2]|0[1-9]|[1-9])`,
	'G': `(?P<G>\d\d\d\d)`,
	'j': `(?P<j>36[0-6]|3[0-5]\d|[1-2]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9])`,
	'm': `(?P<m>1[0-2]|0[1-9]|[1-9])`,
	'M': `(?P<M>[0-5]\d|\d)`,
	'S': `(?P<S>6[0-1]|[0-5]\d|\d)`,
	'U': `(?P<U>5[0-3]|[0-4]\d|\d)`,
	'W': `(?P<W>5[0-3]|[0-4]\d|\d)`,
	'w': `(?P<w>[0-6])`,
	'u': `(?P<u>[1-7])`,
	'V': `(?P<V>5[0-3]|0[1-9]|[1-4]\d|\d)`,
	'y': `(?P<y>\d\d)`,
	'Y': `(?P<Y>\d\d\d\d)`,
	'z': `(?P<z>[+-]\d\d:?[0-5]\d(:?[0-5]\d(\.\d{1,6})?)?|(?-i:Z))`,
	'A': names('A', days, 0), 'a': names('a', days, 3), 'B': names('B', months, 0), 'b': names('b', months, 3),
	'p': `(?P<p>am|pm)`,
	'Z': `(?P<Z>utc|gmt)`,
	'%': `%`,
}

func names(c byte, full []string, cut int) string {
	all := slices.Clone(full)
	for i := range all {
		if cut > 0 {
			all[i] = all[i][:cut]
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return "(?P<" + string(c) + ">" + strings.Join(all, "|") + ")"
}

// Pattern is the regular expression, without regard to case, that reads texts of a format.
func Pattern(format string) (string, error) {
	var b strings.Builder
	format = strings.NewReplacer("%c", "%a %b %d %H:%M:%S %Y", "%x", "%m/%d/%y", "%X", "%H:%M:%S").Replace(format)
	space := false
	for i := 0; i < len(format); i++ {
		c := format[i]
		if strings.IndexByte(" \t\n\r\v\f", c) >= 0 {
			if !space {
				b.WriteString(`\s+`)
			}
			space = true
			continue
		}
		space = false
		switch {
		case c == '%':
			if i++; i >= len(format) {
				return "", fmt.Errorf("stray %% in format '%s'", format)
			}
			p, ok := patterns[format[i]]
			if !ok {
				return "", fmt.Errorf("'%c' is a bad directive in format '%s'", format[i], format)
			}
			b.WriteString(p)
		case strings.IndexByte(`\.^$*+?(){}[]|`, c) >= 0:
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// reading is what the groups of a format have found; -1 stands for what was not there.
type reading struct {
	year, month, day, hour, minute, second, micros int64
	weekday, yearDay, week, isoYear, isoWeek       int64
	monday                                         bool // weeks begin on Monday
	half                                           string
	twelve                                         bool
	zone                                           string
}

// Assemble makes a moment of what the groups of a format have found, by the rules of CPython. The later of two groups
// that say the same counts.
func Assemble(names []string, group func(name string) string) (m Moment, err error) {
	r := &reading{year: -1, month: 1, day: 1, weekday: -1, yearDay: -1, week: -1, isoYear: -1, isoWeek: -1}
	for _, name := range names {
		r.take(name[0], group(name))
	}
	if err := r.check(); err != nil {
		return m, err
	}
	if r.twelve {
		r.hour %= 12
		if strings.EqualFold(r.half, "pm") {
			r.hour += 12
		}
	}
	days, err := r.date()
	if err != nil {
		return m, err
	}
	if r.second > 59 {
		return m, fmt.Errorf("second must be in 0..59")
	}
	m.Micros = days*Day + r.hour*Hour + r.minute*Minute + r.second*Second + r.micros
	if r.zone != "" {
		m.Offset, m.Zone = offset(r.zone)
	}
	return m, nil
}

// take notes what one group has found.
func (r *reading) take(name byte, s string) {
	n := numeral(strings.TrimLeft(s, " "))
	switch name {
	case 'y':
		if r.year = n + 1900; n <= 68 {
			r.year = n + 2000
		}
	case 'Y':
		r.year = n
	case 'G':
		r.isoYear = n
	case 'm':
		r.month = n
	case 'B', 'b':
		r.month = place(months, s) + 1
	case 'd':
		r.day = n
	case 'H':
		r.hour, r.twelve = n, false
	case 'I':
		r.hour, r.twelve = n, true
	case 'p':
		r.half = s
	case 'M':
		r.minute = n
	case 'S':
		r.second = n
	case 'f':
		r.micros = numeral((s + "000000")[:6])
	case 'A', 'a':
		r.weekday = place(days, s)
	case 'w':
		r.weekday = (n + 6) % 7
	case 'u':
		r.weekday = n - 1
	case 'j':
		r.yearDay = n
	case 'U', 'W':
		r.week, r.monday = n, name == 'W'
	case 'V':
		r.isoWeek = n
	case 'z':
		r.zone = s
	}
}

// numeral reads decimal digits, of which a format lets in those of every script; others than ASCII's give nothing here.
func numeral(s string) int64 {
	if digits(s) != len(s) {
		return -1
	}
	return num(s)
}

func place(table []string, s string) int64 {
	return int64(
		slices.IndexFunc(
			table,
			func(name string) bool { return strings.EqualFold(name, s) || strings.EqualFold(name[:3], s) },
		),
	)
}

// check refuses what does not go together.
func (r *reading) check() error {
	switch {
	case r.year < 0 && r.isoYear >= 0:
		if r.yearDay >= 0 {
			return fmt.Errorf(
				"Day of the year directive '%%j' is not compatible with ISO year directive '%%G'. Use '%%Y' instead.",
			)
		}
		if r.isoWeek < 0 || r.weekday < 0 {
			return fmt.Errorf(
				"ISO year directive '%%G' must be used with the ISO week directive '%%V' and a weekday directive " +
					"('%%A', '%%a', '%%w', or '%%u').",
			)
		}
	case r.week < 0 && r.isoWeek >= 0:
		return fmt.Errorf(
			"ISO week directive '%%V' must be used with the ISO year directive '%%G' and a weekday directive ('%%A', " +
				"'%%a', '%%w', or '%%u').",
		)
	}
	return nil
}

// date works the day out.
func (r *reading) date() (int64, error) {
	if r.year < 0 {
		r.year = 1900
	}
	first, ok := DayOf(r.year, 1, 1)
	if !ok {
		return 0, fmt.Errorf("year %d is out of range", r.year)
	}
	day := first + r.yearDay - 1
	switch {
	case r.yearDay >= 0:
	case r.weekday >= 0 && r.week >= 0:
		day = weekDay(first, r.week, r.weekday, r.monday)
	case r.weekday >= 0 && r.isoYear >= 0 && r.isoWeek >= 0:
		if day, ok = FromISOWeek(r.isoYear, r.isoWeek, r.weekday+1); !ok {
			return 0, fmt.Errorf("Invalid week: %d", r.isoWeek)
		}
	default:
		if day, ok = DayOf(r.year, r.month, r.day); !ok {
			return 0, fmt.Errorf("day is out of range for month")
		}
	}
	if day < 0 || day > LastDay {
		return 0, fmt.Errorf("year is out of range")
	}
	return day, nil
}

// weekDay is a day of a week of the year that begins with first, where weeks begin on Sunday or on Monday.
func weekDay(first, week, weekday int64, monday bool) int64 {
	start := Weekday(first)
	if !monday {
		start, weekday = (start+1)%7, (weekday+1)%7
	}
	zero := (7 - start) % 7
	if week == 0 {
		return first + weekday - start
	}
	return first + zero + 7*(week-1) + weekday
}

// offset reads what %z has found.
func offset(s string) (*int64, string) {
	if s == "Z" {
		return new(int64), "UTC"
	}
	plain := strings.ReplaceAll(s[1:], ":", "")
	whole, fraction, _ := strings.Cut(plain, ".")
	n := num(whole[:2])*Hour + num(whole[2:4])*Minute
	if len(whole) >= 6 {
		n += num(whole[4:6]) * Second
	}
	if fraction != "" {
		n += num((fraction + "00000")[:6])
	}
	if s[0] == '-' {
		n = -n
	}
	return &n, ""
}
