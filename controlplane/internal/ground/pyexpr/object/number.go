package object

import (
	"math"
	"math/big"
)

// Big makes the int of n, which must not be changed afterwards.
func Big(n *big.Int) Value {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// AsInt gives the integer of an int or a bool: in i when it fits, otherwise in b.
func AsInt(v Value) (i int64, b *big.Int, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, nil, true
	case bool:
		if v {
			return 1, nil, true
		}
		return 0, nil, true
	case *big.Int:
		return 0, v, true
	}
	return 0, nil, false
}

// Index is an int that counts or points at something; what is beyond 64 bits is clamped.
func (t *Thread) Index(v Value) int {
	i, b, ok := AsInt(v)
	switch {
	case !ok:
		t.TypeError("'%s' object cannot be interpreted as an integer", TypeName(v))
	case b != nil && b.Sign() < 0:
		return math.MinInt
	case b != nil:
		return math.MaxInt
	}
	return int(i)
}

// Bigger is the integer of v as a big one, for calculating with.
func Bigger(v Value) *big.Int {
	i, b, _ := AsInt(v)
	if b != nil {
		return b
	}
	return big.NewInt(i)
}

// Count is an int that counts something; what is beyond 64 bits is an error.
func (t *Thread) Count(v Value) int {
	if _, b, ok := AsInt(v); ok && b != nil {
		t.Raise("OverflowError", "Python int too large to convert to C ssize_t")
	}
	return t.Index(v)
}

// IsInt reports whether v is an int or a bool.
func IsInt(v Value) bool {
	switch v.(type) {
	case int64, bool, *big.Int:
		return true
	}
	return false
}

// AsFloat gives the float of a number.
func (t *Thread) AsFloat(v Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		if math.IsInf(f, 0) {
			t.Raise("OverflowError", "int too large to convert to float")
		}
		return f, true
	}
	return 0, false
}

// integer charges a result of so many bits.
func (t *Thread) integer(bits int) {
	if bits > MaxBits || bits < 0 {
		panic(&Exceeded{MemoryLimit, "an integer of more than 65,536 bits"})
	}
	t.Alloc(bits/8 + 16)
}

// ints does an operation on two integers.
func (t *Thread) ints(op string, x, y Value) (Value, bool) {
	a, b := Bigger(x), Bigger(y)
	r := new(big.Int)
	words := (a.BitLen()/64 + 1) * (b.BitLen()/64 + 1)
	switch op {
	case "+", "-", "&", "|", "^":
		t.integer(max(a.BitLen(), b.BitLen()) + 1)
	case "*", "//", "%":
		t.Steps(words / 4)
		if op == "*" {
			t.integer(a.BitLen() + b.BitLen())
		} else {
			t.integer(max(a.BitLen(), b.BitLen()))
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
		q, _ := t.floorDiv(a, b, "integer division or modulo by zero")
		return Big(q), true
	case "%":
		_, m := t.floorDiv(a, b, "integer modulo by zero")
		return Big(m), true
	case "/":
		return t.trueDiv(a, b), true
	case "**":
		return t.intPow(a, b), true
	case "<<", ">>":
		return t.shift(a, b, op == "<<"), true
	case "&":
		r.And(a, b)
	case "|":
		r.Or(a, b)
	case "^":
		r.Xor(a, b)
	default:
		return nil, false
	}
	return Big(r), true
}

func (t *Thread) floorDiv(a, b *big.Int, msg string) (q, m *big.Int) {
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

// Neg is -v.
func (t *Thread) Neg(v Value) Value {
	switch x := v.(type) {
	case int64:
		if x != math.MinInt64 {
			return -x
		}
	case float64:
		return -x
	}
	if IsInt(v) {
		b := Bigger(v)
		t.integer(b.BitLen())
		return Big(new(big.Int).Neg(b))
	}
	if o, ok := v.(Operand); ok {
		if r, ok := o.Binary(t, "neg", nil, false); ok {
			return r
		}
	}
	t.TypeError("bad operand type for unary -: '%s'", TypeName(v))
	return nil
}

// Pos is +v.
func (t *Thread) Pos(v Value) Value {
	switch x := v.(type) {
	case float64:
		return x
	case Operand:
		if r, ok := x.Binary(t, "pos", nil, false); ok {
			return r
		}
	}
	if !IsInt(v) {
		t.TypeError("bad operand type for unary +: '%s'", TypeName(v))
	}
	return Big(Bigger(v))
}

// Invert is ~v.
func (t *Thread) Invert(v Value) Value {
	if !IsInt(v) {
		t.TypeError("bad operand type for unary ~: '%s'", TypeName(v))
	}
	b := Bigger(v)
	t.integer(b.BitLen() + 1)
	return Big(new(big.Int).Not(b))
}
