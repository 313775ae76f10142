package resolution

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Ruled is a requestable item with the rule that applies to it.
type Ruled struct {
	Item resource.Item
	Rule *rule.Rule
}

// Absent are the approvers of an item who cannot decide. Fallback reports whether a group of the rule has no other
// approver, so that the fallback is asked.
type Absent struct {
	People   []approval.PlanAbsent
	Fallback bool
}

// knownBeforehand are the resolvers whose approvers do not depend on the person who gets the access.
var knownBeforehand = []string{
	approval.ByRoleOwner, approval.ByEntitlementOwner, approval.ByResourceOwner, approval.ByIdentity, approval.ByGroup,
	approval.ByOnCall,
}

// AbsentApprovers finds the approvers who cannot decide at an instant, for each item in the order of all. Approvers
// who depend on the request, such as managers, are left out; delegators count as able.
func AbsentApprovers(ctx context.Context, tx *pg.Tx, b *rule.Book, all []Ruled, at time.Time) ([]Absent, error) {
	var w organization.Wanted
	groups := make([][]approval.ApproverGroup, len(all))
	for i, r := range all {
		groups[i] = b.Groups(r.Rule)
		for _, g := range groups[i] {
			w.Note(g.Approvers)
		}
	}
	o := &resolver{}
	if err := o.Load(ctx, tx, nil, w, at); err != nil {
		return nil, err
	}
	var people []string
	for i, r := range all {
		for _, g := range groups[i] {
			for _, n := range o.nominated(r.Item, g) {
				people = append(append(people, n.ids...), n.reserve...)
			}
		}
	}
	if err := o.Meet(ctx, tx, people, at); err != nil {
		return nil, err
	}
	found := make([]Absent, len(all))
	for i, r := range all {
		for _, g := range groups[i] {
			found[i].add(o, g, o.nominated(r.Item, g))
		}
	}
	return found, nil
}

// nominated are the people whom the resolvers of a group name for an item, whoever gets the access.
func (o *resolver) nominated(it resource.Item, g approval.ApproverGroup) (all []nominees) {
	for _, r := range g.Approvers {
		if slices.Contains(knownBeforehand, r.Kind) {
			all = append(all, o.name(&Case{Item: it}, r))
		}
	}
	return all
}

// add adds the people of a group who cannot decide.
func (a *Absent) add(o *resolver, g approval.ApproverGroup, named []nominees) {
	able := len(named) < len(g.Approvers)
	missing := false
	for _, n := range named {
		for _, id := range slices.Concat(n.ids, n.reserve) {
			if o.WhyAbsent(id) == "" || o.Delegates[id] != "" && !o.Gone(id) && o.WhyAbsent(o.Delegates[id]) == "" {
				able = true
				continue
			}
			missing = true
			if slices.ContainsFunc(a.People, func(p approval.PlanAbsent) bool { return p.IdentityID == id }) {
				continue
			}
			a.People = append(a.People, approval.PlanAbsent{
				IdentityID: id,
				Display:    o.DisplayName(id),
				Because:    n.because,
				Code:       o.Unable(id),
				Reason:     o.WhyAbsent(id),
			})
		}
	}
	a.Fallback = a.Fallback || missing && !able
}
