package trial

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// tryPerson evaluates the policies of the pack for a synthetic person and compares their keys. Keys
// that the pack does not have are errors: such a test could never fail.
func tryPerson(p format.Pack, t format.Test, at string, l *diagnostic.List) {
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
				l.Fail(
					"unknown_reference",
					diagnostic.Under(diagnostic.Under(at, member), i),
					"name a policy or a role of the pack",
					"the pack has no policy or role %s",
					k,
				)
			}
		}
	}
	if t.ExpectGrants == nil && t.ExpectNoGrants == nil && t.ExpectOnly == nil {
		l.Fail(
			"missing",
			at,
			"add expectGrants, expectNoGrants or expectOnly",
			"the test %q expects nothing",
			diagnostic.Printable(t.Name),
		)
		return
	}
	day, err := time.Parse(time.DateOnly, cmp.Or(t.Given.Today, defaultDay))
	if err != nil {
		l.Fail(
			"wrong_value",
			diagnostic.Under(at, "given/today"),
			"write a day that there is",
			"%s is no day",
			t.Given.Today,
		)
		return
	}
	person := &fact.Person{
		Identity: synthetic(t.Given.Identity, l, diagnostic.Under(at, "given/identity")),
		Day:      day,
	}
	got, roles := gives(p, person)
	missing := without(t.ExpectGrants, got)
	if len(missing) > 0 {
		l.Fail(
			"test_failed",
			at,
			"change the rule or the test",
			"%s: %s is not given; given is %s",
			t.Name,
			strings.Join(missing, ", "),
			diagnostic.JoinOrNone(got),
		)
	}
	if surplus := meeting(t.ExpectNoGrants, got); len(surplus) > 0 {
		l.Fail("test_failed", at, "change the rule or the test", "%s: %s is given", t.Name, strings.Join(surplus, ", "))
	}
	if t.ExpectOnly != nil {
		if a, b := without(t.ExpectOnly, got), without(got, t.ExpectOnly); len(a)+len(b) > 0 {
			l.Fail(
				"test_failed",
				at,
				"change the rule or the test",
				"%s: given is %s, and not exactly %s",
				t.Name,
				diagnostic.JoinOrNone(got),
				diagnostic.JoinOrNone(t.ExpectOnly),
			)
		}
	}
	for _, sod := range p.SodPolicies {
		if sides := sod.Held(p, roles); len(sides) >= max(2, sod.N) {
			l.Fail(
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

// gives are the policies that apply to a person and the roles that they give, and these roles alone. A policy with the
// effect require and a grant applies to those to whom other policies of the pack give any of it.
func gives(p format.Pack, person *fact.Person) (all, roles []string) {
	policies := slices.Concat(p.Birthrights, p.AccessGrantPolicies)
	var given []format.PolicyGrant
	for _, policy := range policies {
		if !applies(policy, person) {
			continue
		}
		grants, matched := policy.GrantsTo(person.Identity)
		if policy.Effect == "require" || !matched {
			continue
		}
		all = append(all, policy.Key)
		if policy.Gives() {
			given = append(given, grants...)
		}
	}
	for _, g := range given {
		if g.Role != "" {
			all, roles = append(all, g.Role), append(roles, g.Role)
		}
	}
	given = append(given, contents(p, roles)...)
	for _, policy := range policies {
		if policy.Effect == "require" && applies(policy, person) &&
			(len(policy.Grant) == 0 || shares(policy.Grant, given)) {
			all = append(all, policy.Key)
		}
	}
	slices.Sort(all)
	slices.Sort(roles)
	return slices.Compact(all), slices.Compact(roles)
}

// applies reports whether a person meets the condition of a policy, and what else it asks of people.
func applies(policy format.Policy, person *fact.Person) bool {
	status, _ := person.Identity["status"].(string)
	when := policy.Lifecycle.When
	if when == nil {
		when = []string{"pre_hire", "active", "on_leave", "notice"}
	}
	c, problems := condition.Parse(policy.Subject)
	if len(problems) > 0 || !slices.Contains(when, status) {
		return false
	}
	required := policy.Required()
	if policy.Effect == "require" {
		required = required.Narrowing()
	}
	met, _ := c.Match(person)
	return met && len(required.Unmet(person.Identity)) == 0
}

// contents are the entitlements of roles of the pack.
func contents(p format.Pack, roles []string) (out []format.PolicyGrant) {
	for _, r := range p.Roles {
		for _, g := range r.Entitlements {
			if slices.Contains(roles, r.Key) {
				out = append(out, format.PolicyGrant{Select: &g.Select})
			}
		}
	}
	return out
}

// shares reports whether something is in both lists.
func shares(a, b []format.PolicyGrant) bool {
	return slices.ContainsFunc(a, func(x format.PolicyGrant) bool {
		return slices.ContainsFunc(b, func(y format.PolicyGrant) bool { return x.Same(y) })
	})
}

// synthetic is a person who does not exist: what the test says of them, over what everyone has.
func synthetic(given map[string]any, l *diagnostic.List, at string) map[string]any {
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
			if close := diagnostic.Nearest(name, fields); close != "" {
				mend = "did you mean " + close + "?"
			}
			l.Fail(
				"unknown_field",
				diagnostic.Under(at, name),
				mend,
				"a person has no field %s",
				diagnostic.Printable(name),
			)
		}
		out[name] = v
	}
	return out
}

// without are the keys that are not in the other list.
func without(keys, these []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(these, k) })
}

// meeting are the keys that are in both lists.
func meeting(keys, these []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !slices.Contains(these, k) })
}
