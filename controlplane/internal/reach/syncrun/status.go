package syncrun

import ()

// Status is the state of a run.
type Status string

// Channel is where a new run, or a wish to cancel one, is announced to all processes.
const Channel = "sync_run"

// States of a run. A connector has one run at most that is in one of the first five; a held one waits for a decision,
// and does not keep the next from starting.
const (
	Queued       Status = "queued"
	WaitingAgent Status = "waiting_agent"
	Running      Status = "running"
	Evaluating   Status = "evaluating"
	Applying     Status = "applying"
	Held         Status = "held" // some changes are too large to happen unseen; the others were made
	Succeeded    Status = "succeeded"
	Partial      Status = "partial" // read and applied, but some records were set aside, or not everything was read
	Failed       Status = "failed"
	Cancelled    Status = "cancelled"
	Discarded    Status = "discarded" // what was held was refused, or computed anew by a later run
	Expired      Status = "expired"   // no one decided about the held changes in time; none was made
	Previewed    Status = "previewed" // only shows what would change
)

// Ended reports whether a run in this state is over.
func (s Status) Ended() bool {
	switch s {
	case Succeeded, Partial, Failed, Cancelled, Discarded, Expired, Previewed:
		return true
	}
	return false
}

// event is what listeners hear of a run in this state.
func (s Status) event() string {
	switch s {
	case Held:
		return "sync.held"
	case Succeeded, Partial, Previewed, Discarded, Expired:
		return "sync.completed"
	case Failed:
		return "sync.failed"
	case Cancelled:
		return "sync.cancelled"
	}
	return "sync.progress"
}

// Purposes of a run.
const (
	purposeApply   = "apply"
	PurposePreview = "preview"
)
