package matching

import (
	"fmt"
	"regexp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// Problems are all that is wrong with settings.
type Problems []fault.Field

// Add notes one problem: where it is, its code, and its detail as a format with arguments.
func (p *Problems) Add(pointer, code, detail string, args ...any) {
	*p = append(*p, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(detail, args...)})
}

func (p Problems) fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The correlation rules are invalid. See errors.").With(p...)
}

var ruleID = regexp.MustCompile(`^[a-z0-9]([a-z0-9_]*[a-z0-9])?$`)

// Compile holds settings against the rules of writing them and makes them ready to use. Its fault is of kind Invalid
// and returns all that is wrong, with pointers into s. The settings it gives back are in their one way of writing.
func Compile(s Settings) (*Plan, error) {
	var wrong Problems
	p := &Plan{Settings: s}
	p.Rules = append([]CorrelationRule{}, s.Rules...)
	if s.Propose > s.AutoLink {
		wrong.Add("#/propose", "too_large", "it must not be above auto_link, which is %v", s.AutoLink)
	}
	if s.Propose <= 0 {
		wrong.Add(
			"#/propose",
			"too_small",
			"it must be above 0: an identity without a matching value is not a candidate",
		)
	}
	seen := map[string]bool{}
	for i := range p.Rules {
		r, at := &p.Rules[i], fmt.Sprintf("#/rules/%d", i)
		r.Conditions = append([]CorrelationCondition{}, r.Conditions...)
		checkRule(*r, at, seen, &wrong)
		compiled := rule{CorrelationRule: r}
		for k := range r.Conditions {
			compiled.conditions = append(
				compiled.conditions,
				p.condition(&r.Conditions[k], fmt.Sprintf("%s/conditions/%d", at, k), &wrong),
			)
		}
		p.rules = append(p.rules, compiled)
	}
	p.rulesDigest = p.digest()
	return p, wrong.fault()
}

func checkRule(r CorrelationRule, at string, seen map[string]bool, wrong *Problems) {
	switch {
	case !ruleID.MatchString(r.ID):
		wrong.Add(at+"/id", "invalid", "it has lower-case letters and digits, with _ between them")
	case r.ID == sameRecord:
		wrong.Add(
			at+"/id",
			"reserved",
			"same_record is what the source itself says, which is always asked; give the rule another id",
		)
	case r.ID == SourceOwner:
		wrong.Add(
			at+"/id",
			"reserved",
			"source_owner marks owners that the target system names; give the rule another id",
		)
	case seen[r.ID]:
		wrong.Add(at+"/id", "duplicate", "there is another rule %s; each needs an id of its own", r.ID)
	}
	seen[r.ID] = true
	switch {
	case r.Veto && r.Weight != 0:
		wrong.Add(at+"/weight", "not_allowed", "a veto has no weight: leave it out, or leave out veto")
	case !r.Veto && r.Weight <= 0:
		wrong.Add(at+"/weight", "required", "give a weight above 0, or make it a veto")
	}
	if len(r.Conditions) == 0 {
		wrong.Add(at+"/conditions", "required", "give at least one condition")
	}
}

// condition compiles one condition, and writes its match in the one way there is.
func (p *Plan) condition(c *CorrelationCondition, at string, wrong *Problems) condition {
	source, err := field.Parse(c.Source, field.AccountFields)
	if err != nil {
		wrong.Add(at+"/source", "unknown_field", "%s", err.Error())
	}
	of, err := field.Parse(c.Identity, field.IdentityFields)
	if err != nil {
		wrong.Add(at+"/identity", "unknown_field", "%s", err.Error())
	}
	m, err := match.Parse(c.Match)
	if err != nil {
		wrong.Add(at+"/match", "unknown_match", "%s", err.Error())
		return condition{}
	}
	c.Match = m.String()
	return condition{source: index(&p.account, source), identity: index(&p.person, of), match: m}
}

// index is where a field stands in a list, which it joins if need be.
func index(list *[]field.Field, f field.Field) int {
	for i := range *list {
		if (*list)[i].Name == f.Name {
			return i
		}
	}
	*list = append(*list, f)
	return len(*list) - 1
}
