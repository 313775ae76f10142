package calendar

import (
	"fmt"
	"strings"
)

// Names of days and months in English, which are those of the locale C.
var (
	days = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

	months = []string{
		"January",
		"February",
		"March",
		"April",
		"May",
		"June",
		"July",
		"August",
		"September",
		"October",
		"November",
		"December",
	}
)

// Strftime writes a moment by a format. A directive that is not known is an error.
func Strftime(m Moment, format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		flag := byte(0)
		if i < len(format) && strings.IndexByte("-_0^", format[i]) >= 0 {
			flag = format[i]
			i++
		}
		if i >= len(format) {
			return "", fmt.Errorf("the format ends with %%; write %%%% for a percent sign")
		}
		s, pad, err := directive(m, format[i])
		if err != nil {
			return "", err
		}
		b.WriteString(flagged(s, pad, flag))
		if b.Len() > 1<<16 {
			return "", fmt.Errorf("what the format gives is too long")
		}
	}
	return b.String(), nil
}

// flagged applies the flags of the C library to a number padded with pad, or to a text when pad is 0.
func flagged(s string, pad, flag byte) string {
	if flag == '^' {
		return strings.ToUpper(s)
	}
	if pad == 0 || flag == 0 {
		return s
	}
	plain := strings.TrimLeft(s[:len(s)-1], string(pad)) + s[len(s)-1:]
	switch flag {
	case '_':
		return strings.Repeat(" ", len(s)-len(plain)) + plain
	case '0':
		return strings.Repeat("0", len(s)-len(plain)) + plain
	}
	return plain
}

func directive(m Moment, c byte) (s string, pad byte, err error) {
	day, time := m.Micros/Day, m.Micros%Day
	year, month, date := Date(day)
	hour, minute, second := time/Hour, time/Minute%60, time/Second%60
	twelve := (hour+11)%12 + 1
	half := "AM"
	if hour >= 12 {
		half = "PM"
	}
	isoYear, isoWeek, isoDay := ISOWeek(day)
	first, _ := DayOf(year, 1, 1)
	yearDay := day - first
	two := func(n int64) (string, byte, error) { return fmt.Sprintf("%02d", n), '0', nil }
	text := func(format string, args ...any) (string, byte, error) { return fmt.Sprintf(format, args...), 0, nil }
	switch c {
	case 'Y':
		return text("%d", year)
	case 'C':
		return two(year / 100)
	case 'y':
		return two(year % 100)
	case 'G':
		return text("%d", isoYear)
	case 'g':
		return two(isoYear % 100)
	case 'm':
		return two(month)
	case 'd':
		return two(date)
	case 'e':
		return fmt.Sprintf("%2d", date), ' ', nil
	case 'H':
		return two(hour)
	case 'k':
		return fmt.Sprintf("%2d", hour), ' ', nil
	case 'I':
		return two(twelve)
	case 'l':
		return fmt.Sprintf("%2d", twelve), ' ', nil
	case 'M':
		return two(minute)
	case 'S':
		return two(second)
	case 'f':
		return text("%06d", time%Second)
	case 'j':
		return fmt.Sprintf("%03d", yearDay+1), '0', nil
	case 'U':
		return two((yearDay + 7 - (Weekday(day)+1)%7) / 7)
	case 'W':
		return two((yearDay + 7 - Weekday(day)) / 7)
	case 'V':
		return two(isoWeek)
	case 'u':
		return text("%d", isoDay)
	case 'w':
		return text("%d", isoDay%7)
	case 'a':
		return text("%s", days[Weekday(day)][:3])
	case 'A':
		return text("%s", days[Weekday(day)])
	case 'b', 'h':
		return text("%s", months[month-1][:3])
	case 'B':
		return text("%s", months[month-1])
	case 'p':
		return text("%s", half)
	case 'P':
		return text("%s", strings.ToLower(half))
	case 'z':
		return text("%s", Offset(m.Offset, ""))
	case 'Z':
		return text("%s", m.Zone)
	case 'D', 'x':
		return text("%02d/%02d/%02d", month, date, year%100)
	case 'F':
		return text("%d-%02d-%02d", year, month, date)
	case 'T', 'X':
		return text("%02d:%02d:%02d", hour, minute, second)
	case 'R':
		return text("%02d:%02d", hour, minute)
	case 'r':
		return text("%02d:%02d:%02d %s", twelve, minute, second, half)
	case 'c':
		return text(
			"%s %s %2d %02d:%02d:%02d %d",
			days[Weekday(day)][:3],
			months[month-1][:3],
			date,
			hour,
			minute,
			second,
			year,
		)
	case 'n':
		return text("\n")
	case 't':
		return text("\t")
	case '%':
		return text("%%")
	}
	return "", 0, fmt.Errorf("%%%c is not possible here in a format", c)
}

// Offset writes an offset as +0100, with sep between hours and minutes; nil is empty.
func Offset(offset *int64, sep string) string {
	if offset == nil {
		return ""
	}
	n, sign := *offset, "+"
	if n < 0 {
		n, sign = -n, "-"
	}
	s := fmt.Sprintf("%s%02d%s%02d", sign, n/Hour, sep, n/Minute%60)
	if n%Minute != 0 {
		s += fmt.Sprintf("%s%02d", sep, n/Second%60)
	}
	if n%Second != 0 {
		s += fmt.Sprintf(".%06d", n%Second)
	}
	return s
}
