package chain

import "github.com/grantwright/grantwright/controlplane/internal/govern/approval"

// Modes of a group.
const (
	modeAny    = "any"    // the first answer decides
	modeAll    = "all"    // everybody must agree
	modeQuorum = "quorum" // so many must agree
)

// verdict is what the answers of a group, or of a stage, come to.
type verdict int

// Verdicts.
const (
	pending verdict = iota
	agreed
	refused
)

// tally is how the answers in a group stand.
type tally struct {
	mode                     string
	needed                   int
	approved, rejected, open int
}

// verdict counts. Of any, the first answer decides; of all, one rejection rejects; a quorum is rejected when those who
// are left cannot make it up any more. Where nobody has rejected, nobody is rejected for want of people: that is
// blocked.
func (t tally) verdict() verdict {
	switch {
	case t.approved >= t.needed:
		return agreed
	case t.rejected > 0 && (t.mode != modeQuorum || t.approved+t.open < t.needed):
		return refused
	}
	return pending
}

// short says whether more people are needed than there are.
func (t tally) short() bool { return t.approved+t.open < t.needed }

// together joins the verdicts of the groups of a stage: all must agree, and one that refuses refuses for all.
func together(groups []tally) verdict {
	sum := agreed
	for _, g := range groups {
		switch g.verdict() {
		case refused:
			return refused
		case pending:
			sum = pending
		}
	}
	return sum
}

// modeOf is how a group of a stage counts. Where the definition does not say, the number does.
func modeOf(d approval.ApprovalStage, group, needed, slots int) string {
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

// tallies counts each group of a stage.
func (f *flow) tallies(s *step) []tally {
	list := make([]tally, len(s.Needed))
	slots := make([]int, len(s.Needed))
	for _, each := range s.slots {
		if each.Group >= len(list) {
			continue
		}
		t := &list[each.Group]
		switch each.State {
		case slotApproved:
			t.approved++
		case slotRejected:
			t.rejected++
		case slotOpen:
			t.open++
		default:
			continue
		}
		slots[each.Group]++
	}
	for i := range list {
		list[i].needed = int(s.Needed[i])
		list[i].mode = modeOf(f.definition(s.Stage), i, list[i].needed, slots[i])
	}
	return list
}

// short says whether a group of a stage needs more people than there are.
func (f *flow) short(s *step) bool {
	for _, t := range f.tallies(s) {
		if t.verdict() == pending && t.short() {
			return true
		}
	}
	return len(s.Needed) == 0
}

// shared says whether one task asks everybody in a stage: when the first answer decides.
func (f *flow) shared(s *step) bool {
	t := f.tallies(s)
	return len(t) == 1 && t[0].mode == modeAny && t[0].needed == 1
}
