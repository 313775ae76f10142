package object

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Str is str(v).
func (t *Thread) Str(v Value) string {
	switch v := v.(type) {
	case string:
		return v
	case Writer:
		s := v.Str(t)
		t.Alloc(len(s) + 16)
		return s
	}
	return t.Repr(v)
}

// Repr is repr(v).
func (t *Thread) Repr(v Value) string {
	switch v := v.(type) {
	case int64:
		t.Alloc(16)
		return strconv.FormatInt(v, 10)
	case string:
		return t.quote(v)
	}
	w := &writer{t: t}
	w.value(v)
	return w.b.String()
}

// writer writes values inside of values.
type writer struct {
	t    *Thread
	b    strings.Builder
	open []Value // the containers that are being written, each of which is not written inside of itself
}

func (w *writer) text(s string) {
	w.t.Alloc(2 * len(s))
	w.b.WriteString(s)
}

func (w *writer) value(v Value) {
	w.t.Steps(1)
	switch v := v.(type) {
	case nil:
		w.text("None")
	case bool:
		w.text(map[bool]string{true: "True", false: "False"}[v])
	case int64:
		w.text(strconv.FormatInt(v, 10))
	case *big.Int:
		w.text(w.t.Decimal(v))
	case float64:
		w.text(FloatRepr(v))
	case string:
		w.text(w.t.quote(v))
	case Bytes:
		w.text(w.t.quoteBytes(v))
	case *Tuple:
		w.items("(", v, v.Items, ")")
	case *List:
		w.items("[", v, v.Items, "]")
	case *Dict:
		w.dict(v)
	case *Set:
		w.set(v)
	case *Range:
		w.text(fmt.Sprintf("range(%d, %d", v.Start, v.Stop))
		if v.Step != 1 {
			w.text(fmt.Sprintf(", %d", v.Step))
		}
		w.text(")")
	case Writer:
		w.text(v.Repr(w.t))
	default:
		w.text("<" + TypeName(v) + " object>")
	}
}

// enter reports whether a container is being written already, and remembers it.
func (w *writer) enter(v Value, again string) bool {
	for _, o := range w.open {
		w.t.Steps(1)
		if o == v {
			w.text(again)
			return false
		}
	}
	w.t.Enter()
	w.open = append(w.open, v)
	return true
}

func (w *writer) leave() {
	w.t.Leave()
	w.open = w.open[:len(w.open)-1]
}

func (w *writer) items(open string, v Value, items []Value, closing string) {
	if !w.enter(v, open+"..."+closing) {
		return
	}
	defer w.leave()
	w.text(open)
	for i, x := range items {
		if i > 0 {
			w.text(", ")
		}
		w.value(x)
	}
	if open == "(" && len(items) == 1 {
		w.text(",")
	}
	w.text(closing)
}

func (w *writer) dict(d *Dict) {
	if !w.enter(d, "{...}") {
		return
	}
	defer w.leave()
	w.text("{")
	first := true
	for k, x := range d.All {
		if !first {
			w.text(", ")
		}
		first = false
		w.value(k)
		w.text(": ")
		w.value(x)
	}
	w.text("}")
}

func (w *writer) set(s *Set) {
	var items []Value
	for x := range s.All {
		items = append(items, x)
	}
	w.t.Items(len(items))
	switch {
	case len(items) == 0:
		w.text(TypeName(s) + "()")
	case s.Immutable:
		w.items("frozenset({", s, items, "})")
	default:
		w.items("{", s, items, "}")
	}
}

// MaxDigits is how many decimal digits an int may have to be read or written, as in CPython.
const MaxDigits = 4300

// Decimal writes an int.
func (t *Thread) Decimal(n *big.Int) string {
	if n.BitLen() > MaxDigits*10/3 {
		t.ValueError(
			"Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to "+
				"increase the limit",
			MaxDigits,
		)
	}
	t.Steps(n.BitLen() / 64)
	t.Alloc(n.BitLen()/3 + 16)
	s := n.String()
	if len(s) > MaxDigits && len(strings.TrimPrefix(s, "-")) > MaxDigits {
		t.ValueError(
			"Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to "+
				"increase the limit",
			MaxDigits,
		)
	}
	return s
}

// Printable reports whether repr shows a character as it is.
func Printable(r rune) bool { return r == ' ' || unicode.IsPrint(r) }

// quote is repr of a text.
func (t *Thread) quote(s string) string {
	t.Alloc(len(s) + 18)
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(q)
	for _, r := range s {
		before := b.Len()
		if r < ' ' || r >= 0x7f {
			t.Steps(1)
		}
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
			b.WriteByte(byte(r))
		case Printable(r):
			b.WriteRune(r)
		default:
			escaped(&b, r)
		}
		if n := b.Len() - before; n > 1 {
			t.Alloc(2 * n)
		}
	}
	b.WriteByte(q)
	return b.String()
}

func escaped(b *strings.Builder, r rune) {
	switch {
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// ASCII is ascii(v).
func (t *Thread) ASCII(v Value) string {
	s := t.Repr(v)
	if IsASCII(s) {
		return s
	}
	t.Alloc(5 * len(s))
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
		} else {
			escaped(&b, r)
		}
	}
	return b.String()
}

func (t *Thread) quoteBytes(s Bytes) string {
	t.Alloc(4*len(s) + 16)
	q := byte('\'')
	if strings.IndexByte(string(s), '\'') >= 0 && strings.IndexByte(string(s), '"') < 0 {
		q = '"'
	}
	b := []byte{'b', q}
	for _, c := range []byte(s) {
		switch {
		case c == q || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c >= 0x7f:
			b = fmt.Appendf(b, `\x%02x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, q))
}
