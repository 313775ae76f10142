package library

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/object"
)

type (
	// date is a day, counted from the first of January of the year 1.
	date struct{ days int64 }
	// zone is a timezone with a fixed offset in microseconds.
	zone struct {
		offset int64
		name   string
	}
	// moment is a datetime: microseconds on the wall since the year 1.
	moment struct {
		micros int64
		zone   *zone
	}
	// clock is a time of the day.
	clock struct {
		micros int64
		zone   *zone
	}
	// delta is a timedelta in microseconds.
	delta struct{ micros int64 }
)

func (date) TypeName() string   { return "date" }
func (moment) TypeName() string { return "datetime" }
func (clock) TypeName() string  { return "time" }
func (delta) TypeName() string  { return "timedelta" }
func (*zone) TypeName() string  { return "timezone" }

var (
	dateType   = newType("date", func(v value) bool { return is[date](v) || is[moment](v) })
	momentType = newType("datetime", is[moment])
	clockType  = newType("time", is[clock])
	deltaType  = newType("timedelta", is[delta])
	zoneType   = newType("timezone", is[*zone])
	utc        = &zone{name: "UTC"}
)

func is[T any](v value) bool { _, ok := v.(T); return ok }

const noClock = "a transform gives the same for the same record every day, so there is no clock in it"

// endOfTime is the first microsecond that is too late.
const endOfTime = (calendar.LastDay + 1) * calendar.Day

func newDate(t *thread, days int64) date {
	if days < 0 || days > calendar.LastDay {
		t.Raise("OverflowError", "date value out of range")
	}
	t.Alloc(16)
	return date{days}
}

func newMoment(t *thread, micros int64, z *zone) moment {
	if micros < 0 || micros >= endOfTime {
		t.Raise("OverflowError", "date value out of range")
	}
	t.Alloc(32)
	return moment{micros, z}
}

func (d date) String() string {
	y, m, day := calendar.Date(d.days)
	return fmt.Sprintf("%04d-%02d-%02d", y, m, day)
}

func (z *zone) String() string {
	if z.name != "" {
		return z.name
	}
	if z.offset == 0 {
		return "UTC"
	}
	return "UTC" + calendar.Offset(&z.offset, ":")
}

func (z *zone) Repr(t *thread) string {
	if z == utc {
		return "datetime.timezone.utc"
	}
	s := "datetime.timezone(" + delta{z.offset}.Repr(t)
	if z.name != "" {
		s += ", " + t.Repr(z.name)
	}
	return s + ")"
}

func (z *zone) Str(*thread) string { return z.String() }

func (d date) Repr(*thread) string {
	y, m, day := calendar.Date(d.days)
	return fmt.Sprintf("datetime.date(%d, %d, %d)", y, m, day)
}
func (d date) Str(*thread) string { return d.String() }

func (m moment) Repr(t *thread) string {
	y, month, day := calendar.Date(m.micros / calendar.Day)
	return fmt.Sprintf("datetime.datetime(%d, %d, %d, ", y, month, day) + clockParts(t, m.micros%calendar.Day, m.zone)
}
func (m moment) Str(t *thread) string { return m.iso(t, " ", "auto") }

func (c clock) Repr(t *thread) string { return "datetime.time(" + clockParts(t, c.micros, c.zone) }
func (c clock) Str(t *thread) string  { return clockISO(t, c.micros, c.zone, "auto") }

// clockParts writes the arguments that make a time, and closes the call.
func clockParts(t *thread, micros int64, z *zone) string {
	s := fmt.Sprintf("%d, %d", micros/calendar.Hour, micros/calendar.Minute%60)
	second, fraction := micros/calendar.Second%60, micros%calendar.Second
	if second != 0 || fraction != 0 {
		s += fmt.Sprintf(", %d", second)
	}
	if fraction != 0 {
		s += fmt.Sprintf(", %d", fraction)
	}
	if z != nil {
		s += ", tzinfo=" + z.Repr(t)
	}
	return s + ")"
}

func (m moment) iso(t *thread, sep, spec string) string {
	return date{m.micros / calendar.Day}.String() + sep + clockISO(t, m.micros%calendar.Day, m.zone, spec)
}

