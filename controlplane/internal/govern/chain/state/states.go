package state

import ()

// States of a chain beside the results of which they bear the names.
const (
	Running   = "running"
	Cancelled = "cancelled"

	StateApproved = "approved"
	StateRejected = "rejected"
	StateExpired  = "expired"
	StateBlocked  = "blocked"
)

// States of a stage.
const (
	StageWaiting   = "waiting"
	StageOpen      = "open"
	StageApproved  = "approved"
	StageRejected  = "rejected"
	StageSkipped   = "skipped"
	StageExpired   = "expired"
	StageCancelled = "cancelled"
)

// States of a slot.
const (
	SlotOpen       = "open"
	SlotApproved   = "approved"
	SlotRejected   = "rejected"
	SlotSuperseded = "superseded"
)
