package httpapi

// Needs is the scope that a service token must have for the route; empty when the route looks at its caller by itself.
func (r Route) Needs() string {
	if r.free {
		return ""
	}
	return r.needs()
}
