package attempt

import (
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxTries is how often a change is tried that may succeed another time: with their pauses, for about an hour and a
// half.
const maxTries = 9

// untiring says that the change is tried for as long as the target cannot be reached: an account that its owner must
// not use any more does not become usable for good because the target was away for too long.
func (j Job) untiring() bool {
	return j.Operation == task.Disable && j.Payload.DisabledFor != "" && j.Payload.DisabledFor != task.ForOrder
}

// pause is how long to wait after so many tries: 5 s, and twice as long each time up to half an hour, spread so that
// many tasks do not come back at one moment.
func pause(tries int) time.Duration {
	d := min(5*time.Second<<min(tries, 20), 30*time.Minute)
	return d/2 + rand.N(d/2+1)
}

// judgeError is the outcome of a call that gave no answer. cut says that it was given up: then it may have arrived.
func (c *Caller) judgeError(j Job, err error, cut bool) Outcome {
	d := dispatch.Detail(err)
	if d.Class == v1.ClassInternal {
		var known *v1.ErrorDetail
		if !errors.As(err, &known) {
			c.Log.Error("a change failed", "task", j.ID, "err", err)
		}
	}
	o := c.judge(j, v1.ProvisionResponse{ErrorDetail: d})
	if cut || d.Class == v1.ClassInternal || d.Class == v1.ClassProtocol || d.Class == v1.ClassTransient ||
		d.Class == v1.ClassTargetFault {
		o.Unsure = j.Mode != task.ModeSimulate // looking costs less than doing it twice
	}
	return o
}

// judge says what becomes of a task after an answer.
func (c *Caller) judge(j Job, res v1.ProvisionResponse) Outcome {
	o := Outcome{
		Job:      j,
		Result:   res.Outcome,
		Plan:     res.Plan,
		Changes:  res.Changes,
		By:       res.ExecutedBy,
		Account:  res.Account,
		Verified: res.Verified,
		Detail:   res.ErrorDetail,
	}
	if !res.Success && o.Detail == nil {
		o.Detail = &v1.ErrorDetail{
			Class:   v1.ClassProtocol,
			Code:    "no_reason",
			Message: "the change failed, and the connector gave no reason",
		}
		if res.Error != nil {
			o.Detail.Message = *res.Error
		}
	}
	switch {
	case res.Success && j.Mode == task.ModeSimulate:
		o.State, o.Result = task.Simulated, v1.OutcomePlanned
	case res.Success && res.Outcome == v1.OutcomeManual:
		o.State, o.Advice = task.Manual, "The target system requires that a person makes this change. Make it there, "+
			"then complete this task with a note."
	case res.Success && (res.Verified || res.Outcome == v1.OutcomeAlready || res.Outcome == v1.OutcomeNoop):
		o.State, o.Verified = task.Done, true
		if j.Operation == task.CreateAccount && res.Account == nil {
			o.State, o.Verified = task.Verifying, false // under which key it is there has still to be seen
		}
	case res.Success:
		o.State, o.Advice = task.Verifying, joinWarnings(res.Warnings)
	case j.takesAway() && j.gone(res):
		o.State, o.Verified, o.Result, o.Detail, o.Vanished = task.Done, true, v1.OutcomeAlready, nil, true
	case (j.takesAway() || j.Operation == task.Enable && j.Unsure) && unseen(o.Detail):
		o.State, o.Result = task.Verifying, v1.OutcomeUnknown
		o.Advice = "The record was not seen, and it is not proven to be gone. It is looked for again; widen what the " +
			"connector reads, or see to it in the target."
	case res.Outcome == v1.OutcomeUnknown:
		o.Unsure = true
		c.again(&o)
	default:
		c.again(&o)
	}
	return o
}

// takesAway says that the task is done where its account is gone.
func (j Job) takesAway() bool {
	return j.Operation == task.Disable || j.Operation == task.DeleteAccount || j.Operation == task.Revoke
}

// gone says that the account of a refused change does not exist any more: the connector has proven it, or it does not
// tell, and full syncs have not shown the account either.
func (j Job) gone(res v1.ProvisionResponse) bool {
	if res.Success || res.ErrorDetail == nil {
		return false
	}
	return res.Presence == v1.PresenceGone ||
		res.Presence == "" && res.ErrorDetail.Class == v1.ClassNotFound && !unseen(res.ErrorDetail) && j.Deleted
}

// unseen says that a record was neither seen nor proven to be gone.
func unseen(d *v1.ErrorDetail) bool {
	return d != nil && (d.Code == "account_not_visible" || d.Code == "entitlement_not_visible")
}

// joinWarnings is what the connector has to say of a change that was made and is not all that was asked for, such as an
// account that stays disabled because its password was refused.
func joinWarnings(warnings []v1.Warning) string {
	var said []string
	for _, w := range warnings {
		said = append(said, w.Message)
	}
	return strings.Join(said, " ")
}

// again says whether a change that failed is tried again, and when.
func (c *Caller) again(o *Outcome) {
	o.Class = failure.ClassOf(o.Detail)
	tries := o.Job.Tries + 1
	switch {
	case failure.StopsLane(o.Class) && !o.answered() || o.Detail.Class == v1.ClassAgentUnavailable:
		o.State, o.Pause = task.Retrying, c.haltFor(o)
		o.Halt = o.Detail.Message
	case o.Class == failure.ClassTransient && (tries < maxTries || o.Job.untiring()):
		o.State, o.Counts, o.Pause = task.Retrying, true, pause(tries-1)
		if o.Job.untiring() {
			o.Pause = min(o.Pause, 5*time.Minute)
		}
		if after := o.Detail.RetryAfterMS; after != nil {
			o.Pause = max(o.Pause, min(time.Duration(*after)*time.Millisecond, time.Hour))
		}
	default:
		o.State, o.Counts, o.Advice = task.Failed, true, failure.Advice(o.Job.Operation, o.Class, o.Detail)
	}
}

// haltFor is how long nothing is sent through the connector: as long as the target asks for, or longer after each time
// that it could not be worked with.
func (c *Caller) haltFor(o *Outcome) time.Duration {
	if after := o.Detail.RetryAfterMS; after != nil && *after > 0 {
		d := min(time.Duration(*after)*time.Millisecond, time.Hour)
		return d + rand.N(d/10+time.Millisecond)
	}
	base := time.Minute
	if o.Class == failure.ClassThrottled || o.Detail.Class == v1.ClassAgentUnavailable {
		base = 5 * time.Second
	}
	d := min(base<<min(int(c.Failures.Load()), 5), 30*time.Minute)
	return d - rand.N(d/4+1)
}
