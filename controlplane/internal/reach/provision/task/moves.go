package task

import (
	"slices"
)

// This file is the one place that says what follows from how a task, a grant or an account stands. The planner gathers
// the facts and carries out the moves; it decides nothing beside them.

// stage is how far the change of a task has come.
type stage int

const (
	absent   stage = iota // there is no task
	unsent                // the target is as it was: the change was not sent, or it was refused
	InFlight              // it is being sent now
	Unclear               // it was sent, and how that ended was not seen
	unproven              // the target said that it was made, and nothing has shown it since
)

// Stage is how far the task has come; a task without an id is none.
func (o Open) Stage() stage {
	switch {
	case o.ID == "":
		return absent
	case o.State == Running:
		return InFlight
	case o.State == Verifying:
		return unproven
	case o.Unsure:
		return Unclear
	}
	return unsent
}

// Pending says that the task is written down and that nothing is being sent: it can be taken back or replaced.
func (o Open) Pending() bool { s := o.Stage(); return s == unsent || s == Unclear }

// sends says that the task is going to be sent without a person doing anything.
func (o Open) sends() bool { return o.Mode != ModeManual && (o.State == Queued || o.State == Retrying) }

// Lasting are the operations whose tasks stay when their account is deleted: what takes access away is sent all the
// same, and what creates an account is not about the deleted one.
var Lasting = []string{CreateAccount, Revoke, Disable, DeleteAccount}

// Pointless says that nothing can come of the task any more, because its account is deleted. gone says that this is
// proven, and not only that syncs do not show the account. An enabling that may have been made stays until a proof ends
// it: as long as it is there, the account counts as one that can be used, and is disabled when its owner leaves.
func (o Open) Pointless(gone bool) bool {
	if o.Operation == Enable && o.Stage() == Unclear {
		return gone
	}
	return !slices.Contains(Lasting, o.Operation)
}

// Move is one consequence of the facts.
type Move string

const (
	MoveReplan  Move = "replan"  // the opposite is wanted of what is being sent: decide again when that has ended
	MoveCancel  Move = "cancel"  // the task is not to be done any more, and nothing of it is in the target
	MoveFulfil  Move = "fulfil"  // what was read shows what the task asks for
	MoveForget  Move = "forget"  // the account that was to be created is not created
	MoveHurry   Move = "hurry"   // the task goes before others
	MoveKeep    Move = "keep"    // the grant is active, with the end that its reasons have
	MoveEnd     Move = "end"     // the grant is not held
	MoveGrant   Move = "grant"   // order it, in place of the open task
	MoveRevoke  Move = "revoke"  // order it, in place of the open task
	MoveDisable Move = "disable" // order it, in place of the open task
	MoveEnable  Move = "enable"  // order it, in place of the open task
	MoveUndo    Move = "undo"    // the account is disabled, not about to be deleted
)

// GrantFacts are what the next moves of a grant depend on.
type GrantFacts struct {
	Wanted bool   // a reason asks for it
	Status string // of the grant; empty: there is none
	// Task is the open task of the grant; zero: none.
	Task Open
	// MayGrant and MayRevoke say what the connector's mode and target allow.
	MayGrant  bool
	MayRevoke bool
	// Inherited grants come through a nested group and cannot be revoked themselves.
	Inherited bool
	// Hurried asks for the urgent lane.
	Hurried bool
}

// held says whether the target has the grant.
func (f GrantFacts) held() bool { return f.Status == "active" || f.Status == "ending" }

// fulfilled says that the grant stands as its pending task asks for.
func (f GrantFacts) fulfilled() bool {
	return f.Task.Pending() &&
		(f.Task.Operation == Grant && f.held() || f.Task.Operation == Revoke && f.Status == "revoked")
}

// Next are the moves that bring a grant nearer to what is wanted. None: nothing is to be done, or something is awaited.
func (f GrantFacts) Next() []Move {
	switch {
	case f.Task.Stage() == InFlight && (f.Task.Operation == Grant) == f.Wanted:
		return nil
	case f.Task.Stage() == InFlight:
		return []Move{MoveReplan}
	case f.fulfilled():
		f.Task = Open{}
		return append([]Move{MoveFulfil}, f.Next()...)
	case f.Wanted:
		return f.give()
	}
	return f.take()
}

// give is next of a grant that a reason asks for.
func (f GrantFacts) give() []Move {
	revoke, grant := f.Task.Operation == Revoke, f.Task.Operation == Grant
	switch {
	case revoke && f.Task.Stage() == unsent && f.Task.heldBefore():
		return []Move{MoveCancel, MoveKeep}
	case revoke && f.MayGrant:
		return []Move{MoveGrant}
	case revoke:
		return nil
	case f.held():
		return []Move{MoveKeep}
	case grant || f.Inherited || f.Status == "missing":
		return nil // under way, failed for all to see, or not confirmed as gone
	case f.MayGrant:
		return []Move{MoveGrant}
	}
	return nil
}

