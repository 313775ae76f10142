package syntax

import (
	"math"
	"strconv"
	"time"
)

// GeneralizedTimeLayout writes times in UTC for time.Format (RFC 4517 section 3.3.13).
const GeneralizedTimeLayout = "20060102150405Z"

// ParseFiletime decodes Active Directory's times: 100 ns since 1601-01-01 UTC in decimal. Zero and the
// greatest value stand for never; they and what is no number give false.
func ParseFiletime(s string) (time.Time, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n == math.MaxInt64 {
		return time.Time{}, false
	}
	n -= filetimeUnixEpoch
	t := time.Unix(n/filetimeTicksInSecond, n%filetimeTicksInSecond*100).UTC()
	if t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

// ParseGeneralizedTime decodes YYYYMMDDHH[MM[SS]][.f](Z|±hh[mm]) (RFC 4517 section 3.3.13). A time without a
// zone, which some servers write, counts as UTC. Year 0, OpenLDAP's word for "for ever", gives false.
func ParseGeneralizedTime(s string) (time.Time, bool) {
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits != 10 && digits != 12 && digits != 14 {
		return time.Time{}, false
	}
	num := func(from, to int) int {
		if to > digits {
			return 0
		}
		n, _ := strconv.Atoi(s[from:to])
		return n
	}
	year, month, day := num(0, 4), num(4, 6), num(6, 8)
	hour, minute, second := num(8, 10), num(10, 12), num(12, 14)
	if year == 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	fraction, rest, ok := fractionOf(
		s[digits:], []time.Duration{10: time.Hour, 12: time.Minute, 14: time.Second}[digits],
	)
	if !ok {
		return time.Time{}, false
	}
	offset, ok := zoneOf(rest)
	if !ok {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Day() != day && second != 60 {
		return time.Time{}, false
	}
	return t.Add(fraction - offset), true
}

// fractionOf reads .f or ,f as a part of unit.
func fractionOf(s string, unit time.Duration) (time.Duration, string, bool) {
	if s == "" || s[0] != '.' && s[0] != ',' {
		return 0, s, true
	}
	end := 1
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	f, err := strconv.ParseFloat("0."+s[1:end], 64)
	return time.Duration(f * float64(unit)), s[end:], err == nil && end > 1
}

// zoneOf reads the zone of a generalizedTime: Z, ±hh or ±hhmm; nothing counts as UTC. It gives the
// offset from UTC.
func zoneOf(s string) (time.Duration, bool) {
	if s == "" || s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 3 && len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || n < 0 {
		return 0, false
	}
	if len(s) == 3 {
		n *= 100
	}
	offset := time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// FormatFiletime is the reverse of ParseFiletime.
func FormatFiletime(at time.Time) int64 {
	return at.Unix()*filetimeTicksInSecond + int64(at.Nanosecond())/100 + filetimeUnixEpoch
}
