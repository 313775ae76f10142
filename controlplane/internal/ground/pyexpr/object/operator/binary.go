package operator

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Add is a + b.
func Add(t *object.Thread, a, b object.Value) object.Value {
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
	return Binary(t, "+", a, b)
}

// Binary is an arithmetic or bitwise operation, such as "+" or "<<". The one that is not here is % of a text, which
// formats it: the compiler calls formatting.Percent for that. Operands that op does not fit raise a TypeError.
func Binary(t *object.Thread, op string, a, b object.Value) object.Value {
	if r, ok := numbers(t, op, a, b); ok {
		return r
	}
	if r, ok := sequences(t, op, a, b); ok {
		return r
	}
	if o, ok := a.(object.Operand); ok {
		if r, ok := o.Binary(t, op, b, false); ok {
			return r
		}
	}
	if o, ok := b.(object.Operand); ok {
		if r, ok := o.Binary(t, op, a, true); ok {
			return r
		}
	}
	unsupported(t, op, a, b)
	return nil
}

func unsupported(t *object.Thread, op string, a, b object.Value) {
	switch a.(type) {
	case string, *object.List, *object.Tuple:
		if op == "+" {
			name := object.TypeName(a)
			if name == "str" {
				t.TypeError(`can only concatenate str (not "%s") to str`, object.TypeName(b))
			}
			t.TypeError(`can only concatenate %s (not "%s") to %s`, name, object.TypeName(b), name)
		}
		if op == "*" {
			t.TypeError("can't multiply sequence by non-int of type '%s'", object.TypeName(b))
		}
	}
	if op == "**" {
		op = "** or pow()"
	}
	t.TypeError("unsupported operand type(s) for %s: '%s' and '%s'", op, object.TypeName(a), object.TypeName(b))
}

func numbers(t *object.Thread, op string, a, b object.Value) (object.Value, bool) {
	x, ok := a.(int64)
	if y, both := b.(int64); ok && both {
		if r, done := small(t, op, x, y); done {
			return r, true
		}
	}
	if object.IsInt(a) && object.IsInt(b) {
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
		return ints(t, op, a, b)
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
	return floats(t, op, f, g)
}
