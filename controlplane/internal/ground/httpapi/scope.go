package httpapi

// Needs is the scope that a service token must have for the route; empty when the route looks at its caller by itself,
// or when no service token may use it at all.
func (r Route) Needs() string {
	if r.free || r.operators || r.people {
		return ""
	}
	return r.needs()
}
