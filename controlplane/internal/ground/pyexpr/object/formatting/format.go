package formatting

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Format is format(v, s).
func Format(t *object.Thread, v object.Value, s string) string {
	if f, ok := v.(object.Formatter); ok {
		return f.Format(t, s)
	}
	if s == "" {
		return t.Str(v)
	}
	switch x := v.(type) {
	case string:
		return formatText(t, x, parseSpec(t, s, v))
	case bool, int64, *big.Int:
		return formatInt(t, v, parseSpec(t, s, v))
	case float64:
		return formatFloat(t, x, parseSpec(t, s, v), v)
	}
	t.TypeError("unsupported format string passed to %s.__format__", object.TypeName(v))
	return ""
}

// pad fills s up to the width; lead is what stays in front of the padding of =.
func pad(t *object.Thread, lead, s string, p spec, align byte) string {
	if p.align != 0 {
		align = p.align
	}
	missing := p.width - utf8.RuneCountInString(lead) - utf8.RuneCountInString(s)
	t.Alloc(len(lead) + len(s) + 16)
	if missing <= 0 {
		return lead + s
	}
	t.Times(utf8.RuneLen(p.fill), missing)
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

func unknownCode(t *object.Thread, kind byte, v object.Value) {
	t.ValueError("Unknown format code '%c' for object of type '%s'", kind, object.TypeName(v))
}

func formatText(t *object.Thread, s string, p spec) string {
	switch {
	case p.kind != 0 && p.kind != 's':
		unknownCode(t, p.kind, s)
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
		s = s[:object.Offset(s, p.precision)]
	}
	return pad(t, "", s, p, '<')
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

func formatInt(t *object.Thread, v object.Value, p spec) string {
	if p.kind == 'c' {
		return formatChar(t, v, p)
	}
	if strings.IndexByte("eEfFgG%", p.kind) >= 0 && p.kind != 0 {
		f, _ := t.AsFloat(v)
		return formatFloat(t, f, p, v)
	}
	base, known := bases[p.kind]
	switch {
	case !known:
		unknownCode(t, p.kind, v)
	case p.precision >= 0:
		t.ValueError("Precision not allowed in integer format specifier")
	case p.z:
		t.ValueError("Negative zero coercion (z) not allowed in format specifier with integer format code '%c'", p.kind)
	case p.group != 0 && (p.kind == 'n' || p.group == ',' && base != 10):
		t.ValueError("Cannot specify '%c' with '%c'.", p.group, p.kind)
	}
	n := object.Bigger(v)
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
	return pad(t, lead, grouped(t, digits, "", p, lead, map[bool]int{true: 3, false: 4}[base == 10]), p, '>')
}

func formatChar(t *object.Thread, v object.Value, p spec) string {
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
	return pad(t, "", string(rune(i)), p, '>')
}

// grouped puts separators between every size digits, and zeros before them where they fill the width.
func grouped(t *object.Thread, digits, rest string, p spec, lead string, size int) string {
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

func formatFloat(t *object.Thread, f float64, p spec, v object.Value) string {
	if p.kind == 'n' && p.group != 0 {
		t.ValueError("Cannot specify '%c' with 'n'.", p.group)
	}
	if strings.IndexByte("eEfFgGn%\x00", p.kind) < 0 {
		unknownCode(t, p.kind, v)
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
		s = grouped(t, s[:digits], s[digits:], p, lead, 3)
	}
	return pad(t, lead, s, p, '>')
}