func clockISO(t *thread, micros int64, z *zone, spec string) string {
	fraction := micros % calendar.Second
	if spec == "auto" {
		if spec = "seconds"; fraction != 0 {
			spec = "microseconds"
		}
	}
	s := fmt.Sprintf("%02d:%02d:%02d.%06d", micros/calendar.Hour, micros/calendar.Minute%60, micros/calendar.Second%60, fraction)
	n, ok := map[string]int{"hours": 2, "minutes": 5, "seconds": 8, "milliseconds": 12, "microseconds": 15}[spec]
	if !ok {
		t.ValueError("Unknown timespec value")
	}
	if s = s[:n]; z != nil {
		s += calendar.Offset(&z.offset, ":")
	}
	return s
}

func (d delta) Repr(*thread) string {
	days, seconds, micros := d.parts()
	var args []string
	for _, p := range []struct {
		name string
		n    int64
	}{{"days", days}, {"seconds", seconds}, {"microseconds", micros}} {
		if p.n != 0 {
			args = append(args, fmt.Sprintf("%s=%d", p.name, p.n))
		}
	}
	if len(args) == 0 {
		return "datetime.timedelta(0)"
	}
	return "datetime.timedelta(" + strings.Join(args, ", ") + ")"
}

func (d delta) parts() (days, seconds, micros int64) {
	days = floor(d.micros, calendar.Day)
	rest := d.micros - days*calendar.Day
	return days, rest / calendar.Second, rest % calendar.Second
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (d delta) Str(*thread) string {
	days, seconds, micros := d.parts()
	s := fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if micros != 0 {
		s += fmt.Sprintf(".%06d", micros)
	}
	switch days {
	case 0:
	case 1, -1:
		s = fmt.Sprintf("%d day, %s", days, s)
	default:
		s = fmt.Sprintf("%d days, %s", days, s)
	}
	return s
}

func (d delta) Truth() bool { return d.micros != 0 }

// Equal, Order and Key compare values of the same kind. Moments with a zone are compared by what they are in UTC.
func (d date) Equal(other value) bool { return d == other }

// Order compares dates.
func (d date) Order(t *thread, other value) (int, bool) {
	o, ok := other.(date)
	if !ok {
		return 0, false
	}
	return compare(d.days, o.days), true
}

// Key is the date itself.
func (d date) Key() any { return d }

// Equal compares moments; one with a zone is never equal to one without.
func (m moment) Equal(other value) bool {
	o, ok := other.(moment)
	return ok && (m.zone == nil) == (o.zone == nil) && m.utc() == o.utc()
}

// Order compares moments.
func (m moment) Order(t *thread, other value) (int, bool) {
	o, ok := other.(moment)
	if !ok {
		return 0, false
	}
	if (m.zone == nil) != (o.zone == nil) {
		t.TypeError("can't compare offset-naive and offset-aware datetimes")
	}
	return compare(m.utc(), o.utc()), true
}

// Key is the same for equal moments.
func (m moment) Key() any {
	type key struct {
		micros int64
		aware  bool
	}
	return key{m.utc(), m.zone != nil}
}

// utc is the moment in UTC; one without a zone is taken to be.
func (m moment) utc() int64 {
	if m.zone == nil {
		return m.micros
	}
	return m.micros - m.zone.offset
}

// Equal compares times.
func (c clock) Equal(other value) bool {
	o, ok := other.(clock)
	return ok && (c.zone == nil) == (o.zone == nil) && moment(c).utc() == moment(o).utc()
}

// Order compares times.
func (c clock) Order(t *thread, other value) (int, bool) {
	o, ok := other.(clock)
	if !ok {
		return 0, false
	}
	if (c.zone == nil) != (o.zone == nil) {
		t.TypeError("can't compare offset-naive and offset-aware times")
	}
	return compare(moment(c).utc(), moment(o).utc()), true
}

// Key is the same for equal times.
func (c clock) Key() any { return clock{moment(c).utc(), nil} }

// Equal compares spans of time.
func (d delta) Equal(other value) bool { return d == other }

// Order compares spans of time.
func (d delta) Order(t *thread, other value) (int, bool) {
	o, ok := other.(delta)
	if !ok {
		return 0, false
	}
	return compare(d.micros, o.micros), true
}

// Key is the span itself.
func (d delta) Key() any { return d }

// Equal compares zones by their offset.
func (z *zone) Equal(other value) bool { o, ok := other.(*zone); return ok && z.offset == o.offset }

// Order is none.
func (z *zone) Order(*thread, value) (int, bool) { return 0, false }

// Key is the offset.
func (z *zone) Key() any { return struct{ offset int64 }{z.offset} }

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

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
		q := t.Binary("//", object.Big(n), other)
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
		if missing(v) {
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
