package library

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

var (
	intType    = newType("int", object.IsInt)
	floatType  = newType("float", func(v value) bool { _, ok := v.(float64); return ok })
	boolType   = newType("bool", func(v value) bool { _, ok := v.(bool); return ok })
	objectType = newType("object", func(value) bool { return true })
	typeType   = newType("type", func(v value) bool { _, ok := v.(*object.Type); return ok })
)

func init() {
	newType("NoneType", func(v value) bool { return v == nil })
	for _, y := range []*object.Type{intType, floatType, boolType, objectType, typeType} {
		Names[y.Name] = y
	}
	intType.New = object.NewFunc("int", "x/? base?", newInt)
	floatType.New = object.NewFunc("float", "x/?", newFloat)
	boolType.New = object.NewFunc(
		"bool",
		"x/?",
		func(t *thread, a values) value { return !missing(a[0]) && t.Truth(a[0]) },
	)
	typeType.New = object.NewFunc("type", "object/", func(t *thread, a values) value { return TypeOf(a[0]) })
	for _, y := range []*object.Type{intType, boolType} {
		method(y, "bit_length", "", func(t *thread, a values) value { return int64(object.Bigger(a[0]).BitLen()) })
		method(y, "bit_count", "", func(t *thread, a values) value {
			n := 0
			for _, w := range object.Bigger(a[0]).Bits() {
				n += bits.OnesCount(uint(w))
			}
			return int64(n)
		})
		method(y, "conjugate", "", func(t *thread, a values) value { return t.Pos(a[0]) })
		y.Getters["denominator"] = func(*thread, value) value { return int64(1) }
	}
	for _, y := range []*object.Type{intType, boolType, floatType} {
		y.Getters["real"] = func(t *thread, v value) value { return t.Pos(v) }
		y.Getters["imag"] = func(t *thread, v value) value { return t.Binary("*", v, int64(0)) }
	}
	method(floatType, "is_integer", "", func(t *thread, a values) value {
		f := a[0].(float64)
		return f == math.Trunc(f) && !math.IsInf(f, 0)
	})
	method(floatType, "as_integer_ratio", "", func(t *thread, a values) value {
		f := a[0].(float64)
		t.IntOfFloat(f) // which refuses those that are none
		r := new(big.Rat).SetFloat64(f)
		return object.NewTuple(object.Big(r.Num()), object.Big(r.Denom()))
	})
}

func newInt(t *thread, a values) value {
	if !missing(a[1]) {
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
	if missing(a[0]) {
		return int64(0)
	}
	t.TypeError(
		"int() argument must be a string, a bytes-like object or a real number, not '%s'",
		object.TypeName(a[0]),
	)
	return nil
}

func parseBased(t *thread, a values) value {
	base := t.Index(a[1])
	if base != 0 && (base < 2 || base > 36) {
		t.ValueError("int() base must be >= 2 and <= 36, or 0")
	}
	s, ok := a[0].(string)
	if b, is := a[0].(object.Bytes); is {
		s, ok = string(b), true
	}
	if !ok {
		t.TypeError("int() can't convert non-string with explicit base")
	}
	return parseInt(t, s, base, s)
}

// ascii makes decimal digits of any script those of ASCII, and cuts white space off.
func asciiDigits(s string) string {
	s = strings.TrimFunc(s, unitext.IsSpace)
	if object.IsASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < 128 || !unitext.IsDecimal(r) {
			return r
		}
		// Ten digits stand together, the first at a zero.
		zero := r
		for unitext.IsDecimal(zero-1) && r-zero < 9 && digitOf(zero-1) {
			zero--
		}
		return '0' + (r - zero)
	}, s)
}

// digitOf reports whether r and what follows belong to the same ten digits; the blocks of ten begin at these places.
func digitOf(r rune) bool {
	switch {
	case r >= 0x1d7ce && r <= 0x1d7ff: // mathematical digits: five tens without a gap
		return (r-0x1d7ce)%10 != 9
	}
	return true
}

func parseInt(t *thread, s string, base int, shown value) value {
	if len(s) > 4*object.MaxDigits {
		t.ValueError("the text is too long for an integer")
	}
	t.Alloc(len(s))
	digits := asciiDigits(s)
	fail := func() {
		t.ValueError("invalid literal for int() with base %d: %s", base, t.Repr(shown))
	}
	sign := ""
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = strings.TrimPrefix(digits[:1], "+"), digits[1:]
	}
	lower := strings.ToLower(digits)
	prefix, radix := strings.HasPrefix(lower, "0x") || strings.HasPrefix(lower, "0o") ||
		strings.HasPrefix(lower, "0b"), base
	if prefix {
		of := map[byte]int{'x': 16, 'o': 8, 'b': 2}[lower[1]]
		if base == 0 || base == of {
			radix, digits = of, strings.TrimPrefix(digits[2:], "_")
		}
	}
	if base == 0 && radix == 0 {
		if radix = 10; strings.Trim(digits, "0_") != "" && strings.HasPrefix(digits, "0") {
			fail()
		}
	}
	if digits == "" || digits[0] == '_' || digits[0] == '-' || digits[0] == '+' || strings.HasSuffix(digits, "_") ||
		strings.Contains(digits, "__") {
		fail()
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if len(digits) > object.MaxDigits && radix&(radix-1) != 0 {
		t.ValueError(
			"Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use "+
				"sys.set_int_max_str_digits() to increase the limit",
			object.MaxDigits,
			len(digits),
		)
	}
	t.Steps(len(digits) * len(digits) / 4096)
	n, ok := new(big.Int).SetString(sign+digits, radix)
	if !ok {
		fail()
	}
	return object.Big(n)
}

func newFloat(t *thread, a values) value {
	if missing(a[0]) {
		return 0.0
	}
	if f, ok := t.AsFloat(a[0]); ok {
		return f
	}
	s, ok := a[0].(string)
	if b, is := a[0].(object.Bytes); is {
		s, ok = string(b), true
	}
	if !ok {
		t.TypeError("float() argument must be a string or a real number, not '%s'", object.TypeName(a[0]))
	}
	t.Alloc(len(s))
	digits := asciiDigits(s)
	plain := strings.TrimLeft(strings.ToLower(digits), "+-")
	numeric := plain == "inf" || plain == "infinity" || plain == "nan" || strings.Trim(plain, "0123456789_.e+-") == ""
	for i := range len(digits) {
		around := func(j int) bool { return j >= 0 && j < len(digits) && digits[j] >= '0' && digits[j] <= '9' }
		numeric = numeric && (digits[i] != '_' || around(i-1) && around(i+1))
	}
	if plain == "nan" {
		digits = plain // which has no sign
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if !numeric || err != nil && !math.IsInf(f, 0) {
		t.ValueError("could not convert string to float: %s", t.Repr(a[0]))
	}
	return f
}
