package ruleset

import "strings"

// Check finds what is wrong with a set by itself: too much of something, and names and keys that occur twice.
func (s Set) Check(r *Report) {
	members := 0
	first := map[string]Place{}
	for _, d := range s.Duties {
		for _, g := range d.Groups {
			members += len(g)
		}
		s.once(r, first, "duty", DutyID(d.Name), d.Name, d.Key, d.Place)
	}
	for _, p := range s.Policies {
		s.once(r, first, "policy", PolicyID(p.Name), p.Name, p.Key, p.Place)
	}
	for _, l := range []struct {
		what      string
		got, most int
	}{
		{"duties", len(s.Duties), MostDuties},
		{"policies", len(s.Policies), MostPolicies},
		{"members", members, MostMembers},
	} {
		if l.got > l.most {
			r.Add(Place{}, "", "too_many", "The import has %d %s, and at most %d are allowed. Split it into several "+
				"imports.", l.got, l.what, l.most)
		}
	}
	if len(s.Duties)+len(s.Policies) == 0 && r.OK() {
		r.Add(
			Place{},
			"",
			"empty",
			"The files contain no duties and no policies. Check that you chose the right files.",
		)
	}
}

// once reports a name or a key that is there already.
func (s Set) once(r *Report, first map[string]Place, what, of, name, key string, at Place) {
	if strings.TrimSpace(name) == "" {
		r.AddOf(of, at, "name", "required", "The %s has no name. Add one.", what)
		return
	}
	for _, n := range []struct{ field, code, id, text string }{
		{"name", "duplicate_name", of, name},
		{"key", "duplicate_key", what + " key " + key, key},
	} {
		if n.text == "" {
			continue
		}
		if before, twice := first[n.id]; twice {
			r.AddOf(of, at, n.field, n.code, "The %s %q is already in %s, line %d. Remove or rename one of the two.",
				what, n.text, before.File, before.Line)
			continue
		}
		first[n.id] = at
	}
}
