package provision

import "slices"

// This file is the one place that says what follows from how a task, a grant or an account stands. The planner gathers
// the facts and carries out the moves; it decides nothing beside them.

// stage is how far the change of a task has come.
type stage int

const (
	absent   stage = iota // there is no task
	unsent                // the target is as it was: the change was not sent, or it was refused
	inFlight              // it is being sent now
	unclear               // it was sent, and how that ended was not seen
	unproven              // the target said that it was made, and nothing has shown it since
)

// stage is how far the task has come; a task without an id is none.
func (o open) stage() stage {
	switch {
	case o.ID == "":
		return absent
	case o.State == Running:
		return inFlight
	case o.State == Verifying:
		return unproven
	case o.Unsure:
		return unclear
	}
	return unsent
}

// pending says that the task is written down and that nothing is being sent: it can be taken back or replaced.
func (o open) pending() bool { s := o.stage(); return s == unsent || s == unclear }

// sends says that the task is going to be sent without a person doing anything.
func (o open) sends() bool { return o.Mode != ModeManual && (o.State == Queued || o.State == Retrying) }

// lasting are the operations whose tasks stay when their account is deleted: what takes access away is sent all the
// same, and what creates an account is not about the deleted one.
var lasting = []string{CreateAccount, Revoke, Disable, DeleteAccount}

// pointless says that nothing can come of the task any more, because its account is deleted. gone says that this is
// proven, and not only that syncs do not show the account. An enabling that may have been made stays until a proof ends
// it: as long as it is there, the account counts as one that can be used, and is disabled when its owner leaves.
func (o open) pointless(gone bool) bool {
	if o.Operation == Enable && o.stage() == unclear {
		return gone
	}
	return !slices.Contains(lasting, o.Operation)
}

// move is one consequence of the facts.
type move string

const (
	moveReplan  move = "replan"  // the opposite is wanted of what is being sent: decide again when that has ended
	moveCancel  move = "cancel"  // the task is not to be done any more, and nothing of it is in the target
	moveFulfil  move = "fulfil"  // what was read shows what the task asks for
	moveForget  move = "forget"  // the account that was to be created is not created
	moveHurry   move = "hurry"   // the task goes before others
	moveKeep    move = "keep"    // the grant is active, with the end that its reasons have
	moveEnd     move = "end"     // the grant is not held
	moveGrant   move = "grant"   // order it, in place of the open task
	moveRevoke  move = "revoke"  // order it, in place of the open task
	moveDisable move = "disable" // order it, in place of the open task
	moveEnable  move = "enable"  // order it, in place of the open task
	moveUndo    move = "undo"    // the account is disabled, not about to be deleted
)

// grantFacts are what the next moves of a grant depend on.
type grantFacts struct {
	wanted    bool   // a reason asks for it
	status    string // of the grant; empty: there is none
	task      open
	mayGrant  bool
	mayRevoke bool
	inherited bool
	hurried   bool
}

func (f grantFacts) held() bool { return f.status == "active" || f.status == "ending" }

// fulfilled says that the grant stands as its pending task asks for.
func (f grantFacts) fulfilled() bool {
	return f.task.pending() &&
		(f.task.Operation == Grant && f.held() || f.task.Operation == Revoke && f.status == "revoked")
}

// next are the moves that bring a grant nearer to what is wanted. None: nothing is to be done, or something is awaited.
func (f grantFacts) next() []move {
	switch {
	case f.task.stage() == inFlight && (f.task.Operation == Grant) == f.wanted:
		return nil
	case f.task.stage() == inFlight:
		return []move{moveReplan}
	case f.fulfilled():
		f.task = open{}
		return append([]move{moveFulfil}, f.next()...)
	case f.wanted:
		return f.give()
	}
	return f.take()
}

// give is next of a grant that a reason asks for.
func (f grantFacts) give() []move {
	revoke, grant := f.task.Operation == Revoke, f.task.Operation == Grant
	switch {
	case revoke && f.task.stage() == unsent && f.task.heldBefore():
		return []move{moveCancel, moveKeep}
	case revoke && f.mayGrant:
		return []move{moveGrant}
	case revoke:
		return nil
	case f.held():
		return []move{moveKeep}
	case grant || f.inherited || f.status == "missing":
		return nil // under way, failed for all to see, or not confirmed as gone
	case f.mayGrant:
		return []move{moveGrant}
	}
	return nil
}

