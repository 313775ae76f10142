package decision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// approval is the kind of task that people must be known for who decide it: neither somebody from another tenant nor an
// integration approves access.
const approval = "request_approval"

// waits is a fault where a task waits for no decision.
func (t DecisionTask) waits() error {
	switch {
	case t.open():
		return nil
	case t.State == Decided && t.Decision != nil:
		f := fault.Coded(fault.Conflict, "already_decided", "%s has decided this already, on %s: %s",
			t.Decision.By.Display, when(t.Decision.At), t.label(t.Decision.Action)).
			Also("decision", t.Decision)
		if t.ApplyAt != nil {
			f.Message += fmt.Sprintf("; it can be undone until %s", when(*t.ApplyAt))
			f = f.Also("apply_at", t.ApplyAt)
		}
		return f
	}
	why := ""
	if t.ClosedReason != nil && *t.ClosedReason != "" {
		why = ": " + *t.ClosedReason
	}
	return fault.Coded(fault.Conflict, "invalid_transition", "this needs no decision any more, it is %s%s", t.State,
		why).
		Also("state", t.State).
		Also("allowed", []string{})
}

func when(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// label is what people call an action.
func (t DecisionTask) label(key string) string {
	for _, a := range t.Actions {
		if a.Key == key && a.Label != "" {
			return a.Label
		}
	}
	return key
}

// decidable is a fault where this viewer does not decide the task, however they come to it.
func (t DecisionTask) decidable(v viewer.Viewer) error {
	if err := t.others(v); err != nil {
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

// others is a fault where the task needs another person than the viewer. A service token counts as the person who
// created it.
func (t DecisionTask) others(v viewer.Viewer) error {
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

// free is a fault where somebody else has claimed the task.
func (t DecisionTask) free(v viewer.Viewer) error {
	if t.State != Claimed || t.claimedBy(v) {
		return nil
	}
	f := fault.Coded(fault.Conflict, "claimed_by_another", "%s has claimed this; they, or an administrator, can "+
		"release it", t.ClaimedBy.Display).
		Also("claimed_by", t.ClaimedBy)
	if t.ClaimedAt != nil {
		f = f.Also("claimed_at", t.ClaimedAt)
	}
	return f
}

func (t DecisionTask) claimedBy(v viewer.Viewer) bool {
	return t.ClaimedBy != nil && t.ClaimedBy.Type == string(v.Kind) && t.ClaimedBy.ID == v.ID
}

// takes is a fault where the task does not take a decision of this form.
func (t DecisionTask) takes(d Decision) error {
	i := slices.IndexFunc(t.Actions, func(a Action) bool { return a.Key == d.Action })
	if i < 0 {
		var keys []string
		for _, a := range t.Actions {
			keys = append(keys, a.Key)
		}
		return fault.Coded(fault.Invalid, "unknown_action", "this task does not take %q; it takes %s", d.Action,
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
					Detail:  t.label(d.Action) + " needs it",
				},
			)
		}
	}
	if len(missing) > 0 {
		return fault.New(fault.Invalid, "%q needs more than was sent", t.label(d.Action)).With(missing...)
	}
	return nil
}

// has says whether a decision has what an action requires: comment, or inputs.<name>.
func (d Decision) has(need string) bool {
	name, isInput := strings.CutPrefix(need, "inputs.")
	if !isInput {
		return need != "comment" || strings.TrimSpace(d.Comment) != ""
	}
	switch value := d.Inputs[name].(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(value) != ""
	}
	return true
}
