package chain

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
)

// slotOf is newSlot, answered at once where the person agreed by requesting.
func (w *work) slotOf(f *state.Flow, stage, group int, p approval.PlanSlot) *state.Slot {
	s := f.NewSlot(stage, group, p)
	if !p.Agreed {
		return s
	}
	by := f.Shown.RequestedBy
	by.IdentityID = p.IdentityID
	s.State, s.DecidedAt, s.DecidedBy = state.SlotApproved, &w.Now, &by
	w.Log(f, stage, "agreed_by_requesting", "%s (%s) agreed by requesting", p.Display, p.Because)
	w.Audit(f, batch.DidAgree, "", map[string]any{"agreed": p.Display, "because": p.Because})
	return s
}
