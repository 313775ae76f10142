package check

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Found is a violation in the access of a person, as indices and IDs.
type Found struct {
	Person    *effective.Person
	Violation conflict.Violation
	// Cover is the mitigation of the violation, or the one that is proposed. Nil: none, or it was not asked for.
	Cover *Cover
	// Allowed is the exception that covers the violation. Nil: none, or it was not asked for.
	Allowed *Allowed
	// Excused says that the violation blocks no request: it is mitigated, an exception covers it, or the request
	// proposes a mitigation.
	Excused bool
}

// Describe puts violations into words, of any number of people by a few queries.
func Describe(ctx context.Context, tx *pg.Tx, b *rulebook.Book, found []Found) ([]SeparationConflict, error) {
	out := make([]SeparationConflict, len(found))
	if len(found) == 0 {
		return out, nil
	}
	var ids []string
	var sources []*effective.Source
	for _, f := range found {
		for _, side := range f.Violation.Sides {
			ids = append(ids, side.EntitlementIDs...)
			for _, s := range side.Sources {
				sources = append(sources, &f.Person.Sources[s])
				for _, id := range side.EntitlementIDs {
					ids = append(ids, f.Person.Path(s, id)...)
				}
			}
		}
	}
	slices.Sort(ids)
	names, err := effective.Entitlements(ctx, tx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	if err := effective.Name(ctx, tx, sources); err != nil {
		return nil, err
	}
	available, err := controls(ctx, tx, b, found)
	if err != nil {
		return nil, err
	}
	rules, err := exceptionRules(ctx, tx, b, found)
	if err != nil {
		return nil, err
	}
	for i, f := range found {
		out[i] = f.describe(b, names)
		policy := b.Policies[f.Violation.Policy.ID]
		if rule, there := rules[policy.ExceptionRuleID]; there {
			if policy.MaxMitigation != "" {
				rule.MaxDuration = &policy.MaxMitigation
			}
			out[i].ExceptionRule = &rule
		}
		for _, id := range b.Policies[f.Violation.Policy.ID].ControlIDs {
			if c, enabled := available[id]; enabled {
				out[i].Controls = append(out[i].Controls, c)
			}
		}
	}
	return out, nil
}

// describe puts one violation into words. Names of sources are filled.
func (f Found) describe(b *rulebook.Book, names map[string]effective.Entitlement) SeparationConflict {
	policy := b.Policies[f.Violation.Policy.ID]
	c := SeparationConflict{
		Policy: ConflictPolicy{
			ID:       policy.ID,
			Name:     policy.Name,
			Version:  policy.Version,
			Mode:     policy.Mode,
			Severity: policy.Severity,
			Kind:     policy.Kind,
		},
		Grade:       string(f.Violation.Grade),
		CuresProven: f.Violation.Proven,
		Effect:      f.effect(b),
		Controls:    []AvailableControl{},
		Remediation: policy.Remediation,
		sides:       Sides(f.Violation),
		wouldBlock:  policy.WouldBlock() && !f.Excused,
		Cures:       []ConflictCure{},
	}
	if f.Cover != nil {
		c.Mitigation = &ConflictMitigation{ID: f.Cover.ID, Control: f.Cover.Control, State: f.Cover.State,
			EndsAt: f.Cover.EndsAt}
	}
	if f.Allowed != nil {
		c.Exception = &ConflictException{ID: f.Allowed.ID, Number: f.Allowed.Number, EndsAt: f.Allowed.EndsAt}
	}
	for _, side := range f.Violation.Sides {
		c.Sides = append(c.Sides, f.side(b, side, names))
	}
	for _, cure := range f.Violation.Cures {
		remove := make([]AccessSource, len(cure))
		for i, s := range cure {
			remove[i] = sourceOf(f.Person.Sources[s])
		}
		c.Cures = append(c.Cures, ConflictCure{Remove: remove})
	}
	return c
}

// side puts one side into words: each entitlement with each source that gives it.
func (f Found) side(
	b *rulebook.Book,
	side conflict.Performed,
	names map[string]effective.Entitlement,
) ConflictSide {
	rule := f.Violation.Policy.Sides[side.Side]
	out := ConflictSide{Label: rule.Label, Duties: []string{}, DutyIDs: append([]string{}, rule.DutyIDs...),
		Access: []ConflictAccess{}, Past: side.Past}
	for _, id := range rule.DutyIDs {
		out.Duties = append(out.Duties, b.Duties[id])
	}
	for _, id := range side.EntitlementIDs {
		given := false
		for _, s := range side.Sources {
			if !slices.Contains(f.Person.Access.Sources[s].Gives, id) {
				continue
			}
			given = true
			source := f.Person.Sources[s]
			of := sourceOf(source)
			access := ConflictAccess{Entitlement: entitlementOf(id, names), Path: []ConflictEntitlement{},
				Source: &of, Pending: source.Pending, Since: source.Since}
			for _, step := range f.Person.Path(s, id) {
				access.Path = append(access.Path, entitlementOf(step, names))
			}
			out.Access = append(out.Access, access)
		}
		if !given {
			out.Access = append(out.Access,
				ConflictAccess{Entitlement: entitlementOf(id, names), Path: []ConflictEntitlement{}})
		}
	}
	return out
}

func entitlementOf(id string, names map[string]effective.Entitlement) ConflictEntitlement {
	e := names[id]
	return ConflictEntitlement{ID: id, Name: e.Name, ConnectorID: e.ConnectorID, ConnectorName: e.ConnectorName}
}

func sourceOf(s effective.Source) AccessSource {
	return AccessSource{Kind: s.Kind, ID: s.ID, Name: s.Name, RequestID: s.RequestID, RoleID: s.RoleID}
}
