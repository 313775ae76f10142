package simulation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
)

// toReview is what a person keeps until a decision, in an order of its own.
func toReview(reviews map[*evaluation.Rule][]*evaluation.Reason) []impact.GrantShift {
	kept := map[held]bool{}
	for _, undecided := range reviews {
		for _, x := range undecided {
			kept[held{x.Key.Connector, x.Key.Entitlement}] = true
		}
	}
	var list []impact.GrantShift
	for h := range kept {
		g := impact.GrantShift{ConnectorID: h.connector}
		if h.entitlement != "" {
			g.EntitlementID = &h.entitlement
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b impact.GrantShift) int {
		return cmp.Or(
			cmp.Compare(a.ConnectorID, b.ConnectorID),
			cmp.Compare(orEmpty(a.EntitlementID), orEmpty(b.EntitlementID)),
		)
	})
	return list
}

// writeReviews adds what a person keeps until a decision to the hash.
func (s *simulation) writeReviews(id string, kept []impact.GrantShift) {
	for _, g := range kept {
		fmt.Fprintf(s.sum, "%s review %s %s\n", id, g.ConnectorID, orEmpty(g.EntitlementID))
	}
}
