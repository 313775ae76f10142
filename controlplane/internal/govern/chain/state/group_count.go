package state

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// Modes of a group.
const (
	modeAny    = "any"    // the first answer decides
	modeAll    = "all"    // everybody must agree
	modeQuorum = "quorum" // so many must agree
)

// Verdict is what the answers of a group, or of a stage, come to.
type Verdict int

// Verdicts.
const (
	Pending Verdict = iota
	Agreed
	Refused
)

// GroupCount is how the answers in a group stand.
type GroupCount struct {
	Mode                     string
	Needed                   int
	Approved, Rejected, Open int
}

// Verdict counts. Of any, the first answer decides; of all, one rejection rejects; a quorum is rejected when those who
// are left cannot make it up any more. Where nobody has rejected, nobody is rejected for want of people: that is
// blocked.
func (t GroupCount) Verdict() Verdict {
	switch {
	case t.Approved >= t.Needed:
		return Agreed
	case t.Rejected > 0 && (t.Mode != modeQuorum || t.Approved+t.Open < t.Needed):
		return Refused
	}
	return Pending
}

// Short says whether more people are needed than there are.
func (t GroupCount) Short() bool { return t.Approved+t.Open < t.Needed }

// Together joins the verdicts of the groups of a stage: all must agree, and one that refuses refuses for all.
func Together(groups []GroupCount) Verdict {
	sum := Agreed
	for _, g := range groups {
		switch g.Verdict() {
		case Refused:
			return Refused
		case Pending:
			sum = Pending
		}
	}
	return sum
}

// ModeOf is how a group of a stage counts. Where the definition does not say, the number does.
func ModeOf(d approval.ApprovalStage, group, needed, slots int) string {
	if group < len(d.Groups) && d.Groups[group].Mode != "" {
		return d.Groups[group].Mode
	}
	switch {
	case needed <= 1:
		return modeAny
	case needed >= slots:
		return modeAll
	}
	return modeQuorum
}

// Tallies counts each group of a stage.
func (f *Flow) Tallies(s *Stage) []GroupCount {
	list := make([]GroupCount, len(s.Needed))
	slots := make([]int, len(s.Needed))
	for _, each := range s.Slots {
		if each.Group >= len(list) {
			continue
		}
		t := &list[each.Group]
		switch each.State {
		case SlotApproved:
			t.Approved++
		case SlotRejected:
			t.Rejected++
		case SlotOpen:
			t.Open++
		default:
			continue
		}
		slots[each.Group]++
	}
	for i := range list {
		list[i].Needed = int(s.Needed[i])
		list[i].Mode = ModeOf(f.Definition(s.Stage), i, list[i].Needed, slots[i])
	}
	return list
}

// Short says whether a group of a stage needs more people than there are.
func (f *Flow) Short(s *Stage) bool {
	for _, t := range f.Tallies(s) {
		if t.Verdict() == Pending && t.Short() {
			return true
		}
	}
	return len(s.Needed) == 0
}

// Shared says whether one task asks everybody in a stage: when the first answer decides.
func (f *Flow) Shared(s *Stage) bool {
	t := f.Tallies(s)
	return len(t) == 1 && t[0].Mode == modeAny && t[0].Needed == 1
}
