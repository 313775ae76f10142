package format

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

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
	} else if everybody(p.Subject) && p.Table == nil && (p.Effect != "require" || len(p.Grant) == 0) {
		s.Warn(
			"everybody",
			diagnostic.Under(at, "subject"),
			"add a rule, if not everybody is meant",
			"the condition has no rule: %s is for everybody",
			p.Key,
		)
	}
	s.grants(p.Grant, diagnostic.Under(at, "grant"))
	s.grants(p.Require, diagnostic.Under(at, "require"))
	s.access(p, at)
	s.table(p, at)
	s.terms(p, at)
	if p.Lifecycle.OnNoMatch == "review" && !p.Gives() {
		s.Fail(
			"wrong_value",
			diagnostic.Under(diagnostic.Under(at, "lifecycle"), "onNoMatch"),
			"leave it out",
			"only access of a policy that assigns is reviewed",
		)
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

// grants checks the roles and entitlements in a list of a policy.
func (s *semantics) grants(all []PolicyGrant, at string) {
	for i, g := range all {
		place := diagnostic.Under(at, i)
		if g.Role != "" {
			s.named([]string{g.Role}, s.roles, diagnostic.Under(place, "role"), "role", "roles")
		}
		if g.Select != nil {
			s.selector(*g.Select, diagnostic.Under(place, "select"))
		}
	}
}

// access checks that a policy says in one way, and in a way that its effect has, what it assigns or requires.
func (s *semantics) access(p Policy, at string) {
	requires := p.Effect == "require"
	wrong := func(member, mend, why string) {
		s.Fail("wrong_members", diagnostic.Under(at, member), mend, "%s", why)
	}
	if len(p.Require) > 0 && !requires {
		wrong("require", "write effect: require", "only a policy with the effect require says what people must have")
	}
	if requires && len(p.Require) == 0 && p.Constraints.NeedsTraining == "" && !p.Constraints.NeedsManager {
		wrong("require", "add require, or constraints with needsTraining or needsManager", "it requires nothing")
	}
	for i, g := range p.Require {
		if g.Account != nil || g.Tag != "" {
			s.Fail(
				"wrong_members",
				diagnostic.Under(diagnostic.Under(at, "require"), i),
				"require a role or entitlements by select",
				"an account alone, or whatever has a tag, cannot be required",
			)
		}
	}
	switch {
	case p.Table != nil && len(p.Grant) > 0:
		wrong("grant", "move it into rows of the table", "a policy with a decision table assigns what its rows name")
	case p.Table != nil && !p.Gives():
		wrong("effect", "leave it out", "a decision table assigns")
	case p.Table == nil && len(p.Grant) == 0 && !requires:
		s.Fail("missing", at, "add grant or table", "the policy is about no access")
	}
}

// table checks a decision table as the service does.
func (s *semantics) table(p Policy, at string) {
	if p.Table == nil {
		return
	}
	at = diagnostic.Under(at, "table")
	for i, r := range p.Table.Rows {
		place := diagnostic.Under(diagnostic.Under(diagnostic.Under(at, "rows"), i), "grant")
		s.grants(r.Grant, place)
		for j, g := range r.Grant {
			if g.Account != nil || g.Tag != "" {
				s.Fail(
					"wrong_members",
					diagnostic.Under(place, j),
					"add a role, or entitlements by select",
					"a row of a decision table cannot assign an account alone, or whatever has a tag",
				)
			}
		}
	}
	_, wrong := p.Decisions(named)
	for _, w := range wrong {
		pointer := strings.Replace(camel(w.Pointer), "/roleIds", "/grant", 1)
		s.Fail(w.Code, at+pointer, w.Detail, "the decision table cannot be used")
	}
}

// terms checks constraints and schedule of a policy as the service does.
func (s *semantics) terms(p Policy, at string) {
	required := p.Required()
	for _, wrong := range required.Complete(p.Effect == "eligible", p.Effect != "deny") {
		s.Fail(wrong.Code, diagnostic.Under(at, "constraints")+camel(wrong.Pointer), wrong.Detail,
			"the constraint does not fit")
	}
	times := p.Times()
	for _, wrong := range times.Complete() {
		s.Fail(wrong.Code, diagnostic.Under(at, "schedule")+wrong.Pointer, wrong.Detail, "the schedule does not fit")
	}
}

// camel writes names such as max_duration as the file format does.
func camel(pointer string) string {
	parts := strings.Split(pointer, "_")
	for i, part := range parts[1:] {
		parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
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

// mitigation checks the durations of a mitigating control by the limits of the service.
func (s *semantics) mitigation(m Mitigation, at string) {
	evidence := diagnostic.Under(at, "evidence")
	for _, d := range []struct {
		text, pointer  string
		least, longest time.Duration
	}{
		{m.MaxDuration, diagnostic.Under(at, "maxDuration"), span.Day, 730 * span.Day},
		{m.Evidence.Cadence, diagnostic.Under(evidence, "cadence"), span.Day, 365 * span.Day},
		{m.Evidence.Grace, diagnostic.Under(evidence, "grace"), 0, 90 * span.Day},
	} {
		if got, err := span.Parse(d.text); err == nil && (got < d.least || got > d.longest) {
			s.Fail(
				"wrong_value",
				d.pointer,
				"write a duration from "+span.Format(d.least)+" to "+span.Format(d.longest),
				"%s is outside the limits",
				d.text,
			)
		}
	}
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
