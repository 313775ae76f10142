package rule

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// fill says what is meant where terms say nothing.
func (t *ApprovalTerms) fill() {
	for _, b := range []**bool{&t.RequireJustification, &t.DistinctApprovers, &t.Grant.Extension.Allowed,
		&t.Grant.Extension.NeedsApproval} {
		if *b == nil {
			*b = approval.BoolOf(true)
		}
	}
	if t.Grant.AllowPermanent == nil {
		t.Grant.AllowPermanent = approval.BoolOf(t.Grant.MaxDuration == "")
	}
	if t.RequestTTL == "" {
		t.RequestTTL = "P14D"
	}
}

// OrTrue is the value of a member whose default is true.
func OrTrue(b *bool) bool { return b == nil || *b }

// Fill sets the defaults of what was left out.
func (f *ApprovalRuleFields) Fill() {
	if f.Priority == 0 {
		f.Priority = 100
	}
	f.FillLists()
	f.ApprovalTerms.fill()
	for i := range f.Branches {
		for j := range f.Branches[i].Outcome.Stages {
			f.Branches[i].Outcome.Stages[j].Fill()
		}
	}
}

// FillLists makes lists that are nil empty, and sorts those that are sets.
func (f *ApprovalRuleFields) FillLists() {
	a := &f.AppliesTo
	a.RoleIDs, a.EntitlementIDs, a.ConnectorIDs = approval.SortedSet(
		a.RoleIDs,
	), approval.SortedSet(
		a.EntitlementIDs,
	), approval.SortedSet(
		a.ConnectorIDs,
	)
	a.RiskLevels, a.Tags, a.RequestKinds = approval.SortedSet(
		a.RiskLevels,
	), approval.SortedSet(
		a.Tags,
	), approval.SortedSet(
		a.RequestKinds,
	)
	f.Branches = approval.NonNil(f.Branches)
	if f.Labels == nil {
		f.Labels = map[string]string{}
	}
}

// Complete is a rule with what is meant where it says nothing, as it is stored.
func Complete(f ApprovalRuleFields) ApprovalRuleFields {
	f.Fill()
	return f
}
