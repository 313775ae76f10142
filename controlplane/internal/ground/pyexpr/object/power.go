package object

import (
	"math"
	"math/big"
	"math/bits"
)

func (t *Thread) trueDiv(a, b *big.Int) Value {
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

func (t *Thread) intPow(a, b *big.Int) Value {
	if b.Sign() < 0 {
		if a.Sign() == 0 {
			t.Raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
		}
		x, _ := t.AsFloat(Big(a))
		y, _ := t.AsFloat(Big(b))
		return t.floatPow(x, y)
	}
	if a.BitLen() > 1 {
		if !b.IsInt64() || b.Int64() > MaxBits {
			t.integer(MaxBits + 1)
		}
		hi, size := bits.Mul64(uint64(a.BitLen()), b.Uint64())
		if hi != 0 || size > 2*MaxBits {
			t.integer(MaxBits + 1)
		}
		t.integer(min(int(size), MaxBits))
		t.Steps(int(size/64) * int(size/64) / 4)
	} else if b.Bit(0) == 0 && b.Sign() > 0 {
		return Big(new(big.Int).Mul(a, a)) // of -1, 0 and 1
	} else if b.Sign() > 0 {
		return Big(a)
	}
	r := new(big.Int).Exp(a, b, nil)
	if r.BitLen() > MaxBits {
		t.integer(MaxBits + 1)
	}
	return Big(r)
}

func (t *Thread) shift(a, b *big.Int, left bool) Value {
	if b.Sign() < 0 {
		t.ValueError("negative shift count")
	}
	n := MaxBits + 1
	if b.IsInt64() && b.Int64() < int64(n) {
		n = int(b.Int64())
	}
	switch {
	case left && a.Sign() != 0:
		t.integer(a.BitLen() + n)
		return Big(new(big.Int).Lsh(a, uint(n)))
	case left:
		return int64(0)
	}
	t.integer(a.BitLen())
	return Big(new(big.Int).Rsh(a, uint(n)))
}

// PowMod is pow(a, b, m).
func (t *Thread) PowMod(a, b, m *big.Int) Value {
	if m.Sign() == 0 {
		t.ValueError("pow() 3rd argument cannot be 0")
	}
	size := m.BitLen()/64 + 1
	t.Steps(size * size * (b.BitLen() + 1))
	t.integer(m.BitLen())
	r := new(big.Int)
	if b.Sign() < 0 {
		if r.ModInverse(a, new(big.Int).Abs(m)) == nil {
			t.ValueError("base is not invertible for the given modulus")
		}
		a, b = r, new(big.Int).Neg(b)
	}
	r = new(big.Int).Exp(a, b, new(big.Int).Abs(m))
	_, r = t.floorDiv(r, m, "")
	return Big(r)
}
