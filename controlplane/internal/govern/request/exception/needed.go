package exception

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Needed is a violation that needs an exception.
type Needed struct {
	approval.StageException
	// Longest is the longest time that the access may last. 0: no limit of the policy.
	Longest time.Duration
	// Found is the violation.
	Found check.SeparationConflict
}

// Of returns the violations of a verdict that need an exception. who is the name of the person.
func Of(v check.SeparationVerdict, who string) []Needed {
	var all []Needed
	for _, c := range v.Exceptions() {
		n := Needed{Found: c, StageException: approval.StageException{PolicyID: c.Policy.ID, Policy: c.Policy.Name,
			Conflict: c.Sentence(who)}}
		if r := c.ExceptionRule; r != nil {
			n.RuleID, n.Rule = r.ID, r.Name
			if r.MaxDuration != nil {
				n.Longest = term.Duration(*r.MaxDuration)
			}
		}
		all = append(all, n)
	}
	return all
}

// ByRule groups violations by their exception rule, in the order in which the rules come first.
func ByRule(all []Needed) (groups [][]approval.StageException) {
	at := map[string]int{}
	for _, n := range all {
		i, there := at[n.RuleID]
		if !there {
			i = len(groups)
			at[n.RuleID], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], n.StageException)
	}
	return groups
}

// Undecided is the fault of an item whose exception rule asks no approver: it approves or rejects by itself, or is not
// there.
func Undecided(e approval.StageException) *fault.Fault {
	return fault.Coded(fault.Conflict, "exception_without_approver",
		"The approval rule of the policy %q asks no approver about this exception. Ask an administrator.", e.Policy)
}

// Problem is the fault of an item that was submitted before it needed an exception, and lacks what an exception needs.
// Nil: nothing is missing.
func Problem(item accessrequest.AccessRequestItem, justification string, n Needed, now time.Time) *fault.Fault {
	lasts := time.Duration(0)
	switch {
	case item.EndsAt != nil && item.StartsAt != nil && item.StartsAt.After(now):
		lasts = item.EndsAt.Sub(*item.StartsAt)
	case item.EndsAt != nil:
		lasts = item.EndsAt.Sub(now)
	case item.Duration != nil:
		lasts = term.Duration(*item.Duration)
	}
	lacks := ""
	switch {
	case justification == "":
		lacks = "has no justification"
	case lasts == 0:
		lacks = "has no end"
	case n.Longest > 0 && lasts > n.Longest:
		lacks = "lasts longer than the policy allows"
	default:
		return nil
	}
	return fault.Coded(fault.Conflict, "exception_terms", "%s The request %s, which an exception needs. Reject it, "+
		"and have it submitted again.", n.Conflict, lacks).
		Also("violations", []check.SeparationConflict{n.Found})
}
