package condition

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// ruleForm and groupForm have the order of members that is stored.
type ruleForm struct {
	// Field of the person. Empty for an operator that needs none.
	Field string `json:"field,omitempty"`
	// Operator that compares the field with the value.
	Op string `json:"op"`
	// Value to compare with; its type depends on the field and the operator.
	Value any `json:"value"`
}

type groupForm struct {
	// How the rules combine: all, any or none.
	Match string `json:"match"`
	// Rules and groups, in the order in which they were given.
	Rules []any `json:"rules"`
}

type scriptForm struct {
	// Expression in place of rules.
	Expression string `json:"expression"`
}

// normal is the group in the form that is stored.
func (g *group) normal() any {
	out := groupForm{Match: g.match, Rules: []any{}}
	for _, n := range g.of {
		out.Rules = append(out.Rules, n.normal())
	}
	return out
}

// normal is the expression in the form that is stored.
func (s *script) normal() any { return scriptForm{s.source} }

// normal is the rule in the form that is stored.
func (r *rule) normal() any {
	out := ruleForm{Op: r.op, Value: r.stored()}
	if r.field != nil {
		out.Field = r.field.FullName()
	}
	return out
}

// stored is the rule's value in the form that is stored: a list for operators that take several,
// except that a list of one of in_tree, has_role and has_entitlement is a single value.
func (r *rule) stored() any {
	switch r.op {
	case field.Exists:
		return r.want
	case field.Gt, field.Lt:
		return r.number
	case field.Before, field.After:
		return r.moment.String()
	case field.In, field.NotIn, field.InTree, field.HasRole, field.HasEntitlement:
		if values := r.values(); len(values) != 1 || r.op == field.In || r.op == field.NotIn {
			return values
		}
		return r.texts[0]
	}
	switch {
	case r.field.Kind == field.Date:
		return r.moment.String()
	case r.field.Kind == field.Flag:
		return r.want
	}
	return r.values()[0]
}

// values are all that it compares with: texts, then numbers, then true and false.
func (r *rule) values() []any {
	out := make([]any, 0, len(r.texts)+len(r.numbers)+len(r.flags))
	for _, t := range r.texts {
		out = append(out, t)
	}
	for _, n := range r.numbers {
		out = append(out, n)
	}
	for _, b := range r.flags {
		out = append(out, b)
	}
	return out
}

// simplify brings a tree into the one form of all that mean the same in the same order: values sorted and once each,
// one value instead of a list of one, groups joined with those around them that match alike, rules once.
func simplify(n node) node {
	switch x := n.(type) {
	case *rule:
		return x.simplified()
	case *group:
		return x.simplified()
	}
	return n
}

// simplified is an equivalent rule with sorted values, each once. in with one value becomes eq,
// not_in becomes ne. Equal rules then have equal texts.
func (r *rule) simplified() node {
	s := *r
	s.texts, s.numbers = sortedOnce(r.texts), sortedOnce(r.numbers)
	s.flags = nil
	for _, b := range []bool{false, true} {
		if containsOf(r.flags, b) {
			s.flags = append(s.flags, b)
		}
	}
	if len(s.texts)+len(s.numbers)+len(s.flags) == 1 {
		switch s.op {
		case field.In:
			s.op = field.Eq
		case field.NotIn:
			s.op = field.Ne
		}
	}
	s.prepare()
	return &s
}

// sortedOnce is the sorted list without repetitions.
func sortedOnce[T string | float64](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// simplified is an equivalent group: a nested group that combines in the same way is dissolved,
// repeated rules are dropped, and a group of one rule is that rule.
func (g *group) simplified() node {
	out := &group{match: g.match}
	seen := map[string]bool{}
	add := func(n node) {
		text, err := json.Marshal(n.normal())
		if err == nil && seen[string(text)] {
			return
		}
		seen[string(text)] = true
		out.of = append(out.of, n)
	}
	for _, n := range g.of {
		n = simplify(n)
		inner, nested := n.(*group)
		switch {
		case nested && (inner.match == g.match && g.match != field.MatchNone ||
			inner.match == field.MatchAny && g.match == field.MatchNone):
			for _, each := range inner.of {
				add(each)
			}
		default:
			add(n)
		}
	}
	if len(out.of) != 1 || out.match == field.MatchNone {
		return out
	}
	// A group of one is what it holds. The outermost one stays a group: finish sees to that.
	return out.of[0]
}

// place gives every rule its position in the normal form.
func place(n node, at string) {
	switch x := n.(type) {
	case *rule:
		x.at = at
	case *script:
		x.at = at
	case *group:
		for i, each := range x.of {
			place(each, at+"/rules/"+strconv.Itoa(i))
		}
	}
}
