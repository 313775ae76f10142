package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
)

// under reports whether the replayed rule decides about an item: now, or when it was asked for. A draft that is not
// saved has no ID, as the default rule has none; they differ by name.
func (r ApprovalReplay) under(before, after approval.RuleRef) bool {
	if r.RuleID == "" {
		return after.ID == "" && after.Name == cmp.Or(r.Rule.Name, ruleset.UnnamedDraft)
	}
	return after.ID == r.RuleID || before.ID == r.RuleID
}

// compare counts one item.
func (a *ApprovalReplayed) compare(p pastItem, plan approval.Plan, r ApprovalReplay) {
	if !r.under(p.plan.Rule, plan.Rule) {
		return
	}
	a.Under++
	item := p.ApprovalReplayedItem
	item.Before, item.After, item.Differences = wayOf(p.plan), wayOf(plan), []string{}
	switch {
	case item.Before.Outcome != item.After.Outcome:
		a.OutcomeDiffers++
		item.Differences = append(item.Differences, "outcome")
	case !slices.Equal(item.Before.Stages, item.After.Stages):
		a.StagesDiffer++
		item.Differences = append(item.Differences, "stages")
	case !slices.EqualFunc(item.Before.Asked, item.After.Asked, slices.Equal):
		a.ApproversDiffer++
		item.Differences = append(item.Differences, "approvers")
	}
	if plan.Blocked {
		a.WouldBeBlocked++
	}
	if len(item.Differences) == 0 {
		a.Same++
		return
	}
	a.Different++
	if len(a.Items) < maxShown {
		a.Items = append(a.Items, item)
	}
}

// wayOf is a plan in short.
func wayOf(p approval.Plan) ApprovalReplayedWay {
	w := ApprovalReplayedWay{
		RuleID:   p.Rule.ID,
		RuleName: p.Rule.Name,
		Outcome:  p.Outcome,
		Stages:   []string{},
		Asked:    [][]string{},
		Blocked:  p.Blocked,
	}
	for _, s := range p.Stages {
		asked := []string{}
		for _, g := range s.Groups {
			for _, slot := range g.Slots {
				asked = append(asked, slot.Display)
			}
		}
		slices.SortFunc(asked, strings.Compare)
		w.Stages, w.Asked = append(w.Stages, s.Definition.Name), append(w.Asked, asked)
	}
	return w
}
