package format

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
)

// ServiceVersion is what a pack may ask for under requires.service.
const ServiceVersion = "1.0.0"

// semantics checks what the parts of a pack say about one another.
type semantics struct {
	*list
	p       Pack
	locales map[string]map[string]string

	roles, tags, mitigations, mappings map[string]bool
}

func (s *semantics) check() {
	s.requires()
	s.tags = s.keys("dutyTags")
	s.mappings = s.keys("fieldMappings")
	s.roles = s.keys("roles")
	s.mitigations = s.keys("mitigationPolicies")
	s.keys("birthrights")
	s.keys("accessGrantPolicies")
	for _, kind := range []string{"sodPolicies", "certificationTemplates", "approvalRules"} {
		s.keys(kind)
	}
	s.policyKeys()
	for i, m := range s.p.FieldMappings {
		s.mapping(m, under("/fieldMappings", i))
	}
	for i, r := range s.p.Roles {
		s.role(r, under("/roles", i))
	}
	for i, p := range s.p.Birthrights {
		s.policy(p, under("/birthrights", i))
		if p.Effect == "deny" {
			s.fail(
				"wrong_value",
				under(under("/birthrights", i), "effect"),
				"put it under accessGrantPolicies",
				"a birthright gives; one that denies is no birthright",
			)
		}
	}
	for i, p := range s.p.AccessGrantPolicies {
		s.policy(p, under("/accessGrantPolicies", i))
	}
	for i, p := range s.p.SodPolicies {
		s.sod(p, under("/sodPolicies", i))
	}
	s.references("/certificationTemplates", s.p.CertificationTemplates)
	s.approvalRules()
	s.texts()
}

var constraint = regexp.MustCompile(`^(>=|<=|>|<|=)?([0-9]+(?:\.[0-9]+){0,2})$`)

// requires holds the service's version against what the pack asks for.
func (s *semantics) requires() {
	for _, part := range strings.Fields(s.p.Requires.Service) {
		m := constraint.FindStringSubmatch(part)
		if m == nil {
			s.fail(
				"wrong_value",
				"/requires/service",
				`write versions with >=, <=, >, < or =, such as ">=1.0 <2"`,
				"%q cannot be understood",
				printable(part),
			)
			continue
		}
		if order := Compare(ServiceVersion, padded(m[2])); !fits(m[1], order) {
			s.fail(
				"unsupported_version",
				"/requires/service",
				"use a pack, or a service, of another version",
				"the pack needs a service %s; this one is %s",
				s.p.Requires.Service,
				ServiceVersion,
			)
			return
		}
	}
}

func padded(v string) string { return v + strings.Repeat(".0", 2-strings.Count(v, ".")) }

func fits(op string, order int) bool {
	switch op {
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case "<":
		return order < 0
	}
	return order == 0
}

// Compare orders two semantic versions. One with an addition (1.0.0-rc.1) comes before the one without.
func Compare(a, b string) int {
	aCore, aMore, _ := strings.Cut(a, "-")
	bCore, bMore, _ := strings.Cut(b, "-")
	if c := compareParts(strings.Split(aCore, "."), strings.Split(bCore, ".")); c != 0 {
		return c
	}
	switch {
	case aMore == bMore:
		return 0
	case aMore == "":
		return 1
	case bMore == "":
		return -1
	}
	return compareParts(strings.Split(aMore, "."), strings.Split(bMore, "."))
}

func compareParts(a, b []string) int {
	for i := range min(len(a), len(b)) {
		x, errX := strconv.Atoi(a[i])
		y, errY := strconv.Atoi(b[i])
		switch {
		case errX == nil && errY == nil && x != y:
			return sign(x - y)
		case errX == nil && errY != nil:
			return -1 // a number comes before a word
		case errX != nil && errY == nil:
			return 1
		case errX != nil && a[i] != b[i]:
			return strings.Compare(a[i], b[i])
		}
	}
	return sign(len(a) - len(b))
}

func sign(n int) int { return max(-1, min(1, n)) }

// keys collects the keys of a kind, each of which may occur once.
func (s *semantics) keys(member string) map[string]bool {
	seen := map[string]bool{}
	for i, raw := range s.p.Raw[member] {
		object, _ := raw.(map[string]any)
		key, _ := object["key"].(string)
		if seen[key] {
			s.fail(
				"duplicate_key",
				under(under("/"+member, i), "key"),
				"give it another one",
				"there are two %s with the key %s",
				member,
				key,
			)
		}
		seen[key] = true
	}
	return seen
}

