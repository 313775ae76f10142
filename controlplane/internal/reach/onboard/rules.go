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
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard/schemadiff"
)

// applyRules writes what decisions make of the rules, where they change any. Its fault points at the decisions.
func (s *Service) applyRules(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	base fieldmap.SchemaSnapshot,
	d schemadiff.SchemaDiff,
	decisions []schemadiff.NewSchemaDecision,
) error {
	if len(decisions) == 0 {
		return nil
	}
	before, version, err := s.inUse(ctx, tx, c, base)
	if err != nil {
		return err
	}
	rules := schemadiff.Apply(before, d, decisions)
	if version > 0 && slices.Equal(before, rules) {
		return nil
	}
	if err := s.checked(rules, decisions); err != nil {
		return err
	}
	_, _, err = s.Fields.Replace(ctx, tx, c, rules, "fields of the target changed")
	return err
}

// checked is a fault with all that is wrong with the rules, at the decisions they come of.
func (s *Service) checked(rules []mapping.Mapping, decisions []schemadiff.NewSchemaDecision) error {
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
