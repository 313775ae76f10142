package operator

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// small does what fits into 64 bits.
func small(t *object.Thread, op string, x, y int64) (object.Value, bool) {
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

// integer charges a result of so many bits.
func chargeInteger(t *object.Thread, bits int) {
	if bits > object.MaxBits || bits < 0 {
		panic(&object.Exceeded{Code: object.MemoryLimit, Msg: "an integer of more than 65,536 bits"})
	}
	t.Alloc(bits/8 + 16)
}

// ints does an operation on two integers.
func ints(t *object.Thread, op string, x, y object.Value) (object.Value, bool) {
	a, b := object.Bigger(x), object.Bigger(y)
	r := new(big.Int)
	words := (a.BitLen()/64 + 1) * (b.BitLen()/64 + 1)
	switch op {
	case "+", "-", "&", "|", "^":
		chargeInteger(t, max(a.BitLen(), b.BitLen())+1)
	case "*", "//", "%":
		t.Steps(words / 4)
		if op == "*" {
			chargeInteger(t, a.BitLen()+b.BitLen())
		} else {
			chargeInteger(t, max(a.BitLen(), b.BitLen()))
		}
	}
	switch op {
	case "+":
		r.Add(a, b)
	case "-":
		r.Sub(a, b)
	case "*":
		r.Mul(a, b)
	case "//":
		q, _ := floorDiv(t, a, b, "integer division or modulo by zero")
		return object.Big(q), true
	case "%":
		_, m := floorDiv(t, a, b, "integer modulo by zero")
		return object.Big(m), true
	case "/":
		return trueDiv(t, a, b), true
	case "**":
		return intPow(t, a, b), true
	case "<<", ">>":
		return shift(t, a, b, op == "<<"), true
	case "&":
		r.And(a, b)
	case "|":
		r.Or(a, b)
	case "^":
		r.Xor(a, b)
	default:
		return nil, false
	}
	return object.Big(r), true
}

func floorDiv(t *object.Thread, a, b *big.Int, msg string) (q, m *big.Int) {
	if b.Sign() == 0 {
		t.Raise("ZeroDivisionError", "%s", msg)
	}
	q, m = new(big.Int).QuoRem(a, b, new(big.Int))
	if m.Sign() != 0 && m.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
		m.Add(m, b)
	}
	return q, m
}

func trueDiv(t *object.Thread, a, b *big.Int) object.Value {
	if b.Sign() == 0 {
		t.Raise("ZeroDivisionError", "division by zero")
	}
	if a.Sign() == 0 {
		return math.Copysign(0, float64(b.Sign()))
	}
	t.Steps((a.BitLen()/64+1)*(b.BitLen()/64+1)/8 + 8)
	t.Alloc((a.BitLen() + b.BitLen()) / 4)
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		t.Raise("OverflowError", "integer division result too large for a float")
	}
	return f
}

func intPow(t *object.Thread, a, b *big.Int) object.Value {
	if b.Sign() < 0 {
		if a.Sign() == 0 {
			t.Raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
		}
		x, _ := t.AsFloat(object.Big(a))
		y, _ := t.AsFloat(object.Big(b))
		return floatPow(t, x, y)
	}
	if a.BitLen() > 1 {
		if !b.IsInt64() || b.Int64() > object.MaxBits {
			chargeInteger(t, object.MaxBits+1)
		}
		hi, size := bits.Mul64(uint64(a.BitLen()), b.Uint64())
		if hi != 0 || size > 2*object.MaxBits {
			chargeInteger(t, object.MaxBits+1)
		}
		chargeInteger(t, min(int(size), object.MaxBits))
		t.Steps(int(size/64) * int(size/64) / 4)
	} else if b.Bit(0) == 0 && b.Sign() > 0 {
		return object.Big(new(big.Int).Mul(a, a)) // of -1, 0 and 1
	} else if b.Sign() > 0 {
		return object.Big(a)
	}
	r := new(big.Int).Exp(a, b, nil)
	if r.BitLen() > object.MaxBits {
		chargeInteger(t, object.MaxBits+1)
	}
	return object.Big(r)
}

func shift(t *object.Thread, a, b *big.Int, left bool) object.Value {
	if b.Sign() < 0 {
		t.ValueError("negative shift count")
	}
	n := object.MaxBits + 1
	if b.IsInt64() && b.Int64() < int64(n) {
		n = int(b.Int64())
	}
	switch {
	case left && a.Sign() != 0:
		chargeInteger(t, a.BitLen()+n)
		return object.Big(new(big.Int).Lsh(a, uint(n)))
	case left:
		return int64(0)
	}
	chargeInteger(t, a.BitLen())
	return object.Big(new(big.Int).Rsh(a, uint(n)))
}

// PowMod is pow(a, b, m).
func PowMod(t *object.Thread, a, b, m *big.Int) object.Value {
	if m.Sign() == 0 {
		t.ValueError("pow() 3rd argument cannot be 0")
	}
	size := m.BitLen()/64 + 1
	t.Steps(size * size * (b.BitLen() + 1))
	chargeInteger(t, m.BitLen())
	r := new(big.Int)
	if b.Sign() < 0 {
		if r.ModInverse(a, new(big.Int).Abs(m)) == nil {
			t.ValueError("base is not invertible for the given modulus")
		}
		a, b = r, new(big.Int).Neg(b)
	}
	r = new(big.Int).Exp(a, b, new(big.Int).Abs(m))
	_, r = floorDiv(t, r, m, "")
	return object.Big(r)
}
