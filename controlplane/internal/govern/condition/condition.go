package condition

import (
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// Limits of a condition.
const (
	MaxSize   = 64 << 10 // bytes of JSON
	maxDepth  = 8        // groups in groups
	maxRules  = 200      // all together
	maxValues = 1000     // of one rule
	maxText   = 512      // characters of one value
)

// Condition says to whom a rule applies. The zero Condition applies to no one.
type Condition struct {
	root node
	// needs are the memberships that the rules ask for, so that callers can load them for many
	// people at once.
	needs fact.Needs
}

// Problem is something that a condition cannot be saved with.
type Problem struct {
	// Where in the condition, as a JSON pointer.
	Pointer string `json:"pointer" example:"#/rules/0/field"`
	// Stable code of the problem.
	Code string `json:"code" example:"unknown_field"`
	// Explanation of the problem.
	Detail string `json:"detail"`
	// What was perhaps meant.
	Suggestions []string `json:"suggestions" nullable:"false"`
}

// Warning reports a rule that could not be answered and so counted as false.
type Warning struct {
	// Rule that the warning is about, as a JSON pointer into the condition.
	Pointer string `json:"pointer" example:"#/rules/0"`
	// Cause of the warning: unknown_attribute if the person has no such field, expression_failed if an expression
	// failed.
	Code string `json:"code" example:"unknown_attribute"`
	// Explanation of the warning.
	Detail string `json:"detail"`
}

// node is a group, a rule or an expression.
type node interface {
	met(f fact.Facts, warn *[]Warning) bool
	normal() any
	say(nested bool) string
}

// Parse reads a condition: a group {match, rules}, one rule {field, op, value}, or {expression}. Without problems it
// can be matched.
func Parse(raw json.RawMessage) (Condition, []Problem) {
	p := &parser{}
	root := p.whole(raw)
	if len(p.problems) > 0 {
		return Condition{}, p.problems
	}
	return finish(root), nil
}

// finish makes a condition of a tree: its normal form, with pointers into that.
func finish(root node) Condition {
	root = simplify(root)
	if _, alone := root.(*rule); alone {
		root = &group{match: field.MatchAll, of: []node{root}}
	}
	c := Condition{root: root}
	place(root, "#")
	collect(&c.needs, root)
	return c
}

// FieldNames are the fields that rules may ask for, beside attributes.x and labels.x.
func FieldNames() []string { return field.Names() }

// Everybody is the condition that all people meet.
func Everybody() Condition { return finish(&group{match: field.MatchAll}) }

// Match reports whether a person meets the condition, and which rules could not be answered.
func (c Condition) Match(f fact.Facts) (bool, []Warning) {
	if c.root == nil {
		return false, nil
	}
	var warnings []Warning
	return c.root.met(f, &warnings), warnings
}

// Sentence is the condition in plain words.
func (c Condition) Sentence() string {
	if c.root == nil {
		return "nobody"
	}
	return c.root.say(false)
}

// Needs are the facts that it asks for.
func (c Condition) Needs() fact.Needs { return c.needs }

// Fields are the full names of the fields that its rules compare, such as department or attributes.level, each once and
// in the order of the rules. scripted reports whether it has expressions, which read fields that nobody can list.
func (c Condition) Fields() (names []string, scripted bool) {
	var walk func(n node)
	walk = func(n node) {
		switch n := n.(type) {
		case *group:
			for _, each := range n.of {
				walk(each)
			}
		case *script:
			scripted = true
		case *rule:
			if n.field != nil {
				names = fact.AddMissing(names, []string{n.field.FullName()})
			}
		}
	}
	walk(c.root)
	return names, scripted
}

// MarshalJSON gives the normal form: two conditions of one form ask the same.
func (c Condition) MarshalJSON() ([]byte, error) {
	if c.root == nil {
		return []byte("null"), nil
	}
	return json.Marshal(c.root.normal())
}

// collect adds what a part of a condition needs. Expressions read fields only.
func collect(n *fact.Needs, x node) {
	switch x := x.(type) {
	case *group:
		for _, each := range x.of {
			collect(n, each)
		}
	case *script:
		// An expression has no clock and reads fields alone.
	case *rule:
		switch x.op {
		case field.InTree:
			n.Managers = fact.AddMissing(n.Managers, x.texts)
		case field.HasRole:
			n.Roles = fact.AddMissing(n.Roles, x.texts)
		case field.HasEntitlement:
			n.Entitlements = fact.AddMissing(n.Entitlements, x.texts)
		}
		n.Clock = n.Clock || x.moment.Relative
	}
}
