package ldap

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bits of userAccountControl and msDS-User-Account-Control-Computed (MS-ADTS section 2.2.16).
const (
	uacDisabled           = 0x2
	uacLockout            = 0x10
	uacNormal             = 0x200
	uacSmartcard          = 0x40000
	uacTrust              = 0x800 | 0x1000 | 0x2000 // accounts of machines and domains
	uacPasswordNeverEnds  = 0x10000
	uacPasswordExpired    = 0x800000
	filetimeUnixEpoch     = 116444736000000000 // 1970-01-01 in units of 100 ns since 1601-01-01
	filetimeTicksInSecond = 10_000_000
)

// UAC is the decoded userAccountControl of an Active Directory account.
type UAC struct {
	Disabled             bool
	LockedOut            bool // only in the computed attribute
	PasswordExpired      bool // only in the computed attribute
	PasswordNeverExpires bool
	Trust                bool // an account of a machine or a trusted domain
}

// ParseUAC decodes userAccountControl, which the directory writes as a signed decimal.
func ParseUAC(s string) (UAC, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return UAC{}, false
	}
	return UAC{
		Disabled: n&uacDisabled != 0, LockedOut: n&uacLockout != 0, PasswordExpired: n&uacPasswordExpired != 0,
		PasswordNeverExpires: n&uacPasswordNeverEnds != 0, Trust: n&uacTrust != 0,
	}, true
}

// ParseFiletime decodes Active Directory's times: 100 ns since 1601-01-01 UTC in decimal. Zero and the greatest value stand
// for never; they and what is no number give false.
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

// ParseGeneralizedTime decodes YYYYMMDDHH[MM[SS]][.f](Z|±hh[mm]) (RFC 4517 section 3.3.13). A time without a zone, which some
// servers write, counts as UTC. Year 0, OpenLDAP's word for "for ever", gives false.
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
	fraction, rest, ok := fractionOf(s[digits:], []time.Duration{10: time.Hour, 12: time.Minute, 14: time.Second}[digits])
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

// FormatGUID writes a binary GUID (objectGUID) as Microsoft does: the first three groups are little-endian. It gives false
// for anything but 16 bytes.
func FormatGUID(b []byte) (string, bool) {
	if len(b) != 16 {
		return "", false
	}
	g := [16]byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6]}
	copy(g[8:], b[8:])
	var out [36]byte
	hex.Encode(out[0:8], g[0:4])
	hex.Encode(out[9:13], g[4:6])
	hex.Encode(out[14:18], g[6:8])
	hex.Encode(out[19:23], g[8:10])
	hex.Encode(out[24:36], g[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:]), true
}

// FormatSID writes a binary security identifier as S-1-5-… (MS-DTYP section 2.4.2.1). It gives false for anything else.
func FormatSID(b []byte) (string, bool) {
	if len(b) < 8 || len(b) != 8+4*int(b[1]) {
		return "", false
	}
	var authority [8]byte
	copy(authority[2:], b[2:8])
	var out strings.Builder
	out.WriteString("S-" + strconv.Itoa(int(b[0])) + "-" + strconv.FormatUint(binary.BigEndian.Uint64(authority[:]), 10))
	for rest := b[8:]; len(rest) > 0; rest = rest[4:] {
		out.WriteString("-" + strconv.FormatUint(uint64(binary.LittleEndian.Uint32(rest)), 10))
	}
	return out.String(), true
}

// isTrue reads a boolean as directories write them.
func isTrue(b []byte) bool { return strings.EqualFold(string(b), "true") }
