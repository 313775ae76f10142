package delegate

import (
	"encoding/json"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
)

// Scope limits the tasks of a delegation. A limit that is empty allows every task; the zero Scope covers all tasks.
type Scope struct {
	Kinds   []string // kinds of task
	Systems []string // IDs of connectors, which all systems of a task must be among
	Risks   []string // risk levels
	// Condition that the person of the task must meet, as JSON. Empty: none.
	Condition json.RawMessage

	parsed condition.Condition
}

// Task is a decision task as scopes see it.
type Task struct {
	Kind    string
	Systems []string   // IDs of the connectors that it concerns
	Risk    string     // empty: it has no risk level
	Person  fact.Facts // the person whom it concerns; nil: no one, or several people
}

// Covers reports whether a delegation with this scope passes a task on. A task that a limit says nothing about is not
// covered: it stays with the delegator.
func (s Scope) Covers(t Task) bool {
	if len(s.Kinds) > 0 && !slices.Contains(s.Kinds, t.Kind) {
		return false
	}
	if len(s.Risks) > 0 && !slices.Contains(s.Risks, t.Risk) {
		return false
	}
	outside := func(system string) bool { return !slices.Contains(s.Systems, system) }
	if len(s.Systems) > 0 && (len(t.Systems) == 0 || slices.ContainsFunc(t.Systems, outside)) {
		return false
	}
	if !s.conditional() {
		return true
	}
	if t.Person == nil {
		return false
	}
	met, _ := s.parsed.Match(t.Person)
	return met
}

// conditional reports whether the scope has a condition.
func (s Scope) conditional() bool { return len(s.Condition) > 0 && string(s.Condition) != "null" }

// Limited reports whether the scope asks for more than the kind of task.
func (s Scope) Limited() bool { return len(s.Systems)+len(s.Risks) > 0 || s.conditional() }

// parse reads the condition. One that cannot be read is met by no one, so that its tasks stay with the delegator.
func (s *Scope) parse() {
	if s.conditional() {
		s.parsed, _ = condition.Parse(s.Condition)
	}
}

// Common returns the scope of the tasks that two scopes cover, and whether there can be any. A condition never
// excludes: two conditions may be met by the same person. The result has no condition.
func (s Scope) Common(o Scope) (both Scope, any bool) {
	var kinds, systems, risks bool
	both.Kinds, kinds = common(s.Kinds, o.Kinds)
	both.Systems, systems = common(s.Systems, o.Systems)
	both.Risks, risks = common(s.Risks, o.Risks)
	return both, kinds && systems && risks
}

// common is what two limits allow together; empty lists allow everything. some: they allow anything at all.
func common(a, b []string) (both []string, some bool) {
	switch {
	case len(a) == 0:
		return b, true
	case len(b) == 0:
		return a, true
	}
	both = slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
	return both, len(both) > 0
}
