package formatting

import (
	"math"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// FloatText writes a float that is not negative by a type of the format language.
func FloatText(f float64, kind byte, precision int, alt bool) string {
	upper := kind == 'E' || kind == 'F' || kind == 'G'
	if upper {
		kind |= 0x20
	}
	s := floatText(f, kind, precision, alt)
	if upper {
		s = strings.ToUpper(s)
	}
	return s
}

func floatText(f float64, kind byte, precision int, alt bool) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		s := object.FloatRepr(f)
		if kind == '%' {
			s += "%"
		}
		return s
	}
	given := precision >= 0
	if !given {
		precision = 6
	}
	switch kind {
	case 'e', 'f':
		s := strconv.FormatFloat(f, kind, precision, 64)
		if alt && precision == 0 && kind == 'f' {
			return s + "."
		}
		return pointed(s, alt)
	case '%':
		if math.IsInf(f*100, 0) {
			return "inf%"
		}
		s := strconv.FormatFloat(f*100, 'f', precision, 64)
		if alt && precision == 0 {
			s += "."
		}
		return s + "%"
	case 0:
		if !given {
			return pointed(object.FloatRepr(f), alt)
		}
		return general(f, max(precision, 1), alt, true)
	}
	return general(f, max(precision, 1), alt, false)
}

// general is the type g. With point there is always a digit after the point, as str of a float has it.
func general(f float64, precision int, alt, point bool) string {
	e := strconv.FormatFloat(f, 'e', precision-1, 64)
	mantissa, exp, _ := strings.Cut(e, "e")
	x, _ := strconv.Atoi(exp)
	limit := precision
	if point {
		limit-- // 1e+01 rather than 10.0 with one digit
	}
	if x < -4 || x >= limit {
		if !alt {
			mantissa = trimmed(mantissa)
		}
		return pointed(mantissa+"e"+exp, alt)
	}
	s := strconv.FormatFloat(f, 'f', max(precision-1-x, 0), 64)
	if !alt {
		s = trimmed(s)
	}
	if strings.IndexByte(s, '.') < 0 && (alt || point) {
		s += "."
	}
	if point && strings.HasSuffix(s, ".") {
		s += "0"
	}
	return s
}

// pointed has a point in any case when alt is true.
func pointed(s string, alt bool) string {
	mantissa, exp, scientific := strings.Cut(s, "e")
	if !alt || !scientific || strings.IndexByte(mantissa, '.') >= 0 {
		return s
	}
	return mantissa + ".e" + exp
}

// trimmed takes the zeros at the end of a fraction away.
func trimmed(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
