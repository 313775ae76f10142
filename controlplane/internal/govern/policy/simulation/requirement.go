package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// planRequirement is who would lack what if a policy with the effect require and these fields were enforced. It needs
// no confirmation, because no one gains or loses access.
func (s *Service) planRequirement(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	f accesspolicy.Fields,
	each func(impact.PersonImpact) error,
) (*simulation, error) {
	b, err := evaluation.Make(ctx, tx, []accesspolicy.AccessPolicy{{ID: id, Fields: f}}, nil, s.Now())
	if err != nil {
		return nil, err
	}
	sim := newSimulation(each)
	if err := evaluation.EachBatch(ctx, tx, func(ids []string) error {
		return sim.requirement(ctx, tx, b, ids)
	}); err != nil {
		return nil, err
	}
	sim.finish()
	return sim, nil
}

// requirement goes through some people, and writes nothing.
func (s *simulation) requirement(ctx context.Context, tx *pg.Tx, b *evaluation.Rulebook, ids []string) error {
	var found []impact.PersonImpact
	err := b.EachPerson(ctx, tx, ids, func(p *evaluation.Person) error {
		if p.Gone() {
			return nil
		}
		s.PeopleTotal++
		for _, missing := range b.Diff(p, nil).Lacks {
			s.Matched++
			if len(missing) > 0 {
				found = append(found, lacking(p, missing))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b impact.PersonImpact) int { return cmp.Compare(a.IdentityID, b.IdentityID) })
	for _, one := range found {
		s.PeopleLacking++
		for _, m := range one.Missing {
			fmt.Fprintf(s.sum, "%s lacks %s %s\n", one.IdentityID, m.Type, cmp.Or(orEmpty(m.ID), m.Display))
		}
		if err := s.show(one); err != nil {
			return err
		}
	}
	return nil
}

// lacking is a person with what they lack.
func lacking(p *evaluation.Person, missing []constraint.MissingItem) impact.PersonImpact {
	return impact.PersonImpact{
		IdentityID: p.ID,
		Display:    p.Text("display_name"),
		Department: p.Text("department"),
		Gains:      []impact.GrantShift{},
		Losses:     []impact.GrantShift{},
		Missing:    missing,
	}
}
