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

// reading is what the groups of a format have found.
type reading struct {
	group                                    func(name byte) (string, bool)
	year, month, day, week, weekday, yearDay int64
	hour, half                               int64
	has                                      map[byte]bool
}

// Assemble makes a moment of what the groups of a format have found, by the rules of CPython.
func Assemble(group func(name byte) (string, bool)) (m Moment, err error) {
	r := &reading{group: group, year: 1900, month: 1, day: 1, weekday: -1, yearDay: -1, has: map[byte]bool{}}
	get := func(c byte) (int64, bool) {
		s, ok := group(c)
		r.has[c] = ok
		return numeral(strings.TrimLeft(s, " ")), ok
	}
	if y, ok := get('y'); ok {
		if r.year = y + 1900; y <= 68 {
			r.year = y + 2000
		}
	}
	if y, ok := get('Y'); ok {
		r.year = y
	}
	if n, ok := get('m'); ok {
		r.month = n
	}
	for c, table := range map[byte][]string{'B': months, 'b': months} {
		if s, ok := group(c); ok {
			r.month = place(table, s) + 1
		}
	}
	if n, ok := get('d'); ok {
		r.day = n
	}
	r.clock(get)
	minute, _ := get('M')
	second, _ := get('S')
	f, _ := group('f')
	micros := numeral((f + "000000")[:6])
	if err := r.date(get); err != nil {
		return m, err
	}
	days, ok := DayOf(r.year, r.month, r.day)
	if !ok {
		return m, fmt.Errorf("day is out of range for month")
	}
	if second > 59 {
		return m, fmt.Errorf("second must be in 0..59")
	}
	m.Micros = days*Day + r.hour*Hour + minute*Minute + second*Second + micros
	if z, ok := group('z'); ok {
		m.Offset, m.Zone = offset(z)
	}
	return m, nil
}

// numeral reads decimal digits, of which a format lets in those of every script; others than ASCII's give nothing here.
func numeral(s string) int64 {
	if digits(s) != len(s) {
		return -1
	}
	return num(s)
}

func place(table []string, s string) int64 {
	return int64(slices.IndexFunc(table, func(name string) bool { return strings.EqualFold(name, s) || strings.EqualFold(name[:3], s) }))
}

func (r *reading) clock(get func(byte) (int64, bool)) {
	if h, ok := get('H'); ok {
		r.hour = h
	}
	if h, ok := get('I'); ok {
		p, _ := r.group('p')
		switch strings.ToLower(p) {
		case "pm":
			if h != 12 {
				h += 12
			}
		default:
			if h == 12 {
				h = 0
			}
		}
		r.hour = h
	}
}

// date works the date out where it is not given by month and day.
func (r *reading) date(get func(byte) (int64, bool)) error {
	for _, c := range []byte("Aa") {
		if s, ok := r.group(c); ok {
			r.weekday = place(days, s)
		}
	}
	if n, ok := get('w'); ok {
		r.weekday = (n + 6) % 7
	}
	if n, ok := get('u'); ok {
		r.weekday = n - 1
	}
	if n, ok := get('j'); ok {
		r.yearDay = n
	}
	isoYear, hasISOYear := get('G')
	isoWeek, hasISOWeek := get('V')
	_, hasYear := r.group('Y')
	_, hasShortYear := r.group('y')
	if hasISOYear {
		switch {
		case r.yearDay >= 0:
			return fmt.Errorf("Day of the year directive '%%j' is not compatible with ISO year directive '%%G'. Use '%%Y' instead.")
		case !hasISOWeek || r.weekday < 0:
			return fmt.Errorf("ISO year directive '%%G' must be used with the ISO week directive '%%V' and a weekday directive ('%%A', '%%a', '%%w', or '%%u').")
		}
	} else if hasISOWeek {
		return fmt.Errorf("ISO week directive '%%V' must be used with the ISO year directive '%%G' and a weekday directive ('%%A', '%%a', '%%w', or '%%u').")
	}
	day, known := int64(0), false
	switch {
	case hasISOYear:
		if day, known = FromISOWeek(isoYear, isoWeek, r.weekday+1); !known {
			return fmt.Errorf("Invalid week: %d", isoWeek)
		}
	case r.yearDay >= 0:
		first, ok := DayOf(r.year, 1, 1)
		if !ok {
			return fmt.Errorf("year %d is out of range", r.year)
		}
		day, known = first+r.yearDay-1, true
	case r.weekday >= 0 && (hasYear || hasShortYear):
		for _, c := range []byte("UW") {
			if week, ok := get(c); ok {
				if day, known = weekDay(r.year, week, r.weekday, c == 'W'); !known {
					return fmt.Errorf("year is out of range")
				}
			}
		}
	}
	if known {
		if day < 0 || day > LastDay {
			return fmt.Errorf("year is out of range")
		}
		r.year, r.month, r.day = Date(day)
	}
	return nil
}

// weekDay is a day of a week of the year, where weeks begin on Sunday or on Monday.
func weekDay(year, week, weekday int64, monday bool) (int64, bool) {
	first, ok := DayOf(year, 1, 1)
	if !ok {
		return 0, false
	}
	start := Weekday(first)
	if !monday {
		start, weekday = (start+1)%7, (weekday+1)%7
	}
	zero := (7 - start) % 7
	if week == 0 {
		return first + weekday - start, true
	}
	return first + zero + 7*(week-1) + weekday, true
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