// policyKeys keeps the keys of policies and roles apart, since tests name both.
func (s *semantics) policyKeys() {
	seen := map[string]string{}
	for _, member := range []string{"roles", "birthrights", "accessGrantPolicies"} {
		for i, raw := range s.p.Raw[member] {
			object, _ := raw.(map[string]any)
			key, _ := object["key"].(string)
			if other, twice := seen[key]; twice && other != member {
				s.fail(
					"duplicate_key",
					under(under("/"+member, i), "key"),
					"give it another one",
					"%s has the key %s as well",
					other,
					key,
				)
			}
			seen[key] = member
		}
	}
}

// Mappings are the rules of a template, as a connector would have them.
func (m FieldMapping) Mappings() []mapping.Mapping {
	out := make([]mapping.Mapping, len(m.Fields))
	for i, f := range m.Fields {
		out[i] = mapping.Mapping{
			Object:    m.Object,
			Source:    f.Source,
			Target:    mapping.Field(f.Target),
			Transform: f.Transform,
			Action:    mapping.ActionMap,
		}
		if f.Ignore {
			out[i].Action = mapping.ActionIgnore
		}
	}
	return mapping.Normalise(out)
}

func (s *semantics) mapping(m FieldMapping, at string) {
	for i, f := range m.Fields {
		if !f.Ignore && f.Target == "" {
			s.fail(
				"missing",
				under(under(at, "fields"), i),
				"add target, or ignore: true",
				"the field %q fills nothing",
				printable(f.Source),
			)
			return
		}
	}
	for _, w := range mapping.Check(m.Mappings(), transform.Compile) {
		member := map[string]string{"source_path": "source", "target_field": "target",
			"transform": "transform"}[w.Member]
		place := under(under(at, "fields"), w.Index)
		if member != "" {
			place = under(place, member)
		}
		s.fail(
			w.Code,
			place,
			w.Detail,
			"the mapping of %s cannot be used",
			printable(m.Fields[min(w.Index, len(m.Fields)-1)].Source),
		)
	}
}

func (s *semantics) role(r Role, at string) {
	s.named(r.DutyTags, s.tags, under(at, "dutyTags"), "duty tag", "dutyTags")
	for i, g := range r.Entitlements {
		s.selector(g.Select, under(under(under(at, "entitlements"), i), "select"))
	}
}

// named checks that what is referred to is in the pack.
func (s *semantics) named(keys []string, known map[string]bool, at, what, where string) {
	for i, k := range keys {
		if !known[k] {
			var all []string
			for name := range known {
				all = append(all, name)
			}
			slices.Sort(all)
			mend := "add it under " + where
			if close := nearest(k, all); close != "" {
				mend = "did you mean " + close + "?"
			}
			s.fail("unknown_reference", under(at, i), mend, "the pack has no %s %s", what, k)
		}
	}
}

func (s *semantics) selector(x Selector, at string) {
	n := 0
	for _, how := range []string{x.Name, x.NameLike, x.ExternalID} {
		if how != "" {
			n++
		}
	}
	if n != 1 {
		s.fail(
			"wrong_members",
			at,
			"add one of name, nameLike, external_id",
			"a selector says by exactly one of them which entitlements it means",
		)
	}
	if x.NameLike != "" && strings.Trim(x.NameLike, "*? ") == "" {
		s.fail(
			"too_wide",
			under(at, "nameLike"),
			"begin with a part of the name",
			"it would take every entitlement of the system",
		)
	}
}

func (s *semantics) policy(p Policy, at string) {
	if _, problems := condition.Parse(p.Subject); len(problems) > 0 {
		for _, problem := range problems {
			mend := "see the fields and operators of conditions"
			if len(problem.Suggestions) > 0 {
				mend = "did you mean " + strings.Join(problem.Suggestions, " or ") + "?"
			}
			s.fail(problem.Code, at+"/subject"+strings.TrimPrefix(problem.Pointer, "#"), mend, "%s", problem.Detail)
		}
	} else if everybody(p.Subject) {
		s.warn(
			"everybody",
			under(at, "subject"),
			"add a rule, if not everybody is meant",
			"the condition has no rule: %s is for everybody",
			p.Key,
		)
	}
	for i, g := range p.Grant {
		place := under(under(at, "grant"), i)
		if g.Role != "" {
			s.named([]string{g.Role}, s.roles, under(place, "role"), "role", "roles")
		}
		if g.Select != nil {
			s.selector(*g.Select, under(place, "select"))
		}
	}
	if grace := p.Lifecycle.Grace; grace != "" && !isNothing(grace) && p.Lifecycle.OnNoMatch != "grace" {
		s.fail(
			"wrong_members",
			under(at, "lifecycle"),
			"write onNoMatch: grace",
			"there is a grace, but it does not apply",
		)
	}
}

