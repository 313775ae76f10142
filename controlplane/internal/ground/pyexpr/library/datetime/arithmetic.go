package datetime

import (
	"math"
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

// Binary adds and subtracts days.
func (d date) Binary(t *thread, op string, other value, swapped bool) (value, bool) {
	switch o := other.(type) {
	case delta:
		days, _, _ := o.parts()
		if op == "+" {
			return newDate(t, d.days+days), true
		}
		if op == "-" && !swapped {
			return newDate(t, d.days-days), true
		}
	case date:
		if op == "-" && !swapped {
			return delta{(d.days - o.days) * calendar.Day}, true
		}
	}
	return nil, false
}

// Binary adds and subtracts time.
func (m moment) Binary(t *thread, op string, other value, swapped bool) (value, bool) {
	switch o := other.(type) {
	case delta:
		if op == "+" {
			return newMoment(t, addTime(t, m.micros, o.micros), m.zone), true
		}
		if op == "-" && !swapped {
			return newMoment(t, addTime(t, m.micros, -o.micros), m.zone), true
		}
	case moment:
		if op == "-" && !swapped {
			if (m.zone == nil) != (o.zone == nil) {
				t.TypeError("can't subtract offset-naive and offset-aware datetimes")
			}
			return delta{m.utc() - o.utc()}, true
		}
	}
	return nil, false
}

func addTime(t *thread, a, b int64) int64 {
	if s := a + b; (s > a) == (b > 0) {
		return s
	}
	t.Raise("OverflowError", "date value out of range")
	return 0
}

// span makes a timedelta of microseconds.
func span(t *thread, micros *big.Int) value {
	if !micros.IsInt64() {
		t.Raise("OverflowError", "a span of more than 290,000 years")
	}
	t.Alloc(16)
	return delta{micros.Int64()}
}

// Binary calculates with spans of time.
func (d delta) Binary(t *thread, op string, other value, swapped bool) (value, bool) {
	n := big.NewInt(d.micros)
	switch op {
	case "neg":
		return span(t, n.Neg(n)), true
	case "pos":
		return d, true
	case "abs":
		return span(t, n.Abs(n)), true
	}
	if o, ok := other.(delta); ok && !swapped {
		return d.withDelta(t, op, o)
	}
	switch {
	case op == "*" && object.IsInt(other):
		return span(t, n.Mul(n, object.Bigger(other))), true
	case op == "//" && object.IsInt(other) && !swapped:
		q := operator.Binary(t, "//", object.Big(n), other)
		return span(t, object.Bigger(q)), true
	case op == "/" && object.IsInt(other) && !swapped:
		if object.Bigger(other).Sign() == 0 {
			t.Raise("ZeroDivisionError", "division by zero")
		}
		return span(t, nearest(new(big.Rat).SetFrac(n, object.Bigger(other)))), true
	}
	if f, ok := other.(float64); ok && (op == "*" || op == "/" && !swapped) {
		t.IntOfFloat(f)
		r := new(big.Rat).SetFloat64(f)
		whole := new(big.Rat).SetInt(n)
		if op == "*" {
			return span(t, nearest(whole.Mul(whole, r))), true
		}
		if f == 0 {
			t.Raise("ZeroDivisionError", "division by zero")
		}
		return span(t, nearest(whole.Quo(whole, r))), true
	}
	return nil, false
}

func (d delta) withDelta(t *thread, op string, o delta) (value, bool) {
	a, b := big.NewInt(d.micros), big.NewInt(o.micros)
	if o.micros == 0 && (op == "/" || op == "//" || op == "%") {
		t.Raise("ZeroDivisionError", "division by zero")
	}
	switch op {
	case "+":
		return span(t, a.Add(a, b)), true
	case "-":
		return span(t, a.Sub(a, b)), true
	case "/":
		f, _ := new(big.Rat).SetFrac(a, b).Float64()
		return f, true
	case "//":
		return floor(d.micros, o.micros), true
	case "%":
		return delta{d.micros - floor(d.micros, o.micros)*o.micros}, true
	}
	return nil, false
}

// nearest is the integer next to r, half to even.
func nearest(r *big.Rat) *big.Int {
	f := new(big.Int)
	double := new(big.Int).Mul(r.Num(), big.NewInt(2))
	f.DivMod(double.Add(double, r.Denom()), new(big.Int).Mul(r.Denom(), big.NewInt(2)), double)
	if double.Sign() == 0 && f.Bit(0) == 1 {
		f.Sub(f, big.NewInt(1))
	}
	return f
}

// newDelta is timedelta(days, seconds, microseconds, milliseconds, minutes, hours, weeks).
func newDelta(t *thread, a values) value {
	units := []int64{calendar.Day, calendar.Second, 1, 1000, calendar.Minute, calendar.Hour, 7 * calendar.Day}
	total := new(big.Rat)
	for i, v := range a {
		if library.Omitted(v) {
			continue
		}
		n := new(big.Rat)
		if f, ok := v.(float64); ok {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				t.IntOfFloat(f)
			}
			n.SetFloat64(f)
		} else if object.IsInt(v) {
			n.SetInt(object.Bigger(v))
		} else {
			t.TypeError("unsupported type for timedelta component: %s", object.TypeName(v))
		}
		total.Add(total, n.Mul(n, new(big.Rat).SetInt64(units[i])))
	}
	return span(t, nearest(total))
}
