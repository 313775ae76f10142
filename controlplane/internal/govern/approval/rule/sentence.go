package rule

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// Sentences say the branches of a rule in words.
func Sentences(branches []ApprovalBranch) []string {
	said := make([]string, len(branches))
	for i, b := range branches {
		who := "otherwise"
		if i == 0 {
			who = "always"
		}
		if b.When != nil {
			parsed, _ := b.When.Parse()
			who = "if " + parsed.Sentence()
		}
		said[i] = who + ": " + b.Outcome.say()
	}
	return said
}

// say is an outcome in plain words.
func (o ApprovalOutcome) say() string {
	switch o.Kind {
	case approval.AutoApprove:
		return "approved at once"
	case approval.AutoReject:
		return "refused, because " + o.Reason
	case UseRule:
		return "by another rule"
	}
	stages := make([]string, len(o.Stages))
	for i, s := range o.Stages {
		stages[i] = s.Sentence()
	}
	return strings.Join(stages, ", then ")
}
