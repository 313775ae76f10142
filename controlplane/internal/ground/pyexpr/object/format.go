package object

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// spec is a format specification: [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type spec struct {
	fill             rune
	align, sign      byte
	z, alt, zero     bool
	width, precision int // -1 when not given
	group            byte
	kind             byte
}

// Format is format(v, s).
func (t *Thread) Format(v Value, s string) string {
	if f, ok := v.(Formatter); ok {
		return f.Format(t, s)
	}
	if s == "" {
		return t.Str(v)
	}
	switch x := v.(type) {
	case string:
		return t.formatText(x, t.spec(s, v))
	case bool, int64, *big.Int:
		return t.formatInt(v, t.spec(s, v))
	case float64:
		return t.formatFloat(x, t.spec(s, v), v)
	}
	t.TypeError("unsupported format string passed to %s.__format__", TypeName(v))
	return ""
}

func (t *Thread) spec(s string, v Value) spec {
	p := spec{fill: ' ', width: -1, precision: -1}
	filled := false
	if r, n := utf8.DecodeRuneInString(s); len(s) > n && strings.IndexByte("<>=^", s[n]) >= 0 {
		filled, p.fill, p.align, s = true, r, s[n], s[n+1:]
	} else if s != "" && strings.IndexByte("<>=^", s[0]) >= 0 {
		p.align, s = s[0], s[1:]
	}
	aligned := p.align != 0
	take := func(set string) (c byte) {
		if s != "" && strings.IndexByte(set, s[0]) >= 0 {
			c, s = s[0], s[1:]
		}
		return c
	}
	p.sign = take("+- ")
	p.z = take("z") != 0
	p.alt = take("#") != 0
	if p.zero = take("0") != 0; p.zero {
		if !filled {
			p.fill = '0'
		}
		if _, text := v.(string); !aligned && text {
			p.align = '<'
		} else if !aligned {
			p.align = '='
		}
	}
	p.width = t.count(&s, "Too many decimal digits in format string")
	p.group = take(",_")
	if p.group != 0 && take(",_") != 0 {
		t.ValueError("Cannot specify both ',' and '_'.")
	}
	if take(".") != 0 {
		if p.precision = t.count(&s, "Too many decimal digits in format string"); p.precision < 0 {
			t.ValueError("Format specifier missing precision")
		}
	}
	if len(s) > 1 {
		t.ValueError("Invalid format specifier")
	}
	if s != "" {
		p.kind = s[0]
	}
	if max(p.width, p.precision) > 0 {
		t.Alloc(2 * max(p.width, p.precision))
	}
	return p
}

// count reads a number at the start of s; -1 when there is none.
func (t *Thread) count(s *string, msg string) int {
	n := 0
	for n < len(*s) && (*s)[n] >= '0' && (*s)[n] <= '9' {
		n++
	}
	if n == 0 {
		return -1
	}
	i, err := strconv.ParseInt((*s)[:n], 10, 63)
	if err != nil {
		t.ValueError("%s", msg)
	}
	*s = (*s)[n:]
	return int(i)
}

// pad fills s up to the width; lead is what stays in front of the padding of =.
func (t *Thread) pad(lead, s string, p spec, align byte) string {
	if p.align != 0 {
		align = p.align
	}
	missing := p.width - utf8.RuneCountInString(lead) - utf8.RuneCountInString(s)
	t.Alloc(len(lead) + len(s) + 16)
	if missing <= 0 {
		return lead + s
	}
	t.times(utf8.RuneLen(p.fill), missing)
	fill := func(n int) string { return strings.Repeat(string(p.fill), n) }
	switch align {
	case '<':
		return lead + s + fill(missing)
	case '^':
		return fill(missing/2) + lead + s + fill(missing-missing/2)
	case '=':
		return lead + fill(missing) + s
	}
	return fill(missing) + lead + s
}

func (t *Thread) unknownCode(kind byte, v Value) {
	t.ValueError("Unknown format code '%c' for object of type '%s'", kind, TypeName(v))
}

func (t *Thread) formatText(s string, p spec) string {
	switch {
	case p.kind != 0 && p.kind != 's':
		t.unknownCode(p.kind, s)
	case p.sign == ' ':
		t.ValueError("Space not allowed in string format specifier")
	case p.sign != 0:
		t.ValueError("Sign not allowed in string format specifier")
	case p.alt:
		t.ValueError("Alternate form (#) not allowed in string format specifier")
	case p.z:
		t.ValueError("Negative zero coercion (z) not allowed in string format specifier")
	case p.align == '=':
		t.ValueError("'=' alignment not allowed in string format specifier")
	case p.group != 0:
		t.ValueError("Cannot specify '%c' with 's'.", p.group)
	}
	if p.precision >= 0 {
		s = s[:Offset(s, p.precision)]
	}
	return t.pad("", s, p, '<')
}

