package attempt

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Outcome is what became of an attempt.
type Outcome struct {
	Job      Job
	State    string // of the task, from now on
	Result   v1.Outcome
	Unsure   bool // it may have been made
	Counts   bool // it is one of the tries that a task has
	Class    string
	Detail   *v1.ErrorDetail
	Advice   string
	Pause    time.Duration // until the next attempt
	Halt     string        // nothing else is to be sent through the connector for as long, because of this
	Plan     []v1.PlannedRequest
	Changes  []v1.ChangedField
	By       *v1.ExecutedBy
	Account  *v1.RemoteAccount
	Before   *v1.RemoteAccount // as it was read before a change was sent again
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

// Awaited says that nobody has seen yet what the target is said to have done.
func (o Outcome) Awaited() bool {
	return o.Result == v1.OutcomePending || o.State == task.Verifying && o.Result == v1.OutcomeUnknown
}

// answered says that the target has refused this one change because of the connector's settings: others may well go
// through, and are not to wait behind it.
func (o Outcome) answered() bool {
	return o.Class == failure.ClassConfig && o.Detail.Target != nil &&
		(o.Detail.Target.LDAP != nil || o.Detail.Target.HTTP != nil)
}
