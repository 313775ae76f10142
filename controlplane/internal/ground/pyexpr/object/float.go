package object

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// floats does an operation on two floats.
func (t *Thread) floats(op string, a, b float64) (Value, bool) {
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
		return t.floatPow(a, b), true
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
func (t *Thread) floatPow(a, b float64) Value {
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

// FloatRepr is repr of a float: the shortest text that reads back as the same.
func FloatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if strings.IndexByte(s, '.') < 0 {
		s += ".0"
	}
	return s
}

// Round is round(f, n): correct for the value that the float has, half to even.
func (t *Thread) Round(f float64, n int) float64 {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || n > 323:
		return f
	case n < -308:
		return math.Copysign(0, f)
	case n < 0:
		return t.roundTens(f, -n)
	}
	t.Steps(8 + n/4)
	r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
	return r
}

// roundTens rounds to a multiple of a power of ten.
func (t *Thread) roundTens(f float64, n int) float64 {
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
func (t *Thread) RoundInt(v Value, n int) Value {
	if n >= 0 {
		return Big(Bigger(v))
	}
	if n < -5000 {
		return int64(0)
	}
	t.integer(-n * 4)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-n)), nil)
	r := halfEven(new(big.Rat).SetFrac(Bigger(v), unit))
	return Big(r.Mul(r, unit))
}

// IntOfFloat is int(f).
func (t *Thread) IntOfFloat(f float64) Value {
	switch {
	case math.IsNaN(f):
		t.ValueError("cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		t.Raise("OverflowError", "cannot convert float infinity to integer")
	}
	if math.Abs(f) < 1<<62 {
		return int64(f)
	}
	n, _ := new(big.Float).SetFloat64(f).Int(nil)
	return Big(n)
}
