package draft

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// defaultEmergencyLimit is how long emergency access lasts at most where a rule allows it and names no limit.
const defaultEmergencyLimit = 24 * time.Hour

// startTolerance lets a start be named that has just passed on its way here.
const startTolerance = time.Minute

// bound is a limit with whose it is.
type bound struct {
	of    time.Duration
	whose string
}

// none says that there is no limit.
func (b bound) none() bool { return b.of == 0 }

// tighter is the shorter of two limits.
func (b bound) tighter(other bound) bound {
	if b.none() || !other.none() && other.of < b.of {
		return other
	}
	return b
}

// String says the limit and whose it is.
func (b bound) String() string {
	return fmt.Sprintf("at most %s, as %s says", span.Format(b.of), b.whose)
}

// checkTimes reads when and how long something is asked for.
func (w *Item) checkTimes(now time.Time) []fault.Field {
	var wrong []fault.Field
	bad := func(member, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: w.at + "/" + member, Code: code, Detail: detail})
	}
	if w.In.Duration != "" {
		d, err := span.Parse(w.In.Duration)
		switch {
		case err != nil:
			bad("duration", "invalid", "it must be "+err.Error())
		case d <= 0:
			bad("duration", "invalid", "access for no time at all is none")
		default:
			w.Duration = d
		}
	}
	if w.In.StartsAt != nil && w.In.StartsAt.Before(now.Add(-startTolerance)) {
		bad("starts_at", "in_the_past", "access cannot begin in the past: leave it out, or choose an instant to come")
	} else if w.In.StartsAt != nil && w.In.StartsAt.After(now) {
		start := w.In.StartsAt.UTC()
		w.Starts = &start
	}
	if w.In.EndsAt == nil {
		return wrong
	}
	switch {
	case w.In.Duration != "":
		bad("ends_at", "conflict", "give either duration or ends_at")
	case !w.In.EndsAt.After(now):
		bad("ends_at", "in_the_past", "an end that has passed gives nothing: choose an instant to come")
	case w.In.StartsAt != nil && !w.In.EndsAt.After(*w.In.StartsAt):
		bad("ends_at", "invalid", "the end must come after the start")
	default:
		end := w.In.EndsAt.UTC()
		w.Ends = &end
	}
	return wrong
}

// lasts is how long the access is asked for; 0: without a limit.
func (w *Item) lasts(now time.Time) time.Duration {
	switch {
	case w.Duration > 0:
		return w.Duration
	case w.Ends == nil:
		return 0
	case w.Starts != nil:
		return w.Ends.Sub(*w.Starts)
	}
	return w.Ends.Sub(now)
}

// longest is the limit of what the plan and the thing allow.
func (w *Item) longest(urgency string) bound {
	limit := bound{term.Duration(w.Resource.MaxDuration), w.Resource.Display}
	limit = limit.tighter(bound{term.Duration(w.Plan.Terms.MaxDuration), called(w.Plan.Rule)})
	limit = limit.tighter(bound{w.ruling.Terms.Longest(), "the policy " + w.ruling.Policy})
	if !w.exceptionLimit.none() {
		limit = limit.tighter(w.exceptionLimit)
	}
	if urgency == accessrequest.Emergency {
		limit = limit.tighter(
			bound{
				capped(term.Duration(w.Plan.Emergency.MaxDuration)),
				"the emergency way of " + called(w.Plan.Rule),
			},
		)
	}
	return limit
}

// capped is the limit of emergency access, which always has one.
func capped(d time.Duration) time.Duration {
	if d == 0 {
		return defaultEmergencyLimit
	}
	return d
}

// settleDuration holds what was asked for against the limits, and fills in what was left out. It says what is wrong.
func (w *Item) settleDuration(urgency string, now time.Time) *fault.Field {
	limit := w.longest(urgency)
	if !limit.none() {
		w.limit = limit.of
		w.Limits = append(w.Limits, limit.String())
	}
	if asked := w.lasts(now); asked > 0 {
		if !limit.none() && asked > limit.of {
			member := "duration"
			if w.In.EndsAt != nil {
				member = "ends_at"
			}
			return &fault.Field{
				Pointer: w.at + "/" + member,
				Code:    "duration_exceeds_limit",
				Detail:  w.Resource.Display + " can be had for " + limit.String(),
			}
		}
		return nil
	}
	return w.fillDuration(limit)
}

// fillDuration chooses how long, where nobody said.
func (w *Item) fillDuration(limit bound) *fault.Field {
	usual := bound{term.Duration(w.Resource.DefaultDuration), w.Resource.Display}
	if usual.none() {
		usual = bound{term.Duration(w.Plan.Terms.DefaultDuration), called(w.Plan.Rule)}
	}
	own := term.Duration(w.Resource.MaxDuration) > 0 || w.ruling.Terms.Longest() > 0
	switch {
	case !usual.none() && (limit.none() || usual.of <= limit.of):
		w.Duration = usual.of
		w.Limits = append(
			w.Limits,
			fmt.Sprintf("for %s when nothing else is asked for, as %s says", span.Format(usual.of), usual.whose),
		)
	case !limit.none() && (own || w.urgent || w.excepted || !w.Plan.Terms.AllowPermanent || !usual.none()):
		w.Duration = limit.of
	case w.Plan.Terms.AllowPermanent && !w.excepted:
		w.limit, w.Limits = 0, nil
	default:
		return &fault.Field{
			Pointer: w.at + "/duration",
			Code:    "duration_required",
			Detail:  w.Resource.Display + " is not granted without an end: set a duration or an end date",
		}
	}
	return nil
}

// settleExtension holds the new end that was asked for against the limits of extensions.
func (w *Item) settleExtension(now time.Time) *fault.Field {
	from := now
	if end := w.Target.EndsAt; end != nil && end.After(now) {
		from = *end
	} else if end == nil && w.Target.Duration != nil {
		from = now.Add(term.Duration(*w.Target.Duration)) // it has not begun yet
	}
	member := "ends_at"
	if w.Ends == nil {
		member = "duration"
		if w.Duration == 0 {
			return &fault.Field{
				Pointer: w.at + "/ends_at",
				Code:    "required",
				Detail:  "set the new end, or the additional time",
			}
		}
		until := from.Add(w.Duration)
		w.Ends, w.Duration = &until, 0
	}
	limit := bound{term.Duration(w.Resource.ExtensionMax), w.Resource.Display}
	limit = limit.tighter(bound{term.Duration(w.Plan.Terms.ExtensionMax), called(w.Plan.Rule)})
	if limit.none() {
		limit = w.longest(accessrequest.Normal)
	}
	switch {
	case !w.Ends.After(from):
		return &fault.Field{
			Pointer: w.at + "/" + member,
			Code:    "invalid",
			Detail:  "it lasts until " + from.UTC().Format(time.RFC3339) + " already; to end it sooner, return it",
		}
	case !limit.none() && w.Ends.Sub(from) > limit.of:
		return &fault.Field{
			Pointer: w.at + "/" + member,
			Code:    "duration_exceeds_limit",
			Detail:  w.Resource.Display + " can be extended by " + limit.String(),
		}
	}
	if !limit.none() {
		w.Limits = append(w.Limits, "extended by "+limit.String())
	}
	return nil
}

// called is a rule's name for people.
func called(r approval.RuleRef) string {
	if r.Name == "" {
		return "the rule"
	}
	return "the rule " + r.Name
}
