package number

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

var (
	floatType = library.NewType("float", func(v value) bool { _, ok := v.(float64); return ok })
	boolType  = library.NewType("bool", func(v value) bool { _, ok := v.(bool); return ok })
)

func init() {
	for _, y := range []*library.Type{library.Int, floatType, boolType} {
		library.Names[y.Name] = y
	}
	library.Int.New = library.NewFunc("int", "x/? base?", newInt)
	floatType.New = library.NewFunc("float", "x/?", newFloat)
	boolType.New = library.NewFunc(
		"bool",
		"x/?",
		func(t *thread, a values) value {
			return !library.Omitted(a[0]) && operator.Truth(t, a[0])
		},
	)
	for _, y := range []*library.Type{library.Int, boolType} {
		library.AddMethod(
			y,
			"bit_length",
			"",
			func(t *thread, a values) value { return int64(object.Bigger(a[0]).BitLen()) },
		)
		library.AddMethod(y, "bit_count", "", func(t *thread, a values) value {
			n := 0
			for _, w := range object.Bigger(a[0]).Bits() {
				n += bits.OnesCount(uint(w))
			}
			return int64(n)
		})
		library.AddMethod(y, "conjugate", "", func(t *thread, a values) value { return operator.Pos(t, a[0]) })
		y.Getters["denominator"] = func(*thread, value) value { return int64(1) }
	}
	for _, y := range []*library.Type{library.Int, boolType, floatType} {
		y.Getters["real"] = func(t *thread, v value) value { return operator.Pos(t, v) }
		y.Getters["imag"] = func(t *thread, v value) value { return operator.Binary(t, "*", v, int64(0)) }
	}
	library.AddMethod(floatType, "is_integer", "", func(t *thread, a values) value {
		f := a[0].(float64)
		return f == math.Trunc(f) && !math.IsInf(f, 0)
	})
	library.AddMethod(floatType, "as_integer_ratio", "", func(t *thread, a values) value {
		f := a[0].(float64)
		t.IntOfFloat(f) // which refuses those that are none
		r := new(big.Rat).SetFloat64(f)
		return object.NewTuple(object.Big(r.Num()), object.Big(r.Denom()))
	})
}

func newInt(t *thread, a values) value {
	if !library.Omitted(a[1]) {
		return parseBased(t, a)
	}
	switch v := a[0].(type) {
	case int64, *big.Int:
		return v
	case bool:
		i, _, _ := object.AsInt(v)
		return i
	case float64:
		return t.IntOfFloat(v)
	case string:
		return parseInt(t, v, 10, v)
	case object.Bytes:
		return parseInt(t, string(v), 10, v)
	}
	if library.Omitted(a[0]) {
		return int64(0)
	}
	t.TypeError(
		"int() argument must be a string, a bytes-like object or a real number, not '%s'",
		object.TypeName(a[0]),
	)
	return nil
}
