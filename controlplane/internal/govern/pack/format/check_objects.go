package format

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
)

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

// mapping checks a field mapping as one of a connector is checked, expressions included. at is its
// JSON pointer.
func (s *semantics) mapping(m FieldMapping, at string) {
	for i, f := range m.Fields {
		if !f.Ignore && f.Target == "" {
			s.Fail(
				"missing",
				diagnostic.Under(diagnostic.Under(at, "fields"), i),
				"add target, or ignore: true",
				"the field %q fills nothing",
				diagnostic.Printable(f.Source),
			)
			return
		}
	}
	for _, w := range mapping.Check(m.Mappings(), transform.Compile) {
		member := map[string]string{"source_path": "source", "target_field": "target",
			"transform": "transform"}[w.Member]
		place := diagnostic.Under(diagnostic.Under(at, "fields"), w.Index)
		if member != "" {
			place = diagnostic.Under(place, member)
		}
		s.Fail(
			w.Code,
			place,
			w.Detail,
			"the mapping of %s cannot be used",
			diagnostic.Printable(m.Fields[min(w.Index, len(m.Fields)-1)].Source),
		)
	}
}

// role checks a role: its duty tags are those of the pack, and each selector is complete.
func (s *semantics) role(r Role, at string) {
	s.named(r.DutyTags, s.tags, diagnostic.Under(at, "dutyTags"), "duty tag", "dutyTags")
	for i, g := range r.Entitlements {
		s.selector(g.Select, diagnostic.Under(diagnostic.Under(diagnostic.Under(at, "entitlements"), i), "select"))
	}
}

// selector checks that a selector names entitlements in exactly one way, and that a pattern is not
// one that matches everything.
func (s *semantics) selector(x Selector, at string) {
	n := 0
	for _, how := range []string{x.Name, x.NameLike, x.ExternalID} {
		if how != "" {
			n++
		}
	}
	if n != 1 {
		s.Fail(
			"wrong_members",
			at,
			"add one of name, nameLike, external_id",
			"a selector says by exactly one of them which entitlements it means",
		)
	}
	if x.NameLike != "" && strings.Trim(x.NameLike, "*? ") == "" {
		s.Fail(
			"too_wide",
			diagnostic.Under(at, "nameLike"),
			"begin with a part of the name",
			"it would take every entitlement of the system",
		)
	}
}

// policy checks a policy: its condition as the API would, and the roles that it assigns. A
// condition without a rule is for everyone, which is allowed but seldom meant.
func (s *semantics) policy(p Policy, at string) {
	if _, problems := condition.Parse(p.Subject); len(problems) > 0 {
		for _, problem := range problems {
			mend := "see the fields and operators of conditions"
			if len(problem.Suggestions) > 0 {
				mend = "did you mean " + strings.Join(problem.Suggestions, " or ") + "?"
			}
			s.Fail(problem.Code, at+"/subject"+strings.TrimPrefix(problem.Pointer, "#"), mend, "%s", problem.Detail)
		}
	} else if everybody(p.Subject) {
		s.Warn(
			"everybody",
			diagnostic.Under(at, "subject"),
			"add a rule, if not everybody is meant",
			"the condition has no rule: %s is for everybody",
			p.Key,
		)
	}
	for i, g := range p.Grant {
		place := diagnostic.Under(diagnostic.Under(at, "grant"), i)
		if g.Role != "" {
			s.named([]string{g.Role}, s.roles, diagnostic.Under(place, "role"), "role", "roles")
		}
		if g.Select != nil {
			s.selector(*g.Select, diagnostic.Under(place, "select"))
		}
	}
	if grace := p.Lifecycle.Grace; grace != "" && !isNothing(grace) && p.Lifecycle.OnNoMatch != "grace" {
		s.Fail(
			"wrong_members",
			diagnostic.Under(at, "lifecycle"),
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

// sod checks a separation-of-duties policy: each side has duties, a pair has two sides, and no role
// of the pack is itself a violation.
func (s *semantics) sod(p SodPolicy, at string) {
	for i, side := range p.Sides {
		place := diagnostic.Under(diagnostic.Under(at, "sides"), i)
		s.named(side.DutyTags, s.tags, diagnostic.Under(place, "dutyTags"), "duty tag", "dutyTags")
		s.named(side.Roles, s.roles, diagnostic.Under(place, "roles"), "role", "roles")
		if len(side.DutyTags)+len(side.Roles) == 0 {
			s.Fail(
				"missing",
				place,
				"add dutyTags or roles",
				"the side %q is about nothing",
				diagnostic.Printable(side.Label),
			)
		}
	}
	if p.Kind != "n_of_m" && len(p.Sides) != 2 {
		s.Fail("too_many", diagnostic.Under(at, "sides"), "write kind: n_of_m and n", "a pair has two sides")
	}
	s.named(
		p.AllowedMitigations,
		s.mitigations,
		diagnostic.Under(at, "allowedMitigations"),
		"mitigation",
		"mitigationPolicies",
	)
	for _, r := range s.p.Roles {
		if sides := p.Held(s.p, []string{r.Key}); len(sides) > 1 {
			s.Fail(
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

// Held are the labels of the sides of which these roles, by key, hold a duty.
func (p SodPolicy) Held(pack Pack, roles []string) []string {
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

// meets says whether the lists share a text.
func meets(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// references checks the roles that objects refer to.
func (s *semantics) references(at string, objects []RoleScoped) {
	for i, o := range objects {
		s.named(o.Roles, s.roles, diagnostic.Under(diagnostic.Under(at, i), "roles"), "role", "roles")
		s.named(
			o.Scope.Roles,
			s.roles,
			diagnostic.Under(diagnostic.Under(diagnostic.Under(at, i), "scope"), "roles"),
			"role",
			"roles",
		)
	}
}

// longestAnswer is how long the people of one step may have to answer.
const longestAnswer = 60 * span.Day

// approvalRules checks what rules name, and that there is one default at most.
func (s *semantics) approvalRules() {
	first := ""
	for i, r := range s.p.ApprovalRules {
		at := diagnostic.Under("/approvalRules", i)
		s.named(r.Roles, s.roles, diagnostic.Under(at, "roles"), "role", "roles")
		if d, err := span.Parse(r.RespondWithin); err == nil && (d == 0 || d > longestAnswer) {
			s.Fail(
				"wrong_value",
				diagnostic.Under(at, "respondWithin"),
				"write a duration of up to "+span.Format(longestAnswer),
				"%s leaves no time to answer, or too much",
				r.RespondWithin,
			)
		}
		switch {
		case len(r.Roles) > 0:
		case first != "":
			s.Fail(
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

// isNothing reports whether a duration is zero.
func isNothing(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= '1' && r <= '9' }) < 0
}
