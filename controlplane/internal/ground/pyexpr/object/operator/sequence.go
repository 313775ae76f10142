package operator

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// sequences are + and * of text and containers, and the operators of sets and dicts.
func sequences(t *object.Thread, op string, a, b object.Value) (object.Value, bool) {
	switch op {
	case "+":
		return concat(t, a, b)
	case "*":
		if object.IsInt(b) {
			return repeat(t, a, b)
		}
		if object.IsInt(a) {
			return repeat(t, b, a)
		}
	case "|", "&", "-", "^":
		if x, ok := a.(*object.Set); ok {
			if y, ok := b.(*object.Set); ok {
				return t.SetOperation(op, x, y), true
			}
		}
		x, left := a.(*object.Dict)
		y, right := b.(*object.Dict)
		if op == "|" && left && right {
			r := t.CopyDict(x)
			t.Update(r, y)
			return r, true
		}
	}
	return nil, false
}

func concat(t *object.Thread, a, b object.Value) (object.Value, bool) {
	switch x := a.(type) {
	case *object.List:
		if y, ok := b.(*object.List); ok {
			return &object.List{Items: joined(t, x.Items, y.Items)}, true
		}
	case *object.Tuple:
		if y, ok := b.(*object.Tuple); ok {
			return &object.Tuple{Items: joined(t, x.Items, y.Items)}, true
		}
	case object.Bytes:
		if y, ok := b.(object.Bytes); ok {
			t.Alloc(len(x) + len(y) + 16)
			return x + y, true
		}
	}
	return nil, false
}

func joined(t *object.Thread, a, b []object.Value) []object.Value {
	t.Items(len(a) + len(b) + 1)
	return append(append(make([]object.Value, 0, len(a)+len(b)), a...), b...)
}

func repeat(t *object.Thread, v, count object.Value) (object.Value, bool) {
	switch v.(type) {
	case string, object.Bytes, *object.List, *object.Tuple:
	default:
		return nil, false
	}
	n := max(t.Count(count), 0)
	switch x := v.(type) {
	case string:
		t.Times(len(x), n)
		if x == "" {
			return "", true
		}
		return strings.Repeat(x, n), true
	case object.Bytes:
		t.Times(len(x), n)
		if x == "" {
			return x, true
		}
		return object.Bytes(strings.Repeat(string(x), n)), true
	case *object.List:
		return &object.List{Items: repeated(t, x.Items, n)}, true
	case *object.Tuple:
		return &object.Tuple{Items: repeated(t, x.Items, n)}, true
	}
	return nil, false
}

func repeated(t *object.Thread, items []object.Value, n int) []object.Value {
	if len(items) == 0 {
		return nil
	}
	t.Times(16*len(items), n)
	out := make([]object.Value, 0, len(items)*n)
	for range n {
		out = append(out, items...)
	}
	return out
}
