package schemadiff

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// SchemaDecisions are decisions about some fields of a diff, or all that are left.
type SchemaDecisions struct {
	// Decisions about single fields of the schema diff.
	Decisions []NewSchemaDecision `json:"decisions,omitempty" maxItems:"2000" nullable:"false"`
	// Accept all that is undecided.
	AcceptAll bool `json:"accept_all,omitempty"`
	// Leave all that is undecided as it was, and close the diff.
	Dismiss bool `json:"dismiss,omitempty"`
}

// NewSchemaDecision is a decision about one field.
type NewSchemaDecision struct {
	// Kind of record that the field belongs to.
	Object string `json:"object" maxLength:"40"`
	// Name of the source field.
	Path string `json:"path" maxLength:"10000"`
	// Whether to follow the proposal (accept), use the given mapping (override), or not use the field (ignore).
	Decision string `json:"decision" enum:"accept,override,ignore"`
	// Required with override, and only allowed with it.
	Mapping *OverrideMapping `json:"mapping,omitempty"`
}

// OverrideMapping is what is to be done with the field.
type OverrideMapping struct {
	// Whether the field fills target_field (map) or is not used (ignore).
	Action string `json:"action,omitempty" enum:"map,ignore" default:"map"`
	// Field of the object, or attributes.<name>, that the source field fills.
	Target string `json:"target_field,omitempty" maxLength:"100"`
	// A Python expression of value and record; without it, the value is used as it is.
	Transform string `json:"transform,omitempty" maxLength:"4096"`
}

const (
	decisionAccept   = "accept"
	decisionOverride = "override"
	decisionIgnore   = "ignore"
)

// StateAfter is the state of a diff of which as many fields still wait for a decision.
func StateAfter(d SchemaDiff, dismissed bool, waiting int) string {
	switch {
	case waiting == 0:
		return stateAccepted
	case len(d.Decisions) > 0:
		return statePartially
	case dismissed:
		return stateDismissed
	}
	return stateOpen
}

// About gives the decisions one by one. Its fault lists those that cannot be taken.
func (a SchemaDecisions) About(d SchemaDiff) ([]NewSchemaDecision, error) {
	ways := 0
	for _, way := range []bool{len(a.Decisions) > 0, a.AcceptAll, a.Dismiss} {
		if way {
			ways++
		}
	}
	if ways != 1 {
		return nil, fault.New(fault.Invalid, "give one of decisions, accept_all and dismiss").
			With(fault.Field{Pointer: "#/decisions", Code: "required", Detail: "decide about fields one by one, or " +
				"accept all, or dismiss the diff"})
	}
	waiting := d.Waiting()
	if a.AcceptAll {
		for _, k := range waiting {
			a.Decisions = append(a.Decisions, NewSchemaDecision{Object: k[0], Path: k[1], Decision: decisionAccept})
		}
	}
	return a.Decisions, wrongOf(a.Decisions, d.Fields(), waiting)
}

func wrongOf(decisions []NewSchemaDecision, all, waiting []FieldKey) error {
	var wrong []fault.Field
	seen := map[FieldKey]bool{}
	for i, n := range decisions {
		k := FieldKey{n.Object, n.Path}
		say := func(member, code, detail string) {
			wrong = append(
				wrong,
				fault.Field{Pointer: fmt.Sprintf("#/decisions/%d/%s", i, member), Code: code, Detail: detail},
			)
		}
		switch {
		case !slices.Contains(all, k):
			say("path", "unknown_field", "the diff does not contain this field")
		case !slices.Contains(waiting, k):
			say("path", "already_decided", "this field is decided; change its mapping at /mappings")
		case seen[k]:
			say("path", "duplicate", "there is another decision about this field")
		case n.Decision == decisionOverride && n.Mapping == nil:
			say("mapping", "required", "set what happens to the field instead")
		case n.Decision != decisionOverride && n.Mapping != nil:
			say("mapping", "not_allowed", "it is only allowed with override")
		}
		seen[k] = true
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%d of the decisions are invalid. See errors.", len(wrong)).With(wrong...)
}

// Rule is the mapping of an override, nil of other decisions.
func (n NewSchemaDecision) Rule() *mapping.Mapping {
	if n.Mapping == nil {
		return nil
	}
	m := mapping.Normalise([]mapping.Mapping{{
		Object: n.Object, Source: n.Path, Action: n.Mapping.Action, Target: mapping.Field(n.Mapping.Target),
		Transform: n.Mapping.Transform,
		Heuristic: mapping.Manual, Confidence: 1, Overridden: true,
	}})[0]
	return &m
}

// Apply gives the rules as decisions change them.
func Apply(rules []mapping.Mapping, d SchemaDiff, decisions []NewSchemaDecision) []mapping.Mapping {
	rules = slices.Clone(rules)
	for _, n := range decisions {
		k := FieldKey{n.Object, n.Path}
		at := indexOf(rules, k)
		next := d.outcome(k, n)
		switch {
		case next == nil && at >= 0 && n.Decision == decisionAccept && d.removes(k):
			rules = slices.Delete(rules, at, at+1)
		case next == nil:
		case at >= 0:
			rules[at] = *next
		default:
			rules = append(rules, *next)
		}
	}
	return rules
}

// outcome is the rule that a decision gives a field, nil where it gives none.
func (d SchemaDiff) outcome(k FieldKey, n NewSchemaDecision) *mapping.Mapping {
	switch {
	case n.Decision == decisionOverride:
		return n.Rule()
	case mapping.FieldsOf(k[0]) == nil: // what is not mapped
		return nil
	case n.Decision == decisionIgnore:
		return &mapping.Mapping{
			Object:     k[0],
			Source:     k[1],
			Action:     mapping.ActionIgnore,
			Heuristic:  mapping.Manual,
			Confidence: 1,
			Overridden: true,
		}
	}
	for _, f := range d.Added {
		if k == (FieldKey{f.Object, f.Path}) {
			return f.Proposal
		}
	}
	return nil
}

func (d SchemaDiff) removes(k FieldKey) bool {
	return slices.ContainsFunc(d.Removed, func(f RemovedField) bool { return k == FieldKey{f.Object, f.Path} })
}
