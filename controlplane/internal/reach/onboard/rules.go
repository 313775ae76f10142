package onboard

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// rule is the mapping of an override, nil of other decisions.
func (n NewSchemaDecision) rule() *mapping.Mapping {
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

// applyRules writes what decisions make of the rules, where they change any. Its fault points at the decisions.
func (s *Service) applyRules(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	base fieldmap.SchemaSnapshot,
	d SchemaDiff,
	decisions []NewSchemaDecision,
) error {
	if len(decisions) == 0 {
		return nil
	}
	before, version, err := s.inUse(ctx, tx, c, base)
	if err != nil {
		return err
	}
	rules := decided(before, d, decisions)
	if version > 0 && slices.Equal(before, rules) {
		return nil
	}
	if err := s.checked(rules, decisions); err != nil {
		return err
	}
	_, _, err = s.Fields.Replace(ctx, tx, c, rules, "fields of the target changed")
	return err
}

// decided are the rules as decisions change them.
func decided(rules []mapping.Mapping, d SchemaDiff, decisions []NewSchemaDecision) []mapping.Mapping {
	rules = slices.Clone(rules)
	for _, n := range decisions {
		k := fieldKey{n.Object, n.Path}
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
func (d SchemaDiff) outcome(k fieldKey, n NewSchemaDecision) *mapping.Mapping {
	switch {
	case n.Decision == decisionOverride:
		return n.rule()
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
		if k == (fieldKey{f.Object, f.Path}) {
			return f.Proposal
		}
	}
	return nil
}

func (d SchemaDiff) removes(k fieldKey) bool {
	return slices.ContainsFunc(d.Removed, func(f RemovedField) bool { return k == fieldKey{f.Object, f.Path} })
}

// checked is a fault with all that is wrong with the rules, at the decisions they come of.
func (s *Service) checked(rules []mapping.Mapping, decisions []NewSchemaDecision) error {
	rules = mapping.Normalise(rules)
	wrong := mapping.Check(rules, s.Fields.Compile)
	if len(wrong) == 0 {
		return nil
	}
	f := fault.New(fault.Invalid, "The resulting mappings are invalid. See errors.")
	for _, w := range wrong {
		at, r := "#/decisions", mapping.Mapping{}
		if w.Index < len(rules) {
			r = rules[w.Index]
		}
		for i, n := range decisions {
			if n.Object != r.Object || n.Path != r.Source {
				continue
			}
			at = fmt.Sprintf("#/decisions/%d", i)
			if n.Mapping != nil && w.Member != "" {
				at += "/mapping/" + w.Member
			}
		}
		f = f.With(fault.Field{Pointer: at, Code: w.Code, Detail: w.Detail})
	}
	return f
}
