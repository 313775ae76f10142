package operator

import (
	"math"
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// floats does an operation on two floats.
func floats(t *object.Thread, op string, a, b float64) (object.Value, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		if b == 0 {
			t.Raise("ZeroDivisionError", "float division by zero")
		}
		return a / b, true
	case "//", "%":
		if b == 0 {
			t.Raise(
				"ZeroDivisionError",
				"%s",
				map[string]string{"//": "float floor division by zero", "%": "float modulo"}[op],
			)
		}
		q, m := FloorMod(a, b)
		if op == "%" {
			return m, true
		}
		return q, true
	case "**":
		return floatPow(t, a, b), true
	}
	return nil, false
}

// FloorMod divides as divmod does: the remainder has the sign of the divisor.
func FloorMod(a, b float64) (q, m float64) {
	m = math.Mod(a, b)
	div := (a - m) / b
	if m != 0 {
		if (b < 0) != (m < 0) {
			m += b
			div--
		}
	} else {
		m = math.Copysign(0, b)
	}
	if div == 0 {
		return math.Copysign(0, a/b), m
	}
	q = math.Floor(div)
	if div-q > 0.5 {
		q++
	}
	return q, m
}

// floatPow is a power with Python's exceptions.
func floatPow(t *object.Thread, a, b float64) object.Value {
	whole := b == math.Trunc(b)
	switch {
	case a == 0 && b < 0:
		t.Raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	case a < 0 && !whole && !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsNaN(b):
		t.ValueError("a negative number to a fractional power is a complex number, which there are none of here")
	}
	t.Steps(20)
	t.Alloc(1 << 10)
	r := Pow(a, b)
	if math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		t.Raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return r
}

// Pow is a to the power of b, rounded correctly where b is a whole number of up to 1024 or a half.
func Pow(a, b float64) float64 {
	switch {
	case b == 0.5 && a >= 0 && !math.IsInf(a, 0):
		return math.Sqrt(a)
	case b != math.Trunc(b) || math.Abs(b) > 1024 || a == 0 || math.IsInf(a, 0) || math.IsNaN(a):
		return math.Pow(a, b)
	}
	x := new(big.Float).SetPrec(300).SetFloat64(a)
	r := new(big.Float).SetPrec(300).SetInt64(1)
	for n := int(math.Abs(b)); n > 0; n >>= 1 {
		if n&1 == 1 {
			r.Mul(r, x)
		}
		x.Mul(x, x)
	}
	if b < 0 {
		r.Quo(new(big.Float).SetPrec(300).SetInt64(1), r)
	}
	f, _ := r.Float64()
	return f
}
