package operator

import (
	"math"
	"math/big"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Round is round(f, n): correct for the value that the float has, half to even.
func Round(t *object.Thread, f float64, n int) float64 {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || n > 323:
		return f
	case n < -308:
		return math.Copysign(0, f)
	case n < 0:
		return roundTens(t, f, -n)
	}
	t.Steps(8 + n/4)
	r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
	return r
}

// roundTens rounds to a multiple of a power of ten.
func roundTens(t *object.Thread, f float64, n int) float64 {
	t.Steps(50)
	exact := new(big.Rat).SetFloat64(f)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	r := halfEven(new(big.Rat).Quo(exact, new(big.Rat).SetInt(unit)))
	out, _ := new(big.Float).SetInt(r.Mul(r, unit)).Float64()
	if math.IsInf(out, 0) {
		t.Raise("OverflowError", "rounded value too large to represent")
	}
	if out == 0 {
		return math.Copysign(0, f)
	}
	return out
}

// halfEven is the integer next to q.
func halfEven(q *big.Rat) *big.Int {
	two := big.NewInt(2)
	n := new(big.Int).Mul(q.Num(), two)
	n.Add(n, q.Denom())
	d := new(big.Int).Mul(q.Denom(), two)
	whole, rest := new(big.Int).DivMod(n, d, new(big.Int))
	if rest.Sign() == 0 && whole.Bit(0) == 1 {
		whole.Sub(whole, big.NewInt(1))
	}
	return whole
}

// RoundInt is round(i, n) of an integer; only a negative n changes anything.
func RoundInt(t *object.Thread, v object.Value, n int) object.Value {
	if n >= 0 {
		return object.Big(object.Bigger(v))
	}
	if n < -5000 {
		return int64(0)
	}
	chargeInteger(t, -n*4)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-n)), nil)
	r := halfEven(new(big.Rat).SetFrac(object.Bigger(v), unit))
	return object.Big(r.Mul(r, unit))
}
