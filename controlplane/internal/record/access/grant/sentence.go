package grant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// IsByRule says whether a rule gives the reason, and would give it again.
func (r GrantReason) IsByRule() bool {
	return r.Kind == ledger.Birthright || r.Kind == ledger.Policy || r.Source.Type == "policy" ||
		r.Source.Type == "role"
}

// IsLive reports whether the reason was entered and has not ended.
func (r GrantReason) IsLive() bool { return r.ID != nil && r.State != ledger.Ended }

// IsNative says whether the target has the grant without anybody here having given it.
func (g Grant) IsNative() bool {
	return slices.ContainsFunc(g.Reasons, func(r GrantReason) bool { return r.Kind == Native })
}

// FormatTime is an instant in words for people.
func FormatTime(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// Sentence describes a reason in plain words.
func (r GrantReason) Sentence() string {
	var b strings.Builder
	b.WriteString(r.says())
	if r.Note != nil && *r.Note != "" && r.Kind != Native && r.Kind != ledger.Imported {
		fmt.Fprintf(&b, ", noting %q", *r.Note)
	}
	switch {
	case r.State == ledger.Scheduled:
		fmt.Fprintf(&b, "; it begins on %s", FormatTime(r.Since))
	case r.State == ledger.Ended && r.EndedAt != nil:
		fmt.Fprintf(&b, "; it ended on %s", FormatTime(*r.EndedAt))
	}
	switch {
	case r.State == ledger.Ended && r.EndReason != nil:
		fmt.Fprintf(&b, ", because %s", strings.TrimRight(*r.EndReason, "."))
	case r.State != ledger.Ended && r.Until != nil && r.EndReason != nil:
		fmt.Fprintf(&b, "; it ends on %s, because %s", FormatTime(*r.Until), strings.TrimRight(*r.EndReason, "."))
	case r.State != ledger.Ended && r.Until != nil:
		fmt.Fprintf(&b, "; it ends on %s", FormatTime(*r.Until))
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

// approvers are the names of those who approved.
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

// Capitalize makes a sentence begin as one.
func Capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// ways are how many paths a story names.
const ways = 3

// InheritedSentences says which groups bring the access.
func (g *Grant) InheritedSentences() []string {
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

// Sources names the entitlements that an inherited grant follows from.
func (g *Grant) Sources() (ids, names []string) {
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
