package ruleset

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// CoverageFilters narrow the coverage.
type CoverageFilters struct {
	// Which items are listed. no_rule: items without a rule of their own. unavailable: items, with or without a rule of
	// their own, with approvers who cannot decide at present.
	Gap string `query:"gap" enum:"no_rule,unavailable" default:"no_rule"`
	// Roles or entitlements.
	Type string `query:"type" enum:"role,entitlement"`
	// Several values, separated by commas.
	RiskLevel []string `query:"risk_level" enum:"low,medium,high,critical"`
}

// ApprovalGap is a requestable item that has no rule of its own, or approvers who cannot decide.
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
	// Approval rule that applies to the item.
	Rule approval.RuleRef `json:"rule"`
	// Approvers of the item who cannot decide at present: owners, and people whom the rule names. Approvers who depend
	// on the person who gets the access, such as managers, are in the preview of a request.
	Unavailable []approval.PlanAbsent `json:"unavailable" nullable:"false"`
	// None of the approvers of a group can decide, so the fallback is asked.
	Fallback bool `json:"fallback"`
}

// Coverage lists the gaps in the order of ids, and returns their number.
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
		items, err := resource.Requestable(ctx, tx)
		if err != nil {
			return err
		}
		all := f.gaps(b, items)
		if f.Gap == "unavailable" {
			if err := addAbsent(ctx, tx, b, all, s.Now()); err != nil {
				return err
			}
			all = slices.DeleteFunc(all, func(g ruledGap) bool { return len(g.Unavailable) == 0 })
		}
		total = int64(len(all))
		if all = paged(all, page); f.Gap != "unavailable" {
			if err := addAbsent(ctx, tx, b, all, s.Now()); err != nil {
				return err
			}
		}
		gaps = make([]ApprovalGap, len(all))
		for i, g := range all {
			gaps[i] = g.ApprovalGap
		}
		return nil
	})
	return gaps, total, err
}

// ruledGap is a gap with the item and the rule that it is about.
type ruledGap struct {
	ApprovalGap
	of resolution.Ruled
}

// gaps are the items that may be listed, in the order of ids.
func (f CoverageFilters) gaps(b *rule.Book, items map[string]resource.Item) []ruledGap {
	all := []ruledGap{}
	for _, it := range items {
		r, level, why, _ := b.Choose(it, "grant")
		if f.Gap != "unavailable" && level < rule.ByDefault || !f.lets(it) {
			continue
		}
		all = append(all, ruledGap{
			of: resolution.Ruled{Item: it, Rule: r},
			ApprovalGap: ApprovalGap{
				Type:      it.Type,
				ID:        it.ID,
				Display:   it.Name,
				RiskLevel: it.Risk,
				Owners:    len(it.Owners),
				Rule: approval.RuleRef{
					ID:             r.ID,
					Name:           r.Name,
					Version:        r.Version,
					MatchedBecause: strings.ToUpper(why[:1]) + why[1:] + ".",
				},
				Unavailable: []approval.PlanAbsent{},
			},
		})
	}
	slices.SortFunc(all, func(a, b ruledGap) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// addAbsent adds the approvers who cannot decide.
func addAbsent(ctx context.Context, tx *pg.Tx, b *rule.Book, all []ruledGap, at time.Time) error {
	of := make([]resolution.Ruled, len(all))
	for i, g := range all {
		of[i] = g.of
	}
	absent, err := resolution.AbsentApprovers(ctx, tx, b, of, at)
	if err != nil {
		return err
	}
	for i, a := range absent {
		all[i].Unavailable, all[i].Fallback = append(all[i].Unavailable, a.People...), a.Fallback
	}
	return nil
}

// lets says whether the filters let an item pass.
func (f CoverageFilters) lets(it resource.Item) bool {
	return (f.Type == "" || f.Type == it.Type) && (len(f.RiskLevel) == 0 || slices.Contains(f.RiskLevel, it.Risk))
}

// paged gives a page of what is in the order of ids, and one more if there is one.
func paged(all []ruledGap, page pg.Page) []ruledGap {
	from := min(page.Offset, len(all))
	if len(page.After) == 2 {
		from, _ = slices.BinarySearchFunc(all, page.After[1], func(g ruledGap, id string) int {
			if g.ID <= id {
				return -1
			}
			return 1
		})
	}
	return all[from:min(len(all), from+page.Limit+1)]
}
