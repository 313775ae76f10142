package rule

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// Groups are the groups of approvers in all branches of a rule, and of the rules that it uses.
func (b *Book) Groups(r *Rule) []approval.ApproverGroup {
	return b.groups(r, nil)
}

// groups is Groups; from are the rules that led to this one.
func (b *Book) groups(r *Rule, from []string) (all []approval.ApproverGroup) {
	if r == nil || slices.Contains(from, r.ID) || len(from) > maxUse {
		return nil
	}
	from = append(slices.Clone(from), r.ID)
	for _, branch := range r.Branches {
		for _, s := range branch.Outcome.Stages {
			all = append(all, s.Groups...)
		}
		if branch.Outcome.Kind == UseRule {
			all = append(all, b.groups(b.ByID[branch.Outcome.RuleID], from)...)
		}
	}
	return all
}
