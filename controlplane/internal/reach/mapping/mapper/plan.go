package mapper

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// plan is what a person has decided about one kind of record. It takes the place of the heuristics.
type plan struct {
	steps []step
	// suppressed are fields that the connector itself would fill and that are not to be filled so: their source is
	// ignored, or something else fills them.
	suppressed map[mapping.Field]bool
}

// step is one mapping, prepared: from where, to where, and through which expression.
type step struct {
	source string
	target mapping.Field
	custom string // the custom attribute's name, instead of a field
	eval   mapping.Expression
	decode func(any) any // of a vendor's numbers; nil: the value as it is
	// the heuristics would do the same: the connector may know better what kind of thing the value is
	usual bool
}

// With makes a mapper of rules that Check has found right. Records of a kind that has no rules are mapped by the
// heuristics.
func With(rules []mapping.Mapping, compile mapping.Compiler) (*Mapper, error) {
	m := New()
	for _, r := range rules {
		p := m.plans[r.Object]
		if p == nil {
			p = &plan{suppressed: map[mapping.Field]bool{}}
			m.plans[r.Object] = p
		}
		if r.Action != mapping.ActionMap {
			if natural, _, ok := mapping.Match(r.Object, r.Source); ok {
				p.suppressed[natural] = true
			}
			continue
		}
		s := step{source: r.Source, target: r.Target}
		s.custom, _ = r.Target.CustomField()
		if r.Transform != "" {
			var err error
			if s.eval, err = compile(r.Transform); err != nil {
				return nil, fmt.Errorf("the transform of %s: %w", mapping.Quoted(r.Source), err)
			}
		}
		natural, _, _ := mapping.Match(r.Object, r.Source)
		s.usual = s.eval == nil && natural == s.target
		if s.usual && s.target == mapping.Kind && mapping.Fold(s.source) == "grouptype" {
			s.decode = groupType
		}
		p.steps = append(p.steps, s)
	}
	for _, p := range m.plans {
		p.keepFilled()
	}
	return m, nil
}

// keepFilled lets what the connector names stand under a field that is filled all the same: a record whose source field
// is empty keeps it then, as with the heuristics, unless the field was transformed.
func (p *plan) keepFilled() {
	for _, s := range p.steps {
		if s.eval == nil {
			delete(p.suppressed, s.target)
		} else {
			p.suppressed[s.target] = true
		}
	}
}

// value is what a step makes of a record. The problem it may have is one that sets the record aside: what a failed
// expression was to fill would otherwise look as if the source had emptied it.
func (s step) value(record *mapping.Record) (any, *Problem) {
	v := record.Fields[s.source]
	if s.eval == nil {
		if s.decode != nil {
			v = s.decode(v)
		}
		return v, nil
	}
	out, err := s.eval.Eval(v, record)
	if err != nil {
		return nil, &Problem{
			Field:   s.source,
			Code:    "transform_failed",
			Message: "the transform failed: " + kindOf(err),
			Whole:   true,
			Detail:  err.Error(),
		}
	}
	return out, nil
}

// kindOf is what may be shown of an error without values.
func kindOf(err error) string {
	if k, ok := err.(interface{ Kind() string }); ok {
		return k.Kind()
	}
	return "it gave no value"
}

// apply runs the plan's steps over a record's attributes. A custom attribute without a value is filled with nil, so
// that it is known to be empty; a field of ours is left alone.
func (p *plan) apply(record map[string]any, fill func(step, any) *Problem) (problems []Problem) {
	whole := &mapping.Record{Fields: record}
	for _, s := range p.steps {
		v, problem := s.value(whole)
		if problem == nil && (s.custom != "" || !empty(v)) {
			problem = fill(s, v)
		}
		if problem != nil {
			problem.Field = s.source
			problems = append(problems, *problem)
		}
	}
	return problems
}

// maxCustom bounds a list in a custom attribute.
const maxCustom = 100

// putCustom keeps a value of a custom attribute: a text, a number, a boolean, or a list of those; nil where there is
// none.
func putCustom(custom *map[string]any, name string, v any) *Problem {
	if empty(v) {
		v = nil
	} else if list, ok := v.([]any); ok {
		if len(list) > maxCustom {
			return &Problem{
				Code:    "too_many_values",
				Message: fmt.Sprintf("%s holds %d values at most", name, maxCustom),
			}
		}
		for _, one := range list {
			if _, ok := scalar(one); !ok || isList(one) {
				return &Problem{
					Code:    "not_a_plain_value",
					Message: name + " needs a text, a number, true or false, or a list of those",
				}
			}
		}
	} else if _, ok := scalar(v); !ok {
		return &Problem{
			Code:    "not_a_plain_value",
			Message: name + " needs a text, a number, true or false, or a list of those",
		}
	}
	if *custom == nil {
		*custom = map[string]any{}
	}
	(*custom)[name] = v
	return nil
}

// isList says whether a value is a JSON array.
func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