// take is next of a grant that no reason asks for any more.
func (f GrantFacts) take() []Move {
	revoke, grant := f.Task.Operation == Revoke, f.Task.Operation == Grant
	switch {
	case revoke && f.Task.Pending() && f.Hurried && f.Task.Lane != Urgent:
		return []Move{MoveHurry}
	case revoke:
		return nil
	case grant && f.Task.Stage() == unsent:
		return []Move{MoveCancel, MoveEnd}
	case grant && !f.MayRevoke && f.Task.sends():
		return []Move{MoveReplan}
	case f.Status == "" || f.Status == "revoked":
		return nil
	case f.held() || f.Status == "missing" || f.Status == "revoking" || grant:
		if f.MayRevoke {
			return []Move{MoveRevoke}
		}
		return nil
	}
	return []Move{MoveEnd} // pending, requested or failed, and no task of it is left
}

// AccountFacts are what the next moves of an account depend on.
type AccountFacts struct {
	Off    bool // it must not be usable
	Leave  bool // off for the time of a leave alone
	Chosen bool // something is wanted of it
	// Status is the account's; Disabled is what the target last showed.
	Status   string
	Disabled bool
	Reason   string // why we disabled it; empty: we did not
	// Task is the open task of the account; zero: none.
	Task       Open
	MayDisable bool
	MayEnable  bool
	Hurried    bool
}

// usable reports that the account can be used, or that nothing shows the contrary. One that syncs made deleted may lie
// outside of what they read; one that is proven to be gone is not among the facts.
func (f AccountFacts) usable() bool {
	return !f.Disabled && slices.Contains([]string{"active", "locked", "missing", "deleted"}, f.Status)
}

// ours says that a rule of ours disabled the account, so that a rule may enable it again.
func (f AccountFacts) ours(reason string) bool {
	return reason != "" && reason != ForOrder && (reason != ForUnwanted || f.Chosen)
}

// fulfilled says that the account stands as its pending task asks for. What may have been made is looked up before it
// is sent again: how the account is stored may be older than that.
func (f AccountFacts) fulfilled() bool {
	return f.Task.Pending() && !(f.Task.Unsure && f.Task.sends()) &&
		(f.Task.Operation == Disable && f.Disabled && f.Status == "disabled" ||
			f.Task.Operation == Enable && !f.Disabled && (f.Status == "active" || f.Status == "locked"))
}

// Next are the moves that make an account usable, or not usable.
func (f AccountFacts) Next() []Move {
	op := f.Task.Operation
	switch {
	case f.Task.Stage() == InFlight:
		if f.Off == (op == Disable || op == DeleteAccount) || !f.Off && op == CreateAccount ||
			f.Task.disabledReason() == ForOrder {
			return nil
		}
		return []Move{MoveReplan}
	case f.fulfilled():
		if op == Disable {
			f.Reason = f.Task.disabledReason()
		}
		f.Task = Open{}
		return append([]Move{MoveFulfil}, f.Next()...)
	case f.Off:
		return f.switchOff(op)
	}
	return f.switchOn(op)
}

// switchOff is what to do about an account that must not be usable. op is the open task's
// operation, empty without one. A creation that was not sent is cancelled and the account
// discarded; one whose result is unknown is planned again; one that was sent is disabled as soon as
// a reading shows the account.
func (f AccountFacts) switchOff(op string) []Move {
	if op == CreateAccount && f.usable() {
		op = "" // it was created, and a reading has shown it
	}
	switch {
	case op == CreateAccount && f.Task.Stage() == unsent && !f.Leave:
		return []Move{MoveCancel, MoveForget}
	case op == CreateAccount && f.Task.Stage() == Unclear && f.Task.sends():
		return []Move{MoveReplan}
	case op == CreateAccount:
		return nil // what was created is shown by a reading, and disabled then
	case op == Enable && (f.usable() || f.Task.Stage() != unsent || f.Status == "deleted") && f.MayDisable:
		return []Move{MoveDisable}
	case op == Enable && f.Task.Stage() == unsent:
		return []Move{MoveCancel}
	case op != "" && f.Task.Pending() && f.Hurried && f.Task.Lane != Urgent:
		return []Move{MoveHurry}
	case op != "":
		return nil
	case f.usable() && f.MayDisable:
		return []Move{MoveDisable}
	}
	return nil
}

// switchOn is what to do about an account that a reason asks for. Only what the product itself has
// disabled is enabled again: what an administrator has ordered, or the target did, stays.
func (f AccountFacts) switchOn(op string) []Move {
	switch {
	case f.Task.disabledReason() == ForOrder:
		return nil
	case (op == Disable || op == DeleteAccount && f.Reason != "") && f.Task.Stage() == unsent:
		moves := []Move{MoveCancel}
		if op == DeleteAccount {
			moves = append(moves, MoveUndo)
		}
		if f.Disabled && f.ours(f.Reason) && f.MayEnable {
			moves = append(moves, MoveEnable)
		}
		return moves
	case (op == Disable || op == DeleteAccount && f.Reason != "") && f.MayEnable:
		return []Move{MoveEnable} // it may have been disabled: enabling one that is usable changes nothing
	case op != "":
		return nil
	case f.ours(f.Reason) && f.Disabled && f.Status == "disabled" && f.MayEnable:
		return []Move{MoveEnable}
	}
	return nil
}
