package trial

import (
	"maps"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// defaultDay is the day of tests that name none.
const defaultDay = "2026-01-15"

// Lint reads a pack, checks it, and tries it on its own tests. tried is how many tests were run. Source is nil when
// there is an error.
func Lint(files archive.Files, o format.Options) (s *format.Source, tried int, problems []diagnostic.Problem) {
	s, problems = format.Read(files, o)
	if s == nil {
		return nil, 0, problems
	}
	l := s.Problems()
	l.Problems = problems
	for i, t := range s.Pack.Tests {
		try(s, t, diagnostic.Under("/tests", i), l)
		tried++
	}
	untried(s, l)
	if diagnostic.Failed(l.Problems) {
		s = nil
	}
	return s, tried, format.Ordered(l.Problems)
}

// untried warns of what no test expects.
func untried(s *format.Source, l *diagnostic.List) {
	expected := map[string]bool{}
	for _, t := range s.Pack.Tests {
		for _, key := range slices.Concat(t.ExpectGrants, t.ExpectOnly) {
			expected[key] = true
		}
		if t.Given.Mapping != "" {
			expected[t.Given.Mapping] = true
		}
	}
	warn := func(member string, i int, key string) {
		if !expected[key] {
			l.Warn("untested", diagnostic.Under("/"+member, i), "add a test that expects it", "no test expects %s", key)
		}
	}
	for i, p := range s.Pack.Birthrights {
		warn("birthrights", i, p.Key)
	}
	for i, p := range s.Pack.AccessGrantPolicies {
		warn("accessGrantPolicies", i, p.Key)
	}
	for i, m := range s.Pack.FieldMappings {
		warn("fieldMappings", i, m.Key)
	}
}

// try runs one test of a pack, filled in with the test's own parameters. Its problems are added to
// l.
func try(s *format.Source, t format.Test, at string, l *diagnostic.List) {
	p, ok := filledFor(s, t, at, l)
	if !ok {
		return
	}
	switch {
	case t.Given.Mapping != "" || t.Given.Record != nil:
		tryMapping(p, t, at, l)
	case t.Given.Identity == nil:
		l.Fail(
			"missing",
			diagnostic.Under(at, "given"),
			"add identity, or mapping and record",
			"the test %q tries nothing",
			diagnostic.Printable(t.Name),
		)
	default:
		tryPerson(p, t, at, l)
	}
}

// filledFor is the pack with the parameters of a test.
func filledFor(s *format.Source, t format.Test, at string, l *diagnostic.List) (format.Pack, bool) {
	if len(t.Given.Parameters) == 0 {
		return s.Pack, true
	}
	given := map[string]any{}
	for _, p := range s.Pack.Parameters {
		if p.Default == nil {
			given[p.Key] = p.Example
		}
	}
	maps.Copy(given, t.Given.Parameters)
	values, wrong := format.Values(s.Pack.Parameters, given)
	for _, w := range wrong {
		l.Fail(
			w.Code,
			diagnostic.Under(diagnostic.Under(at, "given/parameters"), w.Key),
			w.Detail,
			"the parameter %s of the test cannot be used",
			diagnostic.Printable(w.Key),
		)
	}
	if len(wrong) > 0 {
		return format.Pack{}, false
	}
	own := s.Problems()
	p := s.FillInto(values, own)
	l.Problems = append(l.Problems, own.Problems...)
	return p, !diagnostic.Failed(own.Problems)
}
