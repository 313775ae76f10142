package state

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// withdrawWithin is how long an approval can be taken back: long enough to notice a mistake, and short enough that
// those who come after can rely on it.
const withdrawWithin = 30 * time.Minute

// Withdrawable are the slots that the viewer approved, or the fault for which it cannot be taken back. Who agreed by
// requesting has answered no task that could be open again; they withdraw the request.
func (f *Flow) Withdrawable(v viewer.Viewer, now time.Time) ([]*Slot, error) {
	if f.State != Running && f.State != StateBlocked && f.State != StateApproved || !now.Before(f.ExpiresAt) {
		return nil, fault.Coded(fault.Conflict, "invalid_transition", "an approval can be withdrawn while others are "+
			"asked, or soon after the item was approved; this is %s",
			f.State).
			Also("allowed", []string{})
	}
	me := decision.ActorOf(v)
	for i := min(f.Stage, len(f.Stages)-1); i >= 0; i-- {
		var mine []*Slot
		for _, s := range f.Stages[i].Slots {
			if s.State == SlotApproved && !s.ByRequesting() && s.DecidedBy != nil && SamePerson(*s.DecidedBy, me) {
				mine = append(mine, s)
			}
		}
		if len(mine) > 0 {
			return mine, f.stillWithdrawable(i, mine[0], now)
		}
	}
	return nil, fault.Coded(fault.Conflict, "nothing_to_withdraw", "you have not approved this").
		Also("allowed", []string{})
}

func (f *Flow) stillWithdrawable(stage int, mine *Slot, now time.Time) error {
	if until := mine.DecidedAt.Add(withdrawWithin); !now.Before(until) {
		return fault.Coded(fault.Conflict, "withdrawal_too_late", "an approval can be withdrawn for half an hour; "+
			"this could be until %s", until.UTC().Format(time.RFC3339)).
			Also("allowed", []string{})
	}
	for _, st := range f.Stages[stage+1:] {
		for _, s := range st.Slots {
			if s.State == SlotApproved || s.State == SlotRejected {
				return fault.Coded(fault.Conflict, "withdrawal_too_late", "%s has answered after you, relying on "+
					"your approval", s.DecidedBy.Display).
					Also("allowed", []string{})
			}
		}
	}
	return nil
}