func (p spec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case p.sign == '+' || p.sign == ' ':
		return string(p.sign)
	}
	return ""
}

var bases = map[byte]int{'b': 2, 'o': 8, 'x': 16, 'X': 16, 'd': 10, 'n': 10, 0: 10}

func (t *Thread) formatInt(v Value, p spec) string {
	if p.kind == 'c' {
		return t.formatChar(v, p)
	}
	if strings.IndexByte("eEfFgG%", p.kind) >= 0 && p.kind != 0 {
		f, _ := t.AsFloat(v)
		return t.formatFloat(f, p, v)
	}
	base, known := bases[p.kind]
	switch {
	case !known:
		t.unknownCode(p.kind, v)
	case p.precision >= 0:
		t.ValueError("Precision not allowed in integer format specifier")
	case p.z:
		t.ValueError("Negative zero coercion (z) not allowed in format specifier with integer format code '%c'", p.kind)
	case p.group != 0 && (p.kind == 'n' || p.group == ',' && base != 10):
		t.ValueError("Cannot specify '%c' with '%c'.", p.group, p.kind)
	}
	n := Bigger(v)
	var digits string
	if base == 10 {
		digits = strings.TrimPrefix(t.Decimal(n), "-")
	} else {
		t.Alloc(n.BitLen() + 16)
		digits = strings.TrimPrefix(n.Text(base), "-")
	}
	lead := p.signOf(n.Sign() < 0)
	if p.alt && base != 10 {
		lead += "0" + string(p.kind)
	}
	if p.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	return t.pad(lead, t.grouped(digits, "", p, lead, map[bool]int{true: 3, false: 4}[base == 10]), p, '>')
}

func (t *Thread) formatChar(v Value, p spec) string {
	switch {
	case p.z:
		t.ValueError("Negative zero coercion (z) not allowed in integer format specifier")
	case p.sign != 0:
		t.ValueError("Sign not allowed with integer format specifier 'c'")
	case p.alt:
		t.ValueError("Alternate form (#) not allowed with integer format specifier 'c'")
	case p.precision >= 0:
		t.ValueError("Precision not allowed in integer format specifier")
	case p.group != 0:
		t.ValueError("Cannot specify '%c' with 'c'.", p.group)
	}
	i := t.Index(v)
	if i < 0 || i > utf8.MaxRune {
		t.Raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	return t.pad("", string(rune(i)), p, '>')
}

// grouped puts separators between every size digits, and zeros before them where they fill the width.
func (t *Thread) grouped(digits, rest string, p spec, lead string, size int) string {
	if p.group == 0 {
		return digits + rest
	}
	if p.fill == '0' && p.align == '=' {
		// Zeros that fill the width are grouped as well.
		want := p.width - len(lead) - len(rest)
		for len(digits)+(len(digits)-1)/size < want {
			n := max(1, (want-len(digits)-(len(digits)-1)/size)/2)
			t.Alloc(len(digits) + n)
			digits = strings.Repeat("0", n) + digits
		}
	}
	t.Alloc(2 * len(digits))
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%size == 0 {
			b.WriteByte(p.group)
		}
		b.WriteByte(digits[i])
	}
	return b.String() + rest
}

func (t *Thread) formatFloat(f float64, p spec, v Value) string {
	if p.kind == 'n' && p.group != 0 {
		t.ValueError("Cannot specify '%c' with 'n'.", p.group)
	}
	if strings.IndexByte("eEfFgGn%\x00", p.kind) < 0 {
		t.unknownCode(p.kind, v)
	}
	if p.precision > 1<<19 {
		t.Alloc(-1)
	}
	s := FloatText(math.Abs(f), p.kind, p.precision, p.alt)
	negative := math.Signbit(f) && !math.IsNaN(f)
	if p.z && negative && strings.Trim(s, "0.%eE+-") == "" {
		negative = false
	}
	lead := p.signOf(negative)
	digits := len(s)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			digits = i
			break
		}
	}
	if digits > 0 {
		s = t.grouped(s[:digits], s[digits:], p, lead, 3)
	}
	return t.pad(lead, s, p, '>')
}
