package draft

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/exception"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// needed are the violations that need an exception and that an item is part of.
func (d *Draft) needed(w *Item) []exception.Needed {
	var all []exception.Needed
	for _, n := range exception.Of(d.Separation, d.Person.Display) {
		if d.Separation.Involves(n.PolicyID, w.Resource.ID) {
			all = append(all, n)
		}
	}
	return all
}

// addExceptions adds the stages of exception rules to the plans of items that need an exception, and refuses items
// that no approver would decide about.
func addExceptions(ctx context.Context, tx *pg.Tx, drafts []*Draft, now time.Time) error {
	var asked []resolution.Excepted
	var of []*Item
	var by []*Draft
	var about [][]approval.StageException
	for _, d := range drafts {
		if d.lost() || d.In.Kind != accessrequest.Grant || len(d.Separation.Exceptions()) == 0 {
			continue
		}
		for _, w := range d.Items {
			for _, group := range exception.ByRule(d.needed(w)) {
				asked = append(asked, d.excepted(w, group[0].RuleID, tx.Viewer, now))
				of, by, about = append(of, w), append(by, d), append(about, group)
			}
		}
	}
	rules, err := resolution.Exceptions(ctx, tx, asked, now)
	if err != nil {
		return err
	}
	for i, rule := range rules {
		w, d := of[i], by[i]
		w.excepted, w.exceptionLimit = true, d.exceptionLimit(w)
		switch way := w.Way(d.In); {
		case way == approval.AutoReject:
		case way == accessrequest.Emergency:
			d.against(fault.Coded(fault.Conflict, "exception_needs_approval",
				"%s needs an exception, which must be approved before the access is given. Submit the request with "+
					"urgency normal.", w.Resource.Display).
				With(fault.Field{Pointer: w.at, Code: "exception_needs_approval",
					Detail: "leave this out, or use urgency normal"}))
		case rule.Outcome != approval.Chain:
			d.against(exception.Undecided(about[i][0]).With(fault.Field{Pointer: w.at,
				Code: "exception_without_approver", Detail: "leave this out, or ask an administrator"}))
		default:
			w.Plan.AddExceptions(rule, about[i])
		}
	}
	return nil
}

// excepted is an item as an exception rule looks at it, after the stages of its own rule.
func (d *Draft) excepted(w *Item, ruleID string, v viewer.Viewer, now time.Time) resolution.Excepted {
	e := resolution.Excepted{Subject: d.Subject(w, v), RuleID: ruleID, From: now}
	if w.Plan.Outcome == approval.Chain && w.Plan.ExpectedAt != nil {
		e.From = *w.Plan.ExpectedAt
	}
	return e
}

// exceptionLimit is the shortest limit of policies that an item needs an exception of.
func (d *Draft) exceptionLimit(w *Item) (limit bound) {
	for _, n := range d.needed(w) {
		limit = limit.tighter(bound{n.Longest, "the policy " + n.Policy})
	}
	return limit
}

// refuseExtensions refuses to extend access that an exception has allowed for a limited time.
func refuseExtensions(ctx context.Context, tx *pg.Tx, drafts []*Draft) error {
	var targets []string
	for _, d := range drafts {
		for _, w := range d.Items {
			if d.In.Kind == accessrequest.Extend && w.Target != nil {
				targets = append(targets, w.Target.ID)
			}
		}
	}
	excepted, err := exception.Items(ctx, tx, targets)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		for _, w := range d.Items {
			if d.In.Kind == accessrequest.Extend && w.Target != nil && slices.Contains(excepted, w.Target.ID) {
				d.against(fault.Coded(fault.Conflict, "extension_not_allowed",
					"%s was given by an exception and cannot be extended. Request it again when it has ended.",
					w.Resource.Display))
			}
		}
	}
	return nil
}
