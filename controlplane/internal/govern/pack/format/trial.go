package format

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
)

// defaultDay is the day of tests that name none.
const defaultDay = "2026-01-15"

// Lint reads a pack, checks it, and tries it on its own tests. tried is how many tests were run. Source is nil when
// there is an error.
func Lint(files Files, o Options) (s *Source, tried int, problems []Problem) {
	s, problems = Read(files, o)
	if s == nil {
		return nil, 0, problems
	}
	l := &list{places: s.doc.places, problems: problems}
	for i, t := range s.Pack.Tests {
		s.try(t, under("/tests", i), l)
		tried++
	}
	s.untried(l)
	if Failed(l.problems) {
		s = nil
	}
	return s, tried, ordered(l.problems)
}

// untried warns of what no test expects.
func (s *Source) untried(l *list) {
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
			l.warn("untested", under("/"+member, i), "add a test that expects it", "no test expects %s", key)
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

func (s *Source) try(t Test, at string, l *list) {
	p, ok := s.filledFor(t, at, l)
	if !ok {
		return
	}
	switch {
	case t.Given.Mapping != "" || t.Given.Record != nil:
		s.tryMapping(p, t, at, l)
	case t.Given.Identity == nil:
		l.fail(
			"missing",
			under(at, "given"),
			"add identity, or mapping and record",
			"the test %q tries nothing",
			printable(t.Name),
		)
	default:
		s.tryPerson(p, t, at, l)
	}
}

// filledFor is the pack with the parameters of a test.
func (s *Source) filledFor(t Test, at string, l *list) (Pack, bool) {
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
	values, wrong := Values(s.Pack.Parameters, given)
	for _, w := range wrong {
		l.fail(
			w.Code,
			under(under(at, "given/parameters"), w.Key),
			w.Detail,
			"the parameter %s of the test cannot be used",
			printable(w.Key),
		)
	}
	if len(wrong) > 0 {
		return Pack{}, false
	}
	trial := &list{places: l.places}
	p := s.fill(values, trial)
	l.problems = append(l.problems, trial.problems...)
	return p, !Failed(trial.problems)
}

func (s *Source) tryPerson(p Pack, t Test, at string, l *list) {
	known := map[string]bool{}
	for _, member := range []string{"roles", "birthrights", "accessGrantPolicies"} {
		for _, raw := range p.Raw[member] {
			object, _ := raw.(map[string]any)
			key, _ := object["key"].(string)
			known[key] = true
		}
	}
	for member, keys := range map[string][]string{"expectGrants": t.ExpectGrants, "expectNoGrants": t.ExpectNoGrants,
		"expectOnly": t.ExpectOnly} {
		for i, k := range keys {
			if !known[k] {
				l.fail(
					"unknown_reference",
					under(under(at, member), i),
					"name a policy or a role of the pack",
					"the pack has no policy or role %s",
					k,
				)
			}
		}
	}
	if t.ExpectGrants == nil && t.ExpectNoGrants == nil && t.ExpectOnly == nil {
		l.fail(
			"missing",
			at,
			"add expectGrants, expectNoGrants or expectOnly",
			"the test %q expects nothing",
			printable(t.Name),
		)
		return
	}
	day, err := time.Parse(time.DateOnly, orElse(t.Given.Today, defaultDay))
	if err != nil {
		l.fail("wrong_value", under(at, "given/today"), "write a day that there is", "%s is no day", t.Given.Today)
		return
	}
	person := &condition.Person{Identity: synthetic(t.Given.Identity, l, under(at, "given/identity")), Day: day}
	got, roles := p.gives(person)
	missing := without(t.ExpectGrants, got)
	if len(missing) > 0 {
		l.fail(
			"test_failed",
			at,
			"change the rule or the test",
			"%s: %s is not given; given is %s",
			t.Name,
			strings.Join(missing, ", "),
			orNone(got),
		)
	}
	if surplus := meeting(t.ExpectNoGrants, got); len(surplus) > 0 {
		l.fail("test_failed", at, "change the rule or the test", "%s: %s is given", t.Name, strings.Join(surplus, ", "))
	}
	if t.ExpectOnly != nil {
		if a, b := without(t.ExpectOnly, got), without(got, t.ExpectOnly); len(a)+len(b) > 0 {
			l.fail(
				"test_failed",
				at,
				"change the rule or the test",
				"%s: given is %s, and not exactly %s",
				t.Name,
				orNone(got),
				orNone(t.ExpectOnly),
			)
		}
	}
	for _, sod := range p.SodPolicies {
		if sides := sod.held(p, roles); len(sides) >= max(2, sod.N) {
			l.fail(
				"sod_conflict",
				at,
				"no rule of a pack may give what the pack itself keeps apart",
				"%s: they are given %s, which %s keeps apart",
				t.Name,
				strings.Join(sides, " and "),
				sod.Key,
			)
		}
	}
}

// gives are the policies that apply to somebody and the roles that they give, and these roles alone.
func (p Pack) gives(person *condition.Person) (all, roles []string) {
	status, _ := person.Identity["status"].(string)
	for _, policy := range slices.Concat(p.Birthrights, p.AccessGrantPolicies) {
		when := policy.Lifecycle.When
		if when == nil {
			when = []string{"pre_hire", "active", "on_leave", "notice"}
		}
		c, problems := condition.Parse(policy.Subject)
		if len(problems) > 0 || !slices.Contains(when, status) {
			continue
		}
		if met, _ := c.Match(person); !met {
			continue
		}
		all = append(all, policy.Key)
		for _, g := range policy.Grant {
			if g.Role != "" && policy.Effect != "deny" {
				all, roles = append(all, g.Role), append(roles, g.Role)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(roles)
	return slices.Compact(all), slices.Compact(roles)
}

// synthetic is somebody who does not exist: what the test says of them, over what everybody has.
func synthetic(given map[string]any, l *list, at string) map[string]any {
	out := map[string]any{
		"kind":            "human",
		"employment_type": "employee",
		"status":          "active",
		"email":           "someone@example.com",
		"external_id":     "someone",
		"first_name":      "Some",
		"last_name":       "One",
		"display_name":    "Some One",
		"is_disabled":     false,
		"attributes":      map[string]any{},
		"labels":          map[string]any{},
	}
	fields := condition.FieldNames()
	for name, v := range given {
		if _, ok := out[name]; !ok && !slices.Contains(fields, name) {
			mend := "use a field of an identity, or attributes: {…}"
			if close := nearest(name, fields); close != "" {
				mend = "did you mean " + close + "?"
			}
			l.fail("unknown_field", under(at, name), mend, "a person has no field %s", printable(name))
		}
		out[name] = v
	}
	return out
}

func (s *Source) tryMapping(p Pack, t Test, at string, l *list) {
	i := slices.IndexFunc(p.FieldMappings, func(m FieldMapping) bool { return m.Key == t.Given.Mapping })
	if i < 0 {
		l.fail(
			"unknown_reference",
			under(at, "given/mapping"),
			"name a field mapping of the pack",
			"the pack has no field mapping %s",
			printable(t.Given.Mapping),
		)
		return
	}
	if t.Given.Record == nil || t.ExpectIdentity == nil {
		l.fail(
			"missing",
			at,
			"add given.record and expectIdentity",
			"the test %q of a mapping needs a record and the expected identity",
			printable(t.Name),
		)
		return
	}
	m, err := mapping.With(p.FieldMappings[i].Mappings(), transform.Compile)
	if err != nil {
		l.fail("invalid_transform", at, "mend the mapping", "%v", err)
		return
	}
	day, _ := time.Parse(time.DateOnly, orElse(t.Given.Today, defaultDay))
	record := make(map[string]any, len(t.Given.Record))
	for name, v := range t.Given.Record {
		record[name] = v
	}
	rows := m.Preview(sampleOf(p.FieldMappings[i].Object, record), day)
	for _, row := range rows {
		for _, e := range row.Errors {
			l.fail(
				"test_failed",
				at,
				"change the mapping or the record",
				"%s: %s: %s",
				t.Name,
				printable(e.Field),
				e.Message,
			)
		}
		for _, name := range slices.Sorted(maps.Keys(t.ExpectIdentity)) {
			if want, got := t.ExpectIdentity[name], became(row, name); !same(want, got) {
				l.fail(
					"test_failed",
					under(under(at, "expectIdentity"), name),
					"change the mapping or the test",
					"%s: %s becomes %s, and not %s",
					t.Name,
					name,
					shown(got),
					shown(want),
				)
			}
		}
	}
}

// sampleOf is a record of a kind, with nothing but its attributes.
func sampleOf(object string, record map[string]any) mapping.Sample {
	switch object {
	case mapping.ObjectAccount:
		return mapping.Sample{Accounts: []v1.RemoteAccount{{ExternalID: "test", Attributes: record}}}
	case mapping.ObjectEntitlement:
		return mapping.Sample{Entitlements: []v1.RemoteEntitlement{{ExternalID: "test", Attributes: record}}}
	case mapping.ObjectGrant:
		return mapping.Sample{Grants: []v1.RemoteGrant{{ExternalID: "test", Attributes: record}}}
	}
	return mapping.Sample{Identities: []v1.RemoteIdentity{{ExternalID: "test", Attributes: record}}}
}

// became is what a record gave for one of our fields.
func became(row mapping.Row, name string) any {
	if attribute, ok := mapping.Field(name).CustomField(); ok {
		custom, _ := row.After["attributes"].(map[string]any)
		return custom[attribute]
	}
	return row.After[name]
}

func same(want, got any) bool {
	return reflect.DeepEqual(want, got) || want != nil && got != nil && fmt.Sprint(want) == fmt.Sprint(got)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func without(keys, these []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(these, k) })
}

func meeting(keys, these []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !slices.Contains(these, k) })
}
