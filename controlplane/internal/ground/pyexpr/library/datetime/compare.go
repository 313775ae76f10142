package datetime

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
func (z *zone) Equal(other value) bool {
	o, ok := other.(*zone)
	return ok && z.offset == o.offset
}

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
