package explain

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// operations in words.
var operations = map[string]string{
	"create_account": "making the account",
	"update_account": "changing the account",
	"rename_account": "renaming the account",
	"enable":         "enabling the account",
	"disable":        "disabling the account",
	"delete_account": "deleting the account",
	"unlock":         "unlocking the account",
	"set_password":   "setting a password",
	"grant":          "granting it",
	"revoke":         "revoking it",
}

// sentence describes the state of a change of the target.
func (t ExplainedTask) sentence() string {
	what := grant.Capitalize(operations[t.Operation])
	if what == "" {
		what = grant.Capitalize(strings.ReplaceAll(t.Operation, "_", " "))
	}
	said := map[string]string{
		"queued": " waits for its turn", "blocked": " waits for another change or for a decision",
		"running":   " is under way",
		"verifying": " was answered, and the target is being asked whether it is so",
		"retrying":  " failed and is tried again", "done": " is done",
		"failed": " failed", "manual": " must be done manually", "cancelled": " was cancelled",
		"simulated": " was simulated: nothing was written",
	}[t.State]
	if said == "" {
		said = " is " + t.State
	}
	var b strings.Builder
	b.WriteString(what + said)
	if t.State == "retrying" && t.NextAttemptAt != nil {
		fmt.Fprintf(&b, " on %s", grant.FormatTime(*t.NextAttemptAt))
	}
	if t.State == "failed" || t.State == "retrying" || t.State == "manual" {
		if t.ErrorClass != nil {
			fmt.Fprintf(&b, " (%s)", *t.ErrorClass)
		}
		if t.Advice != nil && *t.Advice != "" {
			fmt.Fprintf(&b, ": %s", strings.TrimSuffix(*t.Advice, "."))
		}
	}
	b.WriteString(".")
	return b.String()
}

// open says whether the task may still change something.
func (t ExplainedTask) open() bool {
	switch t.State {
	case "done", "cancelled", "simulated":
		return false
	}
	return true
}

// difference says why what should be is not so; empty when it is.
func (x *AccessExplanation) difference() string {
	if x.Desired == x.Observed {
		return ""
	}
	var said []string
	switch {
	case x.Desired && x.Grant == nil && len(x.Accounts) == 0:
		said = append(said, "It should be there, and is not yet: there is no account in the system.")
	case x.Desired:
		said = append(said, "It should be there, and is not yet.")
	case x.Grant != nil && x.Grant.Directness == "inherited":
		return "Inherited: the account has it through another entitlement."
	case x.Grant != nil && x.Grant.IsNative() && x.Grant.Reappeared:
		return "This access was revoked here and was granted again in the target system. It is not removed " +
			"automatically: decide whether to accept or revoke it."
	case x.Grant != nil && x.Grant.IsNative():
		return x.Grant.NativeSentence()
	default:
		said = append(said, "It should be revoked, and still exists.")
	}
	open := false
	for _, t := range x.Provisioning.Tasks {
		if t.open() {
			open, said = true, append(said, t.Sentence)
		}
	}
	for _, why := range x.Provisioning.Because {
		said = append(said, grant.Capitalize(why)+".")
	}
	if !open && len(x.Provisioning.Because) == 0 {
		said = append(said, "No change of the target is under way.")
	}
	return strings.Join(said, " ")
}

// tell makes the story of a pair: who holds what, why, since when, and what would end it.
func (x *AccessExplanation) tell() {
	who, what := x.SubjectName(), x.Entitlement.Display
	x.Difference = x.difference()
	switch {
	case x.Observed && x.Desired:
		x.Summary = fmt.Sprintf("%s holds %s, and should.", who, what)
	case x.Observed && x.Grant.Directness == "inherited":
		x.Summary = fmt.Sprintf("%s holds %s through nesting.", who, what)
	case x.Observed:
		x.Summary = fmt.Sprintf("%s holds %s, and no reason asks for it.", who, what)
	case x.Desired:
		x.Summary = fmt.Sprintf("%s should hold %s, and does not yet.", who, what)
	default:
		x.Summary = fmt.Sprintf("%s does not hold %s.", who, what)
	}
	x.Story = []string{x.Summary}
	for _, r := range x.Reasons {
		x.Story = append(x.Story, r.Sentence)
	}
	if len(x.Reasons) == 0 && !x.Observed {
		x.Story = append(x.Story, "No rule, role, request or order gives it.")
	}
	if x.Difference != "" {
		x.Story = append(x.Story, x.Difference)
	}
	x.tellOfTarget()
	x.Story = append(x.Story, x.EndsWith...)
}

// tellOfTarget says since when the target has it, who saw it first, and which ways lead to it.
func (x *AccessExplanation) tellOfTarget() {
	if x.Grant == nil {
		return
	}
	seen := fmt.Sprintf("It has been known here since %s.", grant.FormatTime(x.Grant.FirstSeenAt))
	if x.FirstSeen != nil && x.FirstSeen.RunID != nil {
		seen = fmt.Sprintf("A reading of the system first saw it on %s.", grant.FormatTime(x.Grant.FirstSeenAt))
	}
	if x.Grant.AssignedBy != nil && *x.Grant.AssignedBy != "" {
		seen += fmt.Sprintf(" By the target's own record %s assigned it.", *x.Grant.AssignedBy)
	}
	x.Story = append(x.Story, seen)
	x.Story = append(x.Story, x.Grant.InheritedSentences()...)
}

// ending says what would end the access.
func (x *AccessExplanation) ending() {
	x.EndsWith = []string{}
	lasting := 0
	for _, r := range x.Reasons {
		if r.Effect == ledger.Deny || r.State != ledger.Active || r.Kind == grant.Native {
			continue
		}
		if r.Until == nil {
			lasting++
		}
	}
	switch {
	case x.Desired && lasting == 0 && x.EndsAt != nil:
		x.EndsWith = append(
			x.EndsWith,
			fmt.Sprintf("It ends on %s, with the last of its reasons.", grant.FormatTime(*x.EndsAt)),
		)
	case x.Desired && lasting == 1:
		x.EndsWith = append(x.EndsWith, "It ends when the one reason without an end does, unless another is given.")
	case x.Desired:
		x.EndsWith = append(x.EndsWith, fmt.Sprintf("It ends when all %d reasons without an end do.", lasting))
	case x.Observed && x.Grant != nil && x.Grant.Directness == "inherited":
		what := "what brings it"
		if _, names := x.Grant.Sources(); len(names) > 0 {
			what = strings.Join(names, " and ")
		}
		x.EndsWith = append(x.EndsWith, "It ends when the account no longer holds "+what+".")
	case x.Observed && x.Grant != nil && x.Grant.IsNative():
		x.EndsWith = append(x.EndsWith, "It ends when a person revokes it, or when it is removed in the target system.")
	}
}
