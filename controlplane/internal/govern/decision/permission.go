package decision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Judge returns the fault for which the transaction's viewer cannot make this decision, or nil. also is one more
// check, after those of who may decide and before that of claims; nil: none.
func (t DecisionTask) Judge(tx *pg.Tx, d Decision, also func(DecisionTask) error) error {
	if err := t.CheckOpen(); err != nil {
		return err
	}
	if err := t.CheckDecider(tx.Viewer); err != nil {
		return err
	}
	if also != nil {
		if err := also(t); err != nil {
			return err
		}
	}
	if err := t.CheckClaim(tx.Viewer); err != nil {
		return err
	}
	return t.checkForm(d)
}

// CheckReassign returns a fault if the viewer cannot reassign the task: those who decide it can, and administrators.
func (t DecisionTask) CheckReassign(v viewer.Viewer) error {
	if err := t.CheckOpen(); err != nil {
		return err
	}
	err := t.CheckDecider(v)
	switch {
	case fault.IsCode(err, "own_request"):
		return err // nor do they choose who decides
	case v.Has(viewer.Admin):
		return nil
	case err != nil:
		return err
	}
	return t.CheckClaim(v)
}

// CheckReassignable returns a fault if the task must stay with its approvers.
func (t DecisionTask) CheckReassignable() error {
	if !t.Reassignable {
		return fault.Coded(
			fault.Conflict,
			"not_reassignable",
			"This task cannot be reassigned. You can escalate it.",
		)
	}
	return nil
}

// approval is the kind of task whose deciders must be known people: neither a user of another tenant nor an
// integration approves access.
const approval = "request_approval"

// CheckOpen returns a fault if the task waits for no decision.
func (t DecisionTask) CheckOpen() error {
	switch {
	case t.IsOpen():
		return nil
	case t.State == Decided && t.Decision != nil:
		f := fault.Coded(fault.Conflict, "already_decided", "%s has decided this already, on %s: %s",
			t.Decision.By.Display, FormatTime(t.Decision.At), t.Label(t.Decision.Action)).
			Also("decision", t.Decision)
		if t.ApplyAt != nil {
			f.Message += fmt.Sprintf("; it can be undone until %s", FormatTime(*t.ApplyAt))
			f = f.Also("apply_at", t.ApplyAt)
		}
		return f
	}
	why := ""
	if t.ClosedReason != nil && *t.ClosedReason != "" {
		why = ": " + *t.ClosedReason
	}
	return fault.Coded(fault.Conflict, "invalid_transition", "This task no longer needs a decision. It is "+
		"%s%s.", t.State,
		why).
		Also("state", t.State).
		Also("allowed", []string{})
}

// FormatTime is an instant in words, for messages and histories.
func FormatTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// Label is the label of an action, or its key if it has none.
func (t DecisionTask) Label(key string) string {
	for _, a := range t.Actions {
		if a.Key == key && a.Label != "" {
			return a.Label
		}
	}
	return key
}

// CheckDecider returns a fault if the viewer does not decide the task, by whichever role, token or delegation.
func (t DecisionTask) CheckDecider(v viewer.Viewer) error {
	if err := t.CheckOwnRequest(v); err != nil {
		return err
	}
	if v.ActsForAnother() {
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"This token is bound to the identity of another person than its creator, so it decides no tasks. "+
				"That person decides after signing in.",
		)
	}
	if t.Kind == approval && v.Home != "" {
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"a control-plane administrator who acts in another tenant does not approve access there; "+
				"one of the tenant's own people has to",
		)
	}
	if t.Kind == approval && v.Kind != viewer.User && v.Identity == "" {
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"a token without an identity cannot approve access; link it to an identity, or have an approver decide",
		)
	}
	mine, is := t.assignee(v.Identity)
	if is && mine.ActingFor != nil && viewer.SamePerson(t.NotFor, []string{mine.ActingFor.ID}) {
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"this task is about the access or the request of %s, for whom you act: another approver must decide it",
			mine.ActingFor.Display,
		)
	}
	if !is && !t.asksRole(v) {
		return fault.Coded(
			fault.Forbidden,
			"not_assigned",
			"you can see this task and are not among those who decide it; they are %s",
			t.deciders(),
		)
	}
	return nil
}

// CheckOwnRequest returns a fault if the task is about the viewer's own request or access. A service token counts as
// the person who created it.
func (t DecisionTask) CheckOwnRequest(v viewer.Viewer) error {
	if !viewer.SamePerson(t.NotFor, v.Parties()) {
		return nil
	}
	return fault.Coded(
		fault.Forbidden,
		"own_request",
		"This is about your own access, or you requested or proposed it. Another person must decide it; "+
			"your roles, service tokens, delegations and reassignments do not change that.",
	)
}

// deciders are those who decide, in words.
func (t DecisionTask) deciders() string {
	var names []string
	for _, a := range t.Assignees {
		names = append(names, a.Display)
	}
	for _, r := range t.Roles {
		names = append(names, "users with the role "+r)
	}
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}

// CheckClaim returns a fault if another person has claimed the task.
func (t DecisionTask) CheckClaim(v viewer.Viewer) error {
	if t.State != Claimed || t.claimedBy(v) {
		return nil
	}
	f := fault.Coded(fault.Conflict, "claimed_by_another", "%s has claimed this task. Only they or an administrator "+
		"can release it.", t.ClaimedBy.Display).
		Also("claimed_by", t.ClaimedBy)
	if t.ClaimedAt != nil {
		f = f.Also("claimed_at", t.ClaimedAt)
	}
	return f
}

func (t DecisionTask) claimedBy(v viewer.Viewer) bool {
	return t.ClaimedBy != nil && t.ClaimedBy.Type == string(v.Kind) && t.ClaimedBy.ID == v.ID
}

// checkForm returns a fault if the task has no such action, or the decision lacks what the action requires.
func (t DecisionTask) checkForm(d Decision) error {
	i := slices.IndexFunc(t.Actions, func(a Action) bool { return a.Key == d.Action })
	if i < 0 {
		var keys []string
		for _, a := range t.Actions {
			keys = append(keys, a.Key)
		}
		return fault.Coded(fault.Invalid, "unknown_action", "The action %q is not available for this task. Available "+
			"actions: %s", d.Action,
			strings.Join(keys, ", ")).
			With(fault.Field{Pointer: "#/action", Code: "unknown_action", Detail: "one of " +
				strings.Join(keys, ", ")}).
			Also("allowed", keys)
	}
	var missing []fault.Field
	for _, need := range t.Actions[i].Requires {
		if !d.has(need) {
			missing = append(
				missing,
				fault.Field{
					Pointer: "#/" + strings.ReplaceAll(need, ".", "/"),
					Code:    "required",
					Detail:  t.Label(d.Action) + " needs it",
				},
			)
		}
	}
	if len(missing) > 0 {
		return fault.New(fault.Invalid, "%q needs more than was sent", t.Label(d.Action)).With(missing...)
	}
	return nil
}
