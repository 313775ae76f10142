package object

import (
	"math"
	"math/bits"
	"strings"
)

// Add is a + b.
func (t *Thread) Add(a, b Value) Value {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			if s := x + y; (s > x) == (y > 0) {
				return s
			}
		}
	case float64:
		if y, ok := b.(float64); ok {
			return x + y
		}
	case string:
		if y, ok := b.(string); ok {
			t.Alloc(len(x) + len(y) + 16)
			return x + y
		}
	}
	return t.Binary("+", a, b)
}

// Binary is an arithmetic or bitwise operation.
func (t *Thread) Binary(op string, a, b Value) Value {
	if r, ok := t.numbers(op, a, b); ok {
		return r
	}
	if r, ok := t.sequences(op, a, b); ok {
		return r
	}
	if o, ok := a.(Operand); ok {
		if r, ok := o.Binary(t, op, b, false); ok {
			return r
		}
	}
	if o, ok := b.(Operand); ok {
		if r, ok := o.Binary(t, op, a, true); ok {
			return r
		}
	}
	t.noOperator(op, a, b)
	return nil
}

func (t *Thread) noOperator(op string, a, b Value) {
	switch a.(type) {
	case string, *List, *Tuple:
		if op == "+" {
			name := TypeName(a)
			if name == "str" {
				t.TypeError(`can only concatenate str (not "%s") to str`, TypeName(b))
			}
			t.TypeError(`can only concatenate %s (not "%s") to %s`, name, TypeName(b), name)
		}
		if op == "*" {
			t.TypeError("can't multiply sequence by non-int of type '%s'", TypeName(b))
		}
	}
	if op == "**" {
		op = "** or pow()"
	}
	t.TypeError("unsupported operand type(s) for %s: '%s' and '%s'", op, TypeName(a), TypeName(b))
}

func (t *Thread) numbers(op string, a, b Value) (Value, bool) {
	x, ok := a.(int64)
	if y, both := b.(int64); ok && both {
		if r, done := t.small(op, x, y); done {
			return r, true
		}
	}
	if IsInt(a) && IsInt(b) {
		if p, ok := a.(bool); ok {
			if q, ok := b.(bool); ok {
				switch op {
				case "&":
					return p && q, true
				case "|":
					return p || q, true
				case "^":
					return p != q, true
				}
			}
		}
		return t.ints(op, a, b)
	}
	_, left := a.(float64)
	_, right := b.(float64)
	if !left && !right {
		return nil, false
	}
	f, ok := t.AsFloat(a)
	if !ok {
		return nil, false
	}
	g, ok := t.AsFloat(b)
	if !ok {
		return nil, false
	}
	return t.floats(op, f, g)
}

// small does what fits into 64 bits.
func (t *Thread) small(op string, x, y int64) (Value, bool) {
	switch op {
	case "+":
		s := x + y
		return s, (s > x) == (y > 0)
	case "-":
		s := x - y
		return s, (s < x) == (y > 0)
	case "*":
		hi, lo := bits.Mul64(magnitude(x), magnitude(y))
		return x * y, hi == 0 && lo < 1<<63
	case "//", "%":
		if y == 0 || x == math.MinInt64 {
			return nil, false
		}
		q, m := x/y, x%y
		if m != 0 && (m < 0) != (y < 0) {
			q, m = q-1, m+y
		}
		if op == "%" {
			return m, true
		}
		return q, true
	case "/":
		if y == 0 || magnitude(x) > 1<<53 || magnitude(y) > 1<<53 {
			return nil, false
		}
		return float64(x) / float64(y), true
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case ">>":
		return x >> min(uint64(y), 63), y >= 0
	}
	return nil, false
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// sequences are + and * of text and containers, % of text, and the operators of sets and dicts.
func (t *Thread) sequences(op string, a, b Value) (Value, bool) {
	switch op {
	case "+":
		return t.concat(a, b)
	case "*":
		if IsInt(b) {
			return t.repeat(a, b)
		}
		if IsInt(a) {
			return t.repeat(b, a)
		}
	case "%":
		if s, ok := a.(string); ok {
			return t.Percent(s, b), true
		}
	case "|", "&", "-", "^":
		if x, ok := a.(*Set); ok {
			if y, ok := b.(*Set); ok {
				return t.SetOperation(op, x, y), true
			}
		}
		x, left := a.(*Dict)
		y, right := b.(*Dict)
		if op == "|" && left && right {
			r := t.CopyDict(x)
			t.Update(r, y)
			return r, true
		}
	}
	return nil, false
}

func (t *Thread) concat(a, b Value) (Value, bool) {
	switch x := a.(type) {
	case *List:
		if y, ok := b.(*List); ok {
			return &List{Items: t.joined(x.Items, y.Items)}, true
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return &Tuple{Items: t.joined(x.Items, y.Items)}, true
		}
	case Bytes:
		if y, ok := b.(Bytes); ok {
			t.Alloc(len(x) + len(y) + 16)
			return x + y, true
		}
	}
	return nil, false
}

func (t *Thread) joined(a, b []Value) []Value {
	t.Items(len(a) + len(b) + 1)
	return append(append(make([]Value, 0, len(a)+len(b)), a...), b...)
}

// times charges n repetitions of size bytes.
func (t *Thread) times(size, n int) {
	if n > 0 && size > MaxBytes/n {
		t.Alloc(-1)
	}
	t.Alloc(size*max(n, 0) + 16)
}

func (t *Thread) repeat(v, count Value) (Value, bool) {
	switch v.(type) {
	case string, Bytes, *List, *Tuple:
	default:
		return nil, false
	}
	n := max(t.Count(count), 0)
	switch x := v.(type) {
	case string:
		t.times(len(x), n)
		if x == "" {
			return "", true
		}
		return strings.Repeat(x, n), true
	case Bytes:
		t.times(len(x), n)
		if x == "" {
			return x, true
		}
		return Bytes(strings.Repeat(string(x), n)), true
	case *List:
		return &List{Items: t.repeated(x.Items, n)}, true
	case *Tuple:
		return &Tuple{Items: t.repeated(x.Items, n)}, true
	}
	return nil, false
}

func (t *Thread) repeated(items []Value, n int) []Value {
	if len(items) == 0 {
		return nil
	}
	t.times(16*len(items), n)
	out := make([]Value, 0, len(items)*n)
	for range n {
		out = append(out, items...)
	}
	return out
}
