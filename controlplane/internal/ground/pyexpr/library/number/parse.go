package number

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

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
	if library.Omitted(a[0]) {
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
