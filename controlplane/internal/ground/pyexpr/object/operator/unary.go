package operator

import (
	"math"
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Neg is -v.
func Neg(t *object.Thread, v object.Value) object.Value {
	switch x := v.(type) {
	case int64:
		if x != math.MinInt64 {
			return -x
		}
	case float64:
		return -x
	}
	if object.IsInt(v) {
		b := object.Bigger(v)
		chargeInteger(t, b.BitLen())
		return object.Big(new(big.Int).Neg(b))
	}
	if o, ok := v.(object.Operand); ok {
		if r, ok := o.Binary(t, "neg", nil, false); ok {
			return r
		}
	}
	t.TypeError("bad operand type for unary -: '%s'", object.TypeName(v))
	return nil
}

// Pos is +v.
func Pos(t *object.Thread, v object.Value) object.Value {
	switch x := v.(type) {
	case float64:
		return x
	case object.Operand:
		if r, ok := x.Binary(t, "pos", nil, false); ok {
			return r
		}
	}
	if !object.IsInt(v) {
		t.TypeError("bad operand type for unary +: '%s'", object.TypeName(v))
	}
	return object.Big(object.Bigger(v))
}

// Invert is ~v.
func Invert(t *object.Thread, v object.Value) object.Value {
	if !object.IsInt(v) {
		t.TypeError("bad operand type for unary ~: '%s'", object.TypeName(v))
	}
	b := object.Bigger(v)
	chargeInteger(t, b.BitLen()+1)
	return object.Big(new(big.Int).Not(b))
}
