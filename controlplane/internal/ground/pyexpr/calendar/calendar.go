// Package calendar counts days and writes and reads dates as Python's datetime does. A time is counted in microseconds
// since the beginning of the year 1, a day in days since then.
package calendar

import (
	"errors"
	"time"
)

// Microseconds.
const (
	Second = int64(1_000_000)
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// LastDay is the last day of the year 9999.
const LastDay = 3_652_058

var epoch = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// Epoch is 1970 in microseconds.
var Epoch = -epoch * Second

// DayOf counts the day of a date; ok is false when there is no such date.
func DayOf(year, month, day int64) (days int64, ok bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	t := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	return (t.Unix() - epoch) / 86400, int64(t.Day()) == day
}

// Date is the date of a day.
func Date(days int64) (year, month, day int64) {
	y, m, d := time.Unix(days*86400+epoch, 0).UTC().Date()
	return int64(y), int64(m), int64(d)
}

// Weekday is 0 on Mondays.
func Weekday(days int64) int64 { return days % 7 }

// YearDay is 1 on the first of January.
func YearDay(days int64) int64 {
	y, _, _ := Date(days)
	first, _ := DayOf(y, 1, 1)
	return days - first + 1
}

// ISOWeek is the year, the week and the day of the week by ISO 8601.
func ISOWeek(days int64) (year, week, day int64) {
	y, w := time.Unix(days*86400+epoch, 0).UTC().ISOWeek()
	return int64(y), int64(w), Weekday(days) + 1
}

// FromISOWeek is the inverse of ISOWeek.
func FromISOWeek(year, week, day int64) (days int64, ok bool) {
	fourth, ok := DayOf(year, 1, 4)
	if !ok || week < 1 || day < 1 || day > 7 {
		return 0, false
	}
	days = fourth - Weekday(fourth) + (week-1)*7 + day - 1
	if days < 0 || days > LastDay {
		return 0, false
	}
	y, w, _ := ISOWeek(days)
	return days, y == year && w == week
}

// Moment is a time of the wall with what is known of its zone.
type Moment struct {
	Micros int64 // since the beginning of the year 1; of the day alone for a time without a date
	Offset *int64
	Zone   string
}

var errISO = errors.New("not ISO 8601")

// ParseISODate reads a date by ISO 8601.
func ParseISODate(s string) (days int64, err error) {
	n := digits(s)
	rest := s[n:]
	var ok bool
	switch {
	case n == 8 && rest == "":
		days, ok = DayOf(num(s[:4]), num(s[4:6]), num(s[6:]))
	case n == 4 && len(rest) == 6 && rest[0] == '-' && digits(rest[1:]) == 2 && rest[3] == '-' && digits(rest[4:]) == 2:
		days, ok = DayOf(num(s[:4]), num(rest[1:3]), num(rest[4:]))
	case n == 4:
		return isoWeekDate(num(s[:4]), rest)
	}
	if !ok {
		return 0, errISO
	}
	return days, nil
}

// isoWeekDate reads what follows the year in 2024-W05-1, 2024W051, 2024-W05 or 2024W05.
func isoWeekDate(year int64, rest string) (int64, error) {
	dashed := len(rest) > 0 && rest[0] == '-'
	if dashed {
		rest = rest[1:]
	}
	if len(rest) < 3 || rest[0] != 'W' || digits(rest[1:]) < 2 {
		return 0, errISO
	}
	week, rest, day := num(rest[1:3]), rest[3:], int64(1)
	if rest != "" {
		if dashed {
			if rest[0] != '-' {
				return 0, errISO
			}
			rest = rest[1:]
		}
		if len(rest) != 1 || digits(rest) != 1 {
			return 0, errISO
		}
		day = num(rest)
	}
	days, ok := FromISOWeek(year, week, day)
	if !ok {
		return 0, errISO
	}
	return days, nil
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func num(s string) (n int64) {
	for i := range len(s) {
		n = n*10 + int64(s[i]-'0')
	}
	return n
}

// ParseISOTime reads a time by ISO 8601, with an offset or without.
func ParseISOTime(s string) (m Moment, err error) {
	end := len(s)
	for i := range len(s) {
		if s[i] == '+' || s[i] == '-' || s[i] == 'Z' {
			end = i
			break
		}
	}
	if m.Micros, err = clock(s[:end]); err != nil || m.Micros >= Day {
		return m, errISO
	}
	switch zone := s[end:]; {
	case zone == "":
	case zone == "Z":
		m.Offset, m.Zone = new(int64), "UTC"
	case zone[0] == 'Z':
		return m, errISO
	default:
		offset, err := clock(zone[1:])
		if err != nil || offset >= Day {
			return m, errISO
		}
		if zone[0] == '-' {
			offset = -offset
		}
		m.Offset = &offset
	}
	return m, nil
}

// clock reads HH, HH:MM, HH:MM:SS, HH:MM:SS.ffffff, or the same without colons.
func clock(s string) (int64, error) {
	if digits(s) < 2 {
		return 0, errISO
	}
	colons := len(s) > 2 && s[2] == ':'
	parts := [3]int64{}
	n := 0
	for ; n < 3; n++ {
		if digits(s) < 2 {
			return 0, errISO
		}
		parts[n], s = num(s[:2]), s[2:]
		if s == "" || s[0] == '.' || s[0] == ',' {
			break
		}
		if n == 2 {
			return 0, errISO
		}
		if colons != (s[0] == ':') {
			return 0, errISO
		}
		if colons {
			s = s[1:]
		}
	}
	micros := int64(0)
	if s != "" {
		f := s[1:]
		if n < 2 || f == "" || digits(f) != len(f) {
			return 0, errISO
		}
		micros = num((f + "00000")[:6])
	}
	if parts[1] > 59 || parts[2] > 59 || parts[0] > 23 {
		return 0, errISO
	}
	return parts[0]*Hour + parts[1]*Minute + parts[2]*Second + micros, nil
}

// ParseISO reads a date with a time by ISO 8601, or a date alone; any character may stand between them.
func ParseISO(s string) (Moment, error) {
	at := separator(s)
	if at > len(s) {
		return Moment{}, errISO
	}
	days, err := ParseISODate(s[:at])
	if err != nil || at == len(s) {
		return Moment{Micros: days * Day}, err
	}
	size := 1
	for size < len(s)-at && s[at+size]&0xc0 == 0x80 {
		size++
	}
	m, err := ParseISOTime(s[at+size:])
	m.Micros += days * Day
	return m, err
}

// separator is where the date ends.
func separator(s string) int {
	switch {
	case len(s) < 7 || digits(s) < 4:
		return len(s) + 1
	case len(s) == 7:
		return 7
	case s[4] == '-' && s[5] == 'W':
		if len(s) > 8 && s[8] == '-' {
			if len(s) == 9 {
				return len(s) + 1
			}
			if len(s) > 10 && s[10] >= '0' && s[10] <= '9' {
				return 8 // the character between is a dash, and the time begins
			}
			return 10
		}
		return 8
	case s[4] == '-':
		return 10
	case s[4] == 'W':
		n := 7 + digits(s[7:])
		switch {
		case n < 9:
			return n
		case n%2 == 0:
			return 7
		}
		return 8
	}
	return 8
}
