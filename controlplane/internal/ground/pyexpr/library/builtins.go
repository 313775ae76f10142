package library

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

func init() {
	function("len", "obj/", func(t *thread, a values) value { return int64(t.Len(a[0])) })
	function("repr", "obj/", func(t *thread, a values) value { return t.Repr(a[0]) })
	function("ascii", "obj/", func(t *thread, a values) value { return t.ASCII(a[0]) })
	function("format", "value/ format_spec/?", func(t *thread, a values) value {
		if missing(a[1]) {
			return t.Format(a[0], "")
		}
		return t.Format(a[0], text(t, a[1], "format() argument 2"))
	})
	function("abs", "x/", abs)
	function("round", "number ndigits?", round)
	function("divmod", "x/ y/", func(t *thread, a values) value {
		return object.NewTuple(t.Binary("//", a[0], a[1]), t.Binary("%", a[0], a[1]))
	})
	function("pow", "base exp mod?", pow)
	function("chr", "i/", func(t *thread, a values) value { return string(character(t, a[0])) })
	function("ord", "c/", ord)
	for name, prefix := range map[string]string{"hex": "0x", "oct": "0o", "bin": "0b"} {
		function(name, "number/", func(t *thread, a values) value { return based(t, a[0], prefix) })
	}
	function("isinstance", "obj/ class/", func(t *thread, a values) value { return isInstance(t, a[0], a[1]) })
	function("callable", "obj/", func(t *thread, a values) value { _, ok := a[0].(object.Callable); return ok })
	function("hash", "obj/", func(t *thread, a values) value {
		t.Hash(a[0])
		t.TypeError("hash() is not possible here: Python gives texts another one every time")
		return nil
	})
	function("all", "iterable/", func(t *thread, a values) value { return anyIs(t, a[0], false) == nil })
	function("any", "iterable/", func(t *thread, a values) value { return anyIs(t, a[0], true) != nil })
	function("sum", "iterable/ start?", sum)
	function("min", "*args key?| default?|", func(t *thread, a values) value { return extreme(t, "min", a) })
	function("max", "*args key?| default?|", func(t *thread, a values) value { return extreme(t, "max", a) })
	function("sorted", "iterable/ key?| reverse?|", func(t *thread, a values) value {
		return &object.List{Items: sorted(t, t.Collect(a[0]), orNone(a[1]), a[2])}
	})
}

func abs(t *thread, a values) value {
	switch v := a[0].(type) {
	case float64:
		return math.Abs(v)
	case object.Operand:
		if r, ok := v.Binary(t, "abs", nil, false); ok {
			return r
		}
	}
	if !object.IsInt(a[0]) {
		t.TypeError("bad operand type for abs(): '%s'", object.TypeName(a[0]))
	}
	return object.Big(new(big.Int).Abs(object.Bigger(a[0])))
}

func round(t *thread, a values) value {
	whole := orNone(a[1]) == nil
	switch v := a[0].(type) {
	case float64:
		if whole {
			t.IntOfFloat(v)
			return t.IntOfFloat(math.RoundToEven(v))
		}
		return t.Round(v, max(min(t.Index(a[1]), 1000), -1000))
	default:
		if !object.IsInt(v) {
			t.TypeError("type %s doesn't define __round__ method", object.TypeName(v))
		}
		if whole {
			return t.Pos(v)
		}
		return t.RoundInt(v, max(t.Index(a[1]), -10000))
	}
}

func pow(t *thread, a values) value {
	if orNone(a[2]) == nil {
		return t.Binary("**", a[0], a[1])
	}
	if !object.IsInt(a[0]) || !object.IsInt(a[1]) || !object.IsInt(a[2]) {
		t.TypeError("pow() 3rd argument not allowed unless all arguments are integers")
	}
	return t.PowMod(object.Bigger(a[0]), object.Bigger(a[1]), object.Bigger(a[2]))
}

func ord(t *thread, a values) value {
	switch s := a[0].(type) {
	case string:
		if n := t.Len(s); n != 1 {
			t.TypeError("ord() expected a character, but string of length %d found", n)
		}
		r, _ := utf8.DecodeRuneInString(s)
		return int64(r)
	case object.Bytes:
		if len(s) == 1 {
			return int64(s[0])
		}
	}
	t.TypeError("ord() expected string of length 1, but %s found", object.TypeName(a[0]))
	return nil
}

func based(t *thread, v value, prefix string) value {
	if !object.IsInt(v) {
		t.TypeError("'%s' object cannot be interpreted as an integer", object.TypeName(v))
	}
	n := object.Bigger(v)
	t.Alloc(n.BitLen() + 16)
	s := n.Text(map[string]int{"0x": 16, "0o": 8, "0b": 2}[prefix])
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		return "-" + prefix + rest
	}
	return prefix + s
}

func isInstance(t *thread, v, class value) bool {
	t.Steps(1)
	switch c := class.(type) {
	case *object.Type:
		return c.Is(v)
	case *object.Tuple:
		t.Enter()
		defer t.Leave()
		for _, one := range c.Items {
			if isInstance(t, v, one) {
				return true
			}
		}
		return false
	case nil:
	}
	t.TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")
	return false
}

// anyIs finds a value of v that is as true as wanted; it gives nil where there is none.
func anyIs(t *thread, v value, wanted bool) value {
	next := t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		if t.Truth(x) == wanted {
			return true
		}
	}
	return nil
}

func sum(t *thread, a values) value {
	var total value = int64(0)
	if !missing(a[1]) {
		total = a[1]
		if _, ok := total.(string); ok {
			t.TypeError("sum() can't sum strings [use ''.join(seq) instead]")
		}
	}
	next := t.Iterate(a[0])
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		total = t.Add(total, x)
	}
	return total
}

func extreme(t *thread, name string, a values) value {
	args := a[0].(*object.Tuple).Items
	if len(args) == 0 {
		t.TypeError("%s expected at least 1 argument, got 0", name)
	}
	from := args[0]
	if len(args) > 1 {
		if !missing(a[2]) {
			t.TypeError("Cannot specify a default for %s() with multiple positional arguments", name)
		}
		from = a[0]
	}
	key := orNone(a[1])
	var best, bestKey value
	found := false
	next := t.Iterate(from)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		k := x
		if key != nil {
			k = t.CallValue(key, x)
		}
		op := "<"
		if name == "max" {
			op = ">"
		}
		if !found || t.Compare(op, k, bestKey) {
			best, bestKey, found = x, k, true
		}
	}
	switch {
	case found:
		return best
	case missing(a[2]):
		t.ValueError("%s() arg is an empty sequence", name)
	}
	return a[2]
}
