package formatting

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// directive is one conversion of the % operator.
type directive struct {
	left, plus, space, alt, zero bool
	width, precision             int
	kind                         byte
}

// percenter writes a text with the % operator.
type percenter struct {
	t    *object.Thread
	s    string
	i    int
	args []object.Value
	next int
	dict *object.Dict
	used bool // a key was used
	b    strings.Builder
}

// Percent is s % v.
func Percent(t *object.Thread, s string, v object.Value) string {
	p := &percenter{t: t, s: s, args: []object.Value{v}}
	if tuple, ok := v.(*object.Tuple); ok {
		p.args = tuple.Items
	}
	p.dict, _ = v.(*object.Dict)
	for p.i < len(s) {
		c := s[p.i]
		p.i++
		if c != '%' {
			p.b.WriteByte(c)
			continue
		}
		p.directive()
	}
	t.Alloc(len(s) + 16)
	_, tuple := v.(*object.Tuple)
	_, mapping := v.(*object.Dict)
	_, list := v.(*object.List)
	if p.next < len(p.args) && !p.used && (tuple || !mapping && !list) {
		t.TypeError("not all arguments converted during string formatting")
	}
	return p.b.String()
}

func (p *percenter) peek() byte {
	if p.i >= len(p.s) {
		p.t.ValueError("incomplete format")
	}
	return p.s[p.i]
}

func (p *percenter) arg() object.Value {
	if p.next >= len(p.args) {
		p.t.TypeError("not enough arguments for format string")
	}
	p.next++
	return p.args[p.next-1]
}

func (p *percenter) directive() {
	d := directive{width: -1, precision: -1}
	var v object.Value
	keyed := false
	if p.peek() == '(' {
		v, keyed = p.key(), true
	}
	p.flags(&d)
	d.width = p.number()
	if d.width < -1 {
		d.left, d.width = true, -d.width-2
	}
	if p.peek() == '.' {
		p.i++
		d.precision = max(p.number(), 0)
	}
	for strings.IndexByte("hlL", p.peek()) >= 0 {
		p.i++
	}
	d.kind = p.peek()
	p.i++
	if d.kind == '%' && p.s[p.i-2] == '%' {
		p.b.WriteByte('%')
		return
	}
	if !keyed {
		v = p.arg()
	}
	p.t.Steps(1)
	p.t.Times(1, max(d.width, 0))
	p.t.Times(1, max(d.precision, 0))
	p.write(d, v)
}

func (p *percenter) key() object.Value {
	depth, from := 1, p.i+1
	for p.i++; depth > 0; p.i++ {
		if p.i >= len(p.s) {
			p.t.ValueError("incomplete format key")
		}
		switch p.s[p.i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	if p.dict == nil {
		p.t.TypeError("format requires a mapping")
	}
	p.used = true
	return p.t.Subscript(p.dict, p.s[from:p.i-1])
}

func (p *percenter) flags(d *directive) {
	for {
		switch p.peek() {
		case '-':
			d.left = true
		case '+':
			d.plus = true
		case ' ':
			d.space = true
		case '#':
			d.alt = true
		case '0':
			d.zero = true
		default:
			return
		}
		p.i++
	}
}

// number reads a count, or * for one among the arguments; one below zero is given as -n-2.
func (p *percenter) number() int {
	if p.peek() == '*' {
		p.i++
		v := p.arg()
		if !object.IsInt(v) {
			p.t.TypeError("* wants int")
		}
		n := p.t.Count(v)
		if n < 0 {
			return max(n, -object.MaxBytes) - 2
		}
		return min(n, object.MaxBytes+1)
	}
	rest := p.s[p.i:]
	n := readCount(p.t, &rest, "width too big")
	p.i = len(p.s) - len(rest)
	return min(n, object.MaxBytes+1)
}

func (p *percenter) write(d directive, v object.Value) {
	lead, s := "", ""
	switch d.kind {
	case 's', 'r', 'a':
		s = map[byte]func(object.Value) string{'s': p.t.Str, 'r': p.t.Repr, 'a': p.t.ASCII}[d.kind](v)
		if d.precision >= 0 {
			s = s[:object.Offset(s, d.precision)]
		}
		d.zero = false
	case 'c':
		s = p.char(v)
		d.zero = false
	case 'd', 'i', 'u', 'x', 'X', 'o':
		lead, s = p.integer(d, v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, ok := p.t.AsFloat(v)
		if !ok {
			p.t.TypeError("must be real number, not %s", object.TypeName(v))
		}
		if d.precision < 0 {
			d.precision = 6
		}
		lead = d.sign(math.Signbit(f) && !math.IsNaN(f))
		s = FloatText(math.Abs(f), d.kind, d.precision, d.alt)
	default:
		p.t.ValueError("unsupported format character '%c' (0x%x) at index %d", d.kind, d.kind, p.i-1)
	}
	p.t.Alloc(len(s) + len(lead))
	missing := max(d.width-len(lead)-utf8.RuneCountInString(s), 0)
	switch {
	case d.left:
		p.b.WriteString(lead + s + strings.Repeat(" ", missing))
	case d.zero:
		p.b.WriteString(lead + strings.Repeat("0", missing) + s)
	default:
		p.b.WriteString(strings.Repeat(" ", missing) + lead + s)
	}
}

func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

func (p *percenter) char(v object.Value) string {
	if s, ok := v.(string); ok && utf8.RuneCountInString(s) == 1 {
		return s
	}
	if !object.IsInt(v) {
		p.t.TypeError("%%c requires int or char")
	}
	i := p.t.Index(v)
	if i < 0 || i > utf8.MaxRune {
		p.t.Raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	return string(rune(i))
}

func (p *percenter) integer(d directive, v object.Value) (lead, s string) {
	if f, ok := v.(float64); ok && (d.kind == 'd' || d.kind == 'i' || d.kind == 'u') {
		v = p.t.IntOfFloat(f)
	}
	if !object.IsInt(v) {
		if d.kind == 'x' || d.kind == 'X' || d.kind == 'o' {
			p.t.TypeError("%%%c format: an integer is required, not %s", d.kind, object.TypeName(v))
		}
		p.t.TypeError("%%%c format: a real number is required, not %s", d.kind, object.TypeName(v))
	}
	n := object.Bigger(v)
	lead = d.sign(n.Sign() < 0)
	switch d.kind {
	case 'x', 'X', 'o':
		p.t.Alloc(n.BitLen() + 16)
		s = strings.TrimPrefix(n.Text(bases[d.kind]), "-")
		if d.alt {
			lead += "0" + string(d.kind)
		}
		if d.kind == 'X' {
			s = strings.ToUpper(s)
		}
	default:
		s = strings.TrimPrefix(p.t.Decimal(n), "-")
	}
	if len(s) < d.precision {
		s = strings.Repeat("0", d.precision-len(s)) + s
	}
	return lead, s
}
