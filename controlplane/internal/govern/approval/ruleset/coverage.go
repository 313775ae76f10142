package ruleset

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// CoverageFilters narrow what has no rule of its own.
type CoverageFilters struct {
	// Roles or entitlements.
	Type string `query:"type" enum:"role,entitlement"`
	// Several values, separated by commas.
	RiskLevel []string `query:"risk_level" enum:"low,medium,high,critical"`
}

// ApprovalGap is something that can be asked for and has no rule of its own.
type ApprovalGap struct {
	// Type of the requestable resource.
	Type string `json:"type" enum:"role,entitlement"`
	// ID of the role or entitlement.
	ID string `json:"id"`
	// Display name of the role or entitlement.
	Display string `json:"display"`
	// Risk level of the role or entitlement.
	RiskLevel string `json:"risk_level" enum:"low,medium,high,critical"`
	// How many owners it has.
	Owners int `json:"owners"`
	// What is for it all the same.
	Rule approval.RuleRef `json:"rule"`
}

// Coverage lists what can be asked for and has no rule of its own, in the order of ids, and how much of it there is.
func (s *Service) Coverage(
	ctx context.Context,
	v viewer.Viewer,
	f CoverageFilters,
	page pg.Page,
) (gaps []ApprovalGap, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		b, err := rule.LoadBook(ctx, tx)
		if err != nil {
			return err
		}
		things, err := resource.Requestable(ctx, tx)
		if err != nil {
			return err
		}
		all := []ApprovalGap{}
		for _, it := range things {
			if r, level, why, _ := b.Choose(it, "grant"); level >= rule.ByDefault && f.lets(it) {
				all = append(all, ApprovalGap{
					it.Type,
					it.ID,
					it.Name,
					it.Risk,
					len(it.Owners),
					approval.RuleRef{
						ID:             r.ID,
						Name:           r.Name,
						Version:        r.Version,
						MatchedBecause: strings.ToUpper(why[:1]) + why[1:] + ".",
					},
				})
			}
		}
		slices.SortFunc(all, func(a, b ApprovalGap) int { return strings.Compare(a.ID, b.ID) })
		gaps, total = paged(all, page), int64(len(all))
		return nil
	})
	return gaps, total, err
}

// lets says whether the filters let an item pass.
func (f CoverageFilters) lets(it resource.Item) bool {
	return (f.Type == "" || f.Type == it.Type) && (len(f.RiskLevel) == 0 || slices.Contains(f.RiskLevel, it.Risk))
}

// paged gives a page of what is in the order of ids, and one more if there is one.
func paged(all []ApprovalGap, page pg.Page) []ApprovalGap {
	from := min(page.Offset, len(all))
	if len(page.After) == 2 {
		from, _ = slices.BinarySearchFunc(all, page.After[1], func(g ApprovalGap, id string) int {
			if g.ID <= id {
				return -1
			}
			return 1
		})
	}
	return all[from:min(len(all), from+page.Limit+1)]
}
