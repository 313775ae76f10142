package object

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

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
