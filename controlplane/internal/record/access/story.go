package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// day is an instant in words for people.
func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// sentence tells a reason in plain words.
func (r GrantReason) sentence() string {
	var b strings.Builder
	b.WriteString(r.says())
	if r.Note != nil && *r.Note != "" && r.Kind != Native && r.Kind != ledger.Imported {
		fmt.Fprintf(&b, ", noting %q", *r.Note)
	}
	switch {
	case r.State == ledger.Scheduled:
		fmt.Fprintf(&b, "; it begins on %s", day(r.Since))
	case r.State == ledger.Ended && r.EndedAt != nil:
		fmt.Fprintf(&b, "; it ended on %s", day(*r.EndedAt))
	}
	switch {
	case r.State == ledger.Ended && r.EndReason != nil:
		fmt.Fprintf(&b, ", because %s", strings.TrimRight(*r.EndReason, "."))
	case r.State != ledger.Ended && r.Until != nil && r.EndReason != nil:
		fmt.Fprintf(&b, "; it ends on %s, because %s", day(*r.Until), strings.TrimRight(*r.EndReason, "."))
	case r.State != ledger.Ended && r.Until != nil:
		fmt.Fprintf(&b, "; it ends on %s", day(*r.Until))
	}
	b.WriteString(".")
	return b.String()
}

// says is what a reason comes down to.
func (r GrantReason) says() string {
	through := ""
	if r.Role != nil && r.Source.Type != "role" {
		through = fmt.Sprintf(" through the role %q", r.Role.Display)
	}
	if r.Effect == ledger.Deny {
		if r.Source.Type == "policy" {
			return fmt.Sprintf("the rule %q denies it", r.Source.Display)
		}
		return "it is kept away by " + r.Source.Display
	}
	switch r.Kind {
	case ledger.Birthright, ledger.Policy:
		return fmt.Sprintf("the rule %q gives it%s", r.Source.Display, through)
	case ledger.Role:
		if r.Role != nil {
			return fmt.Sprintf("the role %q holds it", r.Role.Display)
		}
		return fmt.Sprintf("the role %q holds it", r.Source.Display)
	case ledger.Request:
		if len(r.ApprovedBy) == 0 {
			return "it was asked for, and approved automatically by an approval rule"
		}
		return "it was asked for, and approved by " + r.approvers()
	case ledger.Emergency:
		return "it was given for an emergency"
	case ledger.Certified:
		return "it was reviewed, and kept by " + r.approvers()
	case ledger.Exception:
		return "it was allowed as an exception by " + r.approvers()
	case ledger.Imported:
		return "it was found in the target"
	case ledger.Manual:
		return "it was given directly by " + r.Source.Display + through
	}
	return "it was found in the target system and assigned by nothing here"
}

func (r GrantReason) approvers() string {
	if len(r.ApprovedBy) == 0 {
		return "somebody"
	}
	names := make([]string, len(r.ApprovedBy))
	for i, a := range r.ApprovedBy {
		names[i] = a.Display
	}
	return strings.Join(names, " and ")
}

// capital makes a sentence begin as one.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

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

// sentence tells how a change of the target stands.
func (t ExplainedTask) sentence() string {
	what := capital(operations[t.Operation])
	if what == "" {
		what = capital(strings.ReplaceAll(t.Operation, "_", " "))
	}
	said := map[string]string{
		"queued": " waits for its turn", "blocked": " waits for another change that has to come first",
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
		fmt.Fprintf(&b, " on %s", day(*t.NextAttemptAt))
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
	case x.Grant != nil && x.Grant.native() && x.Grant.Reappeared:
		return "This access was revoked here and was granted again in the target system. It is not removed " +
			"automatically: decide whether to accept or revoke it."
	case x.Grant != nil && x.Grant.native():
		return x.Grant.untouched()
	default:
		said = append(said, "It should be gone, and is still there.")
	}
	open := false
	for _, t := range x.Provisioning.Tasks {
		if t.open() {
			open, said = true, append(said, t.Sentence)
		}
	}
	for _, why := range x.Provisioning.Because {
		said = append(said, capital(why)+".")
	}
	if !open && len(x.Provisioning.Because) == 0 {
		said = append(said, "No change of the target is under way.")
	}
	return strings.Join(said, " ")
}

// tell makes the story of a pair: who holds what, why, since when, and what would end it.
func (x *AccessExplanation) tell() {
	who, what := x.Who(), x.Entitlement.Display
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
	seen := fmt.Sprintf("It has been known here since %s.", day(x.Grant.FirstSeenAt))
	if x.FirstSeen != nil && x.FirstSeen.RunID != nil {
		seen = fmt.Sprintf("A reading of the system first saw it on %s.", day(x.Grant.FirstSeenAt))
	}
	if x.Grant.AssignedBy != nil && *x.Grant.AssignedBy != "" {
		seen += fmt.Sprintf(" By the target's own record %s assigned it.", *x.Grant.AssignedBy)
	}
	x.Story = append(x.Story, seen)
	x.Story = append(x.Story, x.Grant.inherited()...)
}

// ways are how many paths a story names.
const ways = 3

// inherited says which groups bring the access.
func (g *Grant) inherited() []string {
	if g.Paths == nil || len(*g.Paths) == 0 {
		return nil
	}
	var said []string
	for _, p := range (*g.Paths)[:min(ways, len(*g.Paths))] {
		said = append(said, fmt.Sprintf("Inherited%s: %s.", p.Steps[0].where(), p.inWords()))
	}
	switch more := len(*g.Paths) - ways; {
	case more == 1:
		said = append(said, "There is 1 more path.")
	case more > 1:
		said = append(said, fmt.Sprintf("There are %d more paths.", more))
	}
	return said
}

// brings names the entitlements that an inherited grant follows from.
func (g *Grant) brings() (ids, names []string) {
	ids = []string{}
	if g.Paths == nil {
		return ids, nil
	}
	for _, p := range *g.Paths {
		if first := p.Steps[0]; !slices.Contains(ids, first.ID) {
			ids, names = append(ids, first.ID), append(names, fmt.Sprintf("%q%s", first.Display, first.where()))
		}
	}
	return ids, names
}

// ending says what would end the access.
func (x *AccessExplanation) ending() {
	x.EndsWith = []string{}
	lasting := 0
	for _, r := range x.Reasons {
		if r.Effect == ledger.Deny || r.State != ledger.Active || r.Kind == Native {
			continue
		}
		if r.Until == nil {
			lasting++
		}
	}
	switch {
	case x.Desired && lasting == 0 && x.EndsAt != nil:
		x.EndsWith = append(x.EndsWith, fmt.Sprintf("It ends on %s, with the last of its reasons.", day(*x.EndsAt)))
	case x.Desired && lasting == 1:
		x.EndsWith = append(x.EndsWith, "It ends when the one reason without an end does, unless another is given.")
	case x.Desired:
		x.EndsWith = append(x.EndsWith, fmt.Sprintf("It ends when all %d reasons without an end do.", lasting))
	case x.Observed && x.Grant != nil && x.Grant.Directness == "inherited":
		what := "what brings it"
		if _, names := x.Grant.brings(); len(names) > 0 {
			what = strings.Join(names, " and ")
		}
		x.EndsWith = append(x.EndsWith, "It ends when the account no longer holds "+what+".")
	case x.Observed && x.Grant != nil && x.Grant.native():
		x.EndsWith = append(x.EndsWith, "It ends when a person revokes it, or when it is removed in the target system.")
	}
}
