package number

import (
	"math"
	"math/big"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

func init() {
	library.AddFunction("abs", "x/", abs)
	library.AddFunction("round", "number ndigits?", round)
	library.AddFunction("divmod", "x/ y/", func(t *thread, a values) value {
		return object.NewTuple(operator.Binary(t, "//", a[0], a[1]), operator.Binary(t, "%", a[0], a[1]))
	})
	library.AddFunction("pow", "base exp mod?", pow)
	for name, prefix := range map[string]string{"hex": "0x", "oct": "0o", "bin": "0b"} {
		library.AddFunction(name, "number/", func(t *thread, a values) value { return based(t, a[0], prefix) })
	}
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
	whole := library.OrNone(a[1]) == nil
	switch v := a[0].(type) {
	case float64:
		if whole {
			t.IntOfFloat(v)
			return t.IntOfFloat(math.RoundToEven(v))
		}
		return operator.Round(t, v, max(min(t.Index(a[1]), 1000), -1000))
	default:
		if !object.IsInt(v) {
			t.TypeError("type %s doesn't define __round__ method", object.TypeName(v))
		}
		if whole {
			return operator.Pos(t, v)
		}
		return operator.RoundInt(t, v, max(t.Index(a[1]), -10000))
	}
}

func pow(t *thread, a values) value {
	if library.OrNone(a[2]) == nil {
		return operator.Binary(t, "**", a[0], a[1])
	}
	if !object.IsInt(a[0]) || !object.IsInt(a[1]) || !object.IsInt(a[2]) {
		t.TypeError("pow() 3rd argument not allowed unless all arguments are integers")
	}
	return operator.PowMod(t, object.Bigger(a[0]), object.Bigger(a[1]), object.Bigger(a[2]))
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
