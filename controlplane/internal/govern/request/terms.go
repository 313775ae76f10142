package request

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// usualEmergency is how long emergency access lasts at most where a rule allows it and names no limit.
const usualEmergency = 24 * time.Hour

// leeway lets a start be named that has just passed on its way here.
const leeway = time.Minute

// length reads a duration of a rule or a thing; what is empty, or cannot be read, is no limit.
func length(text string) time.Duration {
	d, err := span.Parse(text)
	if err != nil {
		return 0
	}
	return d
}

// bound is a limit with whose it is.
type bound struct {
	of    time.Duration
	whose string
}

func (b bound) none() bool { return b.of == 0 }

// tighter is the shorter of two limits.
func (b bound) tighter(other bound) bound {
	if b.none() || !other.none() && other.of < b.of {
		return other
	}
	return b
}

func (b bound) String() string {
	return fmt.Sprintf("at most %s, as %s says", span.Format(b.of), b.whose)
}

// checkTimes reads when and how long something is asked for.
func (w *wish) checkTimes(now time.Time) []fault.Field {
	var wrong []fault.Field
	bad := func(member, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: w.at + "/" + member, Code: code, Detail: detail})
	}
	if w.in.Duration != "" {
		d, err := span.Parse(w.in.Duration)
		switch {
		case err != nil:
			bad("duration", "invalid", "it must be "+err.Error())
		case d <= 0:
			bad("duration", "invalid", "access for no time at all is none")
		default:
			w.duration = d
		}
	}
	if w.in.StartsAt != nil && w.in.StartsAt.Before(now.Add(-leeway)) {
		bad("starts_at", "in_the_past", "access cannot begin in the past: leave it out, or choose an instant to come")
	} else if w.in.StartsAt != nil && w.in.StartsAt.After(now) {
		start := w.in.StartsAt.UTC()
		w.starts = &start
	}
	if w.in.EndsAt == nil {
		return wrong
	}
	switch {
	case w.in.Duration != "":
		bad("ends_at", "conflict", "give either duration or ends_at")
	case !w.in.EndsAt.After(now):
		bad("ends_at", "in_the_past", "an end that has passed gives nothing: choose an instant to come")
	case w.in.StartsAt != nil && !w.in.EndsAt.After(*w.in.StartsAt):
		bad("ends_at", "invalid", "the end must come after the start")
	default:
		end := w.in.EndsAt.UTC()
		w.ends = &end
	}
	return wrong
}

// lasts is how long the access is asked for; 0: without a limit.
func (w *wish) lasts(now time.Time) time.Duration {
	switch {
	case w.duration > 0:
		return w.duration
	case w.ends == nil:
		return 0
	case w.starts != nil:
		return w.ends.Sub(*w.starts)
	}
	return w.ends.Sub(now)
}

// longest is the limit of what the plan and the thing allow.
func (w *wish) longest(urgency string) bound {
	limit := bound{length(w.thing.MaxDuration), w.thing.Display}
	limit = limit.tighter(bound{length(w.plan.Terms.MaxDuration), called(w.plan.Rule)})
	if urgency == Emergency {
		limit = limit.tighter(
			bound{capped(length(w.plan.Emergency.MaxDuration)), "the emergency way of " + called(w.plan.Rule)},
		)
	}
	return limit
}

// capped is the limit of emergency access, which always has one.
func capped(d time.Duration) time.Duration {
	if d == 0 {
		return usualEmergency
	}
	return d
}

// settleDuration holds what was asked for against the limits, and fills in what was left out. It says what is wrong.
func (w *wish) settleDuration(urgency string, now time.Time) *fault.Field {
	limit := w.longest(urgency)
	if !limit.none() {
		w.limit = limit.of
		w.limits = append(w.limits, limit.String())
	}
	if asked := w.lasts(now); asked > 0 {
		if !limit.none() && asked > limit.of {
			member := "duration"
			if w.in.EndsAt != nil {
				member = "ends_at"
			}
			return &fault.Field{
				Pointer: w.at + "/" + member,
				Code:    "duration_exceeds_limit",
				Detail:  w.thing.Display + " can be had for " + limit.String(),
			}
		}
		return nil
	}
	return w.fillDuration(limit)
}

// fillDuration chooses how long, where nobody said.
func (w *wish) fillDuration(limit bound) *fault.Field {
	usual := bound{length(w.thing.DefaultDuration), w.thing.Display}
	if usual.none() {
		usual = bound{length(w.plan.Terms.DefaultDuration), called(w.plan.Rule)}
	}
	own := length(w.thing.MaxDuration) > 0
	switch {
	case !usual.none() && (limit.none() || usual.of <= limit.of):
		w.duration = usual.of
		w.limits = append(
			w.limits,
			fmt.Sprintf("for %s when nothing else is asked for, as %s says", span.Format(usual.of), usual.whose),
		)
	case !limit.none() && (own || w.urgent || !w.plan.Terms.AllowPermanent || !usual.none()):
		w.duration = limit.of
	case w.plan.Terms.AllowPermanent:
		w.limit, w.limits = 0, nil
	default:
		return &fault.Field{
			Pointer: w.at + "/duration",
			Code:    "duration_required",
			Detail:  w.thing.Display + " is not given without an end: say how long it is needed",
		}
	}
	return nil
}

// settleExtension holds the new end that was asked for against the limits of extensions.
func (w *wish) settleExtension(now time.Time) *fault.Field {
	from := now
	if end := w.target.EndsAt; end != nil && end.After(now) {
		from = *end
	} else if end == nil && w.target.Duration != nil {
		from = now.Add(length(*w.target.Duration)) // it has not begun yet
	}
	member := "ends_at"
	if w.ends == nil {
		member = "duration"
		if w.duration == 0 {
			return &fault.Field{
				Pointer: w.at + "/ends_at",
				Code:    "required",
				Detail:  "say until when, or for how much longer",
			}
		}
		until := from.Add(w.duration)
		w.ends, w.duration = &until, 0
	}
	limit := bound{length(w.thing.ExtensionMax), w.thing.Display}
	limit = limit.tighter(bound{length(w.plan.Terms.ExtensionMax), called(w.plan.Rule)})
	if limit.none() {
		limit = w.longest(Normal)
	}
	switch {
	case !w.ends.After(from):
		return &fault.Field{
			Pointer: w.at + "/" + member,
			Code:    "invalid",
			Detail:  "it lasts until " + from.UTC().Format(time.RFC3339) + " already; to end it sooner, return it",
		}
	case !limit.none() && w.ends.Sub(from) > limit.of:
		return &fault.Field{
			Pointer: w.at + "/" + member,
			Code:    "duration_exceeds_limit",
			Detail:  w.thing.Display + " can be extended by " + limit.String(),
		}
	}
	if !limit.none() {
		w.limits = append(w.limits, "extended by "+limit.String())
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

// within shortens what an approver has changed to what may be given at most.
func within(starts, ends *time.Time, longest string, now time.Time) *time.Time {
	limit := length(longest)
	if ends == nil || limit == 0 {
		return ends
	}
	from := now
	if starts != nil && starts.After(now) {
		from = *starts
	}
	if last := from.Add(limit); ends.After(last) {
		return &last
	}
	return ends
}
