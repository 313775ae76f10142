package attempt

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Outcome is what became of an attempt.
type Outcome struct {
	Job   Job
	State string // of the task, from now on
	// Result is what the connector reported; empty if no call was made.
	Result v1.Outcome
	Unsure bool // it may have been made
	Counts bool // it is one of the tries that a task has
	// Class is the class of the error, which decides about the next attempt. Empty: no error.
	Class string
	// Detail is the target's own error, unchanged.
	Detail *v1.ErrorDetail
	// Advice says what a person can do, where one has to.
	Advice string
	Pause  time.Duration // until the next attempt
	Halt   string        // nothing else is to be sent through the connector for as long, because of this
	// Plan is what was or would be sent, with secrets masked.
	Plan []v1.PlannedRequest
	// Changes are the fields that the target was seen to change.
	Changes []v1.ChangedField
	// By says which process carried the change out. Nil: none did.
	By *v1.ExecutedBy
	// Account is the account as it was read after the change. Nil: it was not read.
	Account *v1.RemoteAccount
	Before  *v1.RemoteAccount // as it was read before a change was sent again
	// Verified says that a reading confirmed the change.
	Verified bool
	Vanished bool          // the account is not there any more
	Took     time.Duration // with the target
}

// Made says whether the target was changed, as far as is known.
func (o Outcome) Made() bool {
	return (o.State == task.Done || o.State == task.Verifying) && o.Job.Mode == task.ModeAuto
}

// Counted says that the circuit breaker counts the change. What is urgent does not count.
func (o Outcome) Counted() bool { return o.Made() && o.Job.Lane != task.Urgent }

// NotSent is the outcome of a task that was taken and is left as it was.
func NotSent(j Job) Outcome {
	return Outcome{Job: j, State: task.Queued, Unsure: j.Unsure, Result: "not_sent"}
}

// Awaited reports that the target's change has not been seen yet.
func (o Outcome) Awaited() bool {
	return o.Result == v1.OutcomePending || o.State == task.Verifying && o.Result == v1.OutcomeUnknown
}

// answered says that the target has refused this one change because of the connector's settings: others may well go
// through, and are not to wait behind it.
func (o Outcome) answered() bool {
	return o.Class == failure.ClassConfig && o.Detail.Target != nil &&
		(o.Detail.Target.LDAP != nil || o.Detail.Target.HTTP != nil)
}