// take is next of a grant that no reason asks for any more.
func (f grantFacts) take() []move {
	revoke, grant := f.task.Operation == Revoke, f.task.Operation == Grant
	switch {
	case revoke && f.task.pending() && f.hurried && f.task.Lane != Urgent:
		return []move{moveHurry}
	case revoke:
		return nil
	case grant && f.task.stage() == unsent:
		return []move{moveCancel, moveEnd}
	case grant && !f.mayRevoke && f.task.sends():
		return []move{moveReplan}
	case f.status == "" || f.status == "revoked":
		return nil
	case f.held() || f.status == "missing" || f.status == "revoking" || grant:
		if f.mayRevoke {
			return []move{moveRevoke}
		}
		return nil
	}
	return []move{moveEnd} // pending, requested or failed, and no task of it is left
}

// lifeFacts are what the next moves of an account depend on.
type lifeFacts struct {
	off        bool // it must not be usable
	leave      bool // off for the time of a leave alone
	chosen     bool // something is wanted of it
	status     string
	disabled   bool
	reason     string // why we disabled it; empty: we did not
	task       open
	mayDisable bool
	mayEnable  bool
	hurried    bool
}

// usable says that the account can be used, or that nobody knows that it cannot. One that syncs made deleted may lie
// outside of what they read; one that is proven to be gone is not among the facts.
func (f lifeFacts) usable() bool {
	return !f.disabled && slices.Contains([]string{"active", "locked", "missing", "deleted"}, f.status)
}

// ours says that a rule of ours disabled the account, so that a rule may enable it again.
func (f lifeFacts) ours(reason string) bool {
	return reason != "" && reason != forOrder && (reason != forUnwanted || f.chosen)
}

// fulfilled says that the account stands as its pending task asks for. What may have been made is looked up before it
// is sent again: how the account is stored may be older than that.
func (f lifeFacts) fulfilled() bool {
	return f.task.pending() && !(f.task.Unsure && f.task.sends()) &&
		(f.task.Operation == Disable && f.disabled && f.status == "disabled" ||
			f.task.Operation == Enable && !f.disabled && (f.status == "active" || f.status == "locked"))
}

// next are the moves that make an account usable, or not usable.
func (f lifeFacts) next() []move {
	op := f.task.Operation
	switch {
	case f.task.stage() == inFlight:
		if f.off == (op == Disable || op == DeleteAccount) || !f.off && op == CreateAccount ||
			orEmpty(f.task.DisabledFor) == forOrder {
			return nil
		}
		return []move{moveReplan}
	case f.fulfilled():
		if op == Disable {
			f.reason = orEmpty(f.task.DisabledFor)
		}
		f.task = open{}
		return append([]move{moveFulfil}, f.next()...)
	case f.off:
		return f.switchOff(op)
	}
	return f.switchOn(op)
}

func (f lifeFacts) switchOff(op string) []move {
	if op == CreateAccount && f.usable() {
		op = "" // it was created, and a reading has shown it
	}
	switch {
	case op == CreateAccount && f.task.stage() == unsent && !f.leave:
		return []move{moveCancel, moveForget}
	case op == CreateAccount && f.task.stage() == unclear && f.task.sends():
		return []move{moveReplan}
	case op == CreateAccount:
		return nil // what was created is shown by a reading, and disabled then
	case op == Enable && (f.usable() || f.task.stage() != unsent || f.status == "deleted") && f.mayDisable:
		return []move{moveDisable}
	case op == Enable && f.task.stage() == unsent:
		return []move{moveCancel}
	case op != "" && f.task.pending() && f.hurried && f.task.Lane != Urgent:
		return []move{moveHurry}
	case op != "":
		return nil
	case f.usable() && f.mayDisable:
		return []move{moveDisable}
	}
	return nil
}

func (f lifeFacts) switchOn(op string) []move {
	switch {
	case orEmpty(f.task.DisabledFor) == forOrder:
		return nil
	case (op == Disable || op == DeleteAccount && f.reason != "") && f.task.stage() == unsent:
		moves := []move{moveCancel}
		if op == DeleteAccount {
			moves = append(moves, moveUndo)
		}
		if f.disabled && f.ours(f.reason) && f.mayEnable {
			moves = append(moves, moveEnable)
		}
		return moves
	case (op == Disable || op == DeleteAccount && f.reason != "") && f.mayEnable:
		return []move{moveEnable} // it may have been disabled: enabling one that is usable changes nothing
	case op != "":
		return nil
	case f.ours(f.reason) && f.disabled && f.status == "disabled" && f.mayEnable:
		return []move{moveEnable}
	}
	return nil
}