// everybody reports whether a condition has no rule at all.
func everybody(raw json.RawMessage) bool {
	var c struct {
		Rules      []any  `json:"rules"`
		Field      string `json:"field"`
		Expression string `json:"expression"`
	}
	return json.Unmarshal(raw, &c) == nil && len(c.Rules) == 0 && c.Field == "" && c.Expression == ""
}

func (s *semantics) sod(p SodPolicy, at string) {
	for i, side := range p.Sides {
		place := under(under(at, "sides"), i)
		s.named(side.DutyTags, s.tags, under(place, "dutyTags"), "duty tag", "dutyTags")
		s.named(side.Roles, s.roles, under(place, "roles"), "role", "roles")
		if len(side.DutyTags)+len(side.Roles) == 0 {
			s.fail("missing", place, "add dutyTags or roles", "the side %q is about nothing", printable(side.Label))
		}
	}
	if p.Kind != "n_of_m" && len(p.Sides) != 2 {
		s.fail("too_many", under(at, "sides"), "write kind: n_of_m and n", "a pair has two sides")
	}
	s.named(p.AllowedMitigations, s.mitigations, under(at, "allowedMitigations"), "mitigation", "mitigationPolicies")
	for _, r := range s.p.Roles {
		if sides := p.held(s.p, []string{r.Key}); len(sides) > 1 {
			s.fail(
				"sod_conflict",
				at,
				"take a duty from the role, or split it",
				"the role %s alone holds the sides %s",
				r.Key,
				strings.Join(sides, " and "),
			)
		}
	}
}

// held are the sides of which roles hold a duty.
func (p SodPolicy) held(pack Pack, roles []string) []string {
	var tags []string
	for _, r := range pack.Roles {
		if slices.Contains(roles, r.Key) {
			tags = append(tags, r.DutyTags...)
		}
	}
	var sides []string
	for _, side := range p.Sides {
		if meets(side.DutyTags, tags) || meets(side.Roles, roles) {
			sides = append(sides, side.Label)
		}
	}
	return sides
}

func meets(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

func (s *semantics) references(at string, objects []RoleScoped) {
	for i, o := range objects {
		s.named(o.Roles, s.roles, under(under(at, i), "roles"), "role", "roles")
		s.named(o.Scope.Roles, s.roles, under(under(under(at, i), "scope"), "roles"), "role", "roles")
	}
}

// longestAnswer is how long the people of one step may have to answer.
const longestAnswer = 60 * span.Day

// approvalRules checks what rules name, and that there is one default at most.
func (s *semantics) approvalRules() {
	first := ""
	for i, r := range s.p.ApprovalRules {
		at := under("/approvalRules", i)
		s.named(r.Roles, s.roles, under(at, "roles"), "role", "roles")
		if d, err := span.Parse(r.RespondWithin); err == nil && (d == 0 || d > longestAnswer) {
			s.fail("wrong_value", under(at, "respondWithin"), "write a duration of up to "+span.Format(longestAnswer),
				"%s leaves no time to answer, or too much", r.RespondWithin)
		}
		switch {
		case len(r.Roles) > 0:
		case first != "":
			s.fail(
				"duplicate_key",
				at,
				"name the roles that it is for",
				"the rules %s and %s are both for everything that has no rule of its own",
				first,
				r.Key,
			)
		default:
			first = r.Key
		}
	}
}

// texts checks that the languages that are named have texts, and that texts are about something.
func (s *semantics) texts() {
	for i, language := range s.p.Metadata.Languages {
		if _, ok := s.locales[language]; !ok && i > 0 {
			s.warn(
				"missing",
				under("/metadata/languages", i),
				"add locales/"+language+".yaml, or leave the language out",
				"there are no texts in %s",
				language,
			)
		}
	}
	for language, texts := range s.locales {
		for path := range texts {
			kind, rest, _ := strings.Cut(path, "/")
			key, _, _ := strings.Cut(rest, "/")
			if kind == "metadata" || kind == "parameters" || s.has(kind, key) {
				continue
			}
			s.warn(
				"unknown_reference",
				"/locales/"+language+"/"+path,
				"remove the text",
				"%s is not in the pack",
				fmt.Sprintf("%s %s", kind, key),
			)
		}
	}
}

func (s *semantics) has(member, key string) bool {
	return slices.ContainsFunc(s.p.Raw[member], func(raw any) bool {
		object, _ := raw.(map[string]any)
		return object["key"] == key
	})
}
