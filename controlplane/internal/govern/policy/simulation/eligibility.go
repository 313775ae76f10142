package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/eligibility"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// requestable is a role, an entitlement or a system with the rules that let people request it, before and after a plan.
type requestable struct {
	id            string
	before, after []*evaluation.Rule
}

// planEligibility is what an eligible policy with these fields would change if it were enforced: who could request what
// they cannot request today, and the other way round. Schedules are left out: a plan is about the times when a policy
// applies.
func (s *Service) planEligibility(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	f accesspolicy.Fields,
	each func(impact.PersonImpact) error,
) (*simulation, error) {
	policies, err := accesspolicy.AllEligible(ctx, tx)
	if err != nil {
		return nil, err
	}
	for i := range policies {
		policies[i].Fields = atAllTimes(policies[i].Fields)
	}
	planned := accesspolicy.AccessPolicy{ID: uuid.Must(uuid.NewV7()).String(), Fields: f}
	b, err := evaluation.Make(ctx, tx, append(policies, planned), nil, s.Now())
	if err != nil {
		return nil, err
	}
	resources, err := moved(ctx, tx, b, id, planned.ID)
	if err != nil {
		return nil, err
	}
	sim := newSimulation(each)
	if err := sim.eligibility(ctx, tx, b, resources, b.ByID[planned.ID]); err != nil {
		return nil, err
	}
	sim.finish()
	sim.limits(f)
	return sim, nil
}

// moved are the resources that the policy names today or is to name. Policies of a system count for its entitlements.
func moved(
	ctx context.Context,
	tx *pg.Tx,
	b *evaluation.Rulebook,
	stored, planned string,
) ([]requestable, error) {
	at := map[string]*requestable{}
	var entitlements []string
	for _, id := range []string{stored, planned} {
		if r := b.ByID[id]; r != nil {
			for _, resource := range eligibility.Resources(r.Policy.Resources) {
				at[resource] = &requestable{id: resource}
			}
			entitlements = append(entitlements, r.Policy.Resources.EntitlementIDs...)
		}
	}
	systems, err := evaluation.SystemsOf(ctx, tx, accesspolicy.Distinct(entitlements))
	if err != nil {
		return nil, err
	}
	for _, r := range b.Rules {
		names := eligibility.Resources(r.Policy.Resources)
		for resource, of := range at {
			if !slices.Contains(names, resource) && !slices.Contains(names, systems[resource]) {
				continue
			}
			if r.Policy.ID != planned {
				of.before = append(of.before, r)
			}
			if r.Policy.ID != stored {
				of.after = append(of.after, r)
			}
		}
	}
	list := make([]requestable, 0, len(at))
	for _, of := range at {
		list = append(list, *of)
	}
	slices.SortFunc(list, func(a, b requestable) int { return cmp.Compare(a.id, b.id) })
	return list, nil
}

// eligibility goes through everybody, and writes nothing.
func (s *simulation) eligibility(
	ctx context.Context,
	tx *pg.Tx,
	b *evaluation.Rulebook,
	resources []requestable,
	planned *evaluation.Rule,
) error {
	return evaluation.EachBatch(ctx, tx, func(ids []string) error {
		var found []impact.PersonImpact
		err := b.EachPerson(ctx, tx, ids, func(p *evaluation.Person) error {
			if p.Gone() {
				return nil
			}
			s.PeopleTotal++
			may := map[*evaluation.Rule]bool{}
			for _, r := range b.Rules {
				about, unmet := r.Standing(p, b)
				may[r] = about && len(unmet) == 0
			}
			if may[planned] {
				s.Matched++
			}
			if one, moves := shifted(p, resources, may); moves {
				found = append(found, one)
			}
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(found, func(a, b impact.PersonImpact) int { return cmp.Compare(a.IdentityID, b.IdentityID) })
		for _, one := range found {
			if err := s.showEligibility(one); err != nil {
				return err
			}
		}
		return nil
	})
}

// shifted is what a person can request after a plan and not before, and the other way round.
func shifted(
	p *evaluation.Person,
	resources []requestable,
	may map[*evaluation.Rule]bool,
) (one impact.PersonImpact, moves bool) {
	open := func(rules []*evaluation.Rule) bool {
		return len(rules) == 0 || slices.ContainsFunc(rules, func(r *evaluation.Rule) bool { return may[r] })
	}
	one = impact.PersonImpact{
		IdentityID: p.ID,
		Display:    p.Text("display_name"),
		Department: p.Text("department"),
		Gains:      []impact.GrantShift{},
		Losses:     []impact.GrantShift{},
	}
	for _, of := range resources {
		switch before, after := open(of.before), open(of.after); {
		case after && !before:
			one.EligibilityGained = append(one.EligibilityGained, of.id)
		case before && !after:
			one.EligibilityLost = append(one.EligibilityLost, of.id)
		}
	}
	return one, len(one.EligibilityGained)+len(one.EligibilityLost) > 0
}

// showEligibility counts a person, adds their changes to the hash, and gives the person on.
func (s *simulation) showEligibility(one impact.PersonImpact) error {
	if len(one.EligibilityGained) > 0 {
		s.EligibilityGained++
	}
	if len(one.EligibilityLost) > 0 {
		s.EligibilityLost++
	}
	fmt.Fprintf(s.sum, "%s %v %v\n", one.IdentityID, one.EligibilityGained, one.EligibilityLost)
	return s.show(one)
}
