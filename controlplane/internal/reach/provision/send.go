package provision

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// outcome is what became of an attempt.
type outcome struct {
	job      job
	state    string // of the task, from now on
	result   v1.Outcome
	unsure   bool // it may have been made
	counts   bool // it is one of the tries that a task has
	class    string
	detail   *v1.ErrorDetail
	advice   string
	pause    time.Duration // until the next attempt
	halt     string        // nothing else is to be sent through the connector for as long, because of this
	plan     []v1.PlannedRequest
	changes  []v1.ChangedField
	by       *v1.ExecutedBy
	account  *v1.RemoteAccount
	before   *v1.RemoteAccount // as it was read before a change was sent again
	verified bool
	vanished bool          // the account is not there any more
	at       time.Duration // with the target
}

// made says whether the target was changed, as far as is known.
func (o outcome) made() bool {
	return (o.state == task.Done || o.state == task.Verifying) && o.job.Mode == task.ModeAuto
}

// maxTries is how often a change is tried that may succeed another time: with their pauses, for about an hour and a
// half.
const maxTries = 9

// untiring says that the change is tried for as long as the target cannot be reached: an account that its owner must
// not use any more does not become usable for good because the target was away for too long.
func (j job) untiring() bool {
	return j.Operation == task.Disable && j.Payload.DisabledFor != "" && j.Payload.DisabledFor != task.ForOrder
}

// pause is how long to wait after so many tries: 5 s, and twice as long each time up to half an hour, spread so that
// many tasks do not come back at one moment.
func pause(tries int) time.Duration {
	d := min(5*time.Second<<min(tries, 20), 30*time.Minute)
	return d/2 + rand.N(d/2+1)
}

// attempt sends a task. It knows no database: what it says is written afterwards.
func (l *lane) attempt(ctx context.Context, j job) (o outcome) {
	if !l.sure() {
		return outcome{job: j, state: task.Queued, unsure: j.Unsure, result: "not_sent"}
	}
	ctx, cancel := context.WithTimeout(ctx, l.s.CallLimit)
	defer cancel()
	began := time.Now()
	doubt := false // it may have been made by an earlier attempt, and its record was not seen since
	var before *v1.RemoteAccount
	defer func() {
		if cause := recover(); cause != nil {
			o = l.judgeError(j, fmt.Errorf("panic: %v", cause), true)
			l.s.Log.ErrorContext(ctx, "the connector panicked over a change", "task", j.ID, "cause", fmt.Sprint(cause))
		}
		o.at, o.before, o.unsure = time.Since(began), before, o.unsure || doubt && o.detail != nil
	}()
	if j.Operation != task.CreateAccount && j.RemoteID == "" && j.Mode != task.ModeSimulate {
		return l.judge(
			j,
			v1.ProvisionResponse{
				ErrorDetail: &v1.ErrorDetail{
					Class:   v1.ClassNotFound,
					Code:    "account_not_made",
					Message: "the account does not exist in the target yet",
				},
			},
		)
	}
	if j.Unsure && j.Mode != task.ModeSimulate {
		settled, found, o := l.lookFirst(ctx, j)
		if settled {
			return o
		}
		before = found.Account
		doubt = before == nil && found.Presence != v1.PresenceGone &&
			(j.Operation == task.Enable || j.Operation == task.Disable)
	}
	crashpoint.Reach("provision.send")
	res, err := l.s.Dispatch.Provision(ctx, l.target.Target, j.request(l))
	crashpoint.Reach("provision.sent")
	if err != nil {
		return l.judgeError(j, err, ctx.Err() != nil)
	}
	if res.Success && res.Account == nil && j.Operation == task.CreateAccount && res.Outcome != v1.OutcomePending {
		res.Account = l.find(ctx, j)
	}
	return l.judge(j, res)
}

// find reads the account that a create was to make; nil where that cannot be seen.
func (l *lane) find(ctx context.Context, j job) *v1.RemoteAccount {
	seen, err := l.s.Dispatch.Read(
		ctx,
		l.target.Target,
		v1.ReadRequest{
			ConnectorBusinessID: l.target.BusinessID,
			AuthConfig:          l.target.Auth,
			Accounts:            []v1.ProvisionTarget{j.target()},
		},
	)
	if err != nil || len(seen.Accounts) != 1 {
		return nil
	}
	return seen.Accounts[0].Account
}

// lookFirst reads what is there before a change is sent again whose end nobody saw. Settled means that there is nothing
// to send: all is as asked, or it cannot be seen now. Else found is the account as it was read.
func (l *lane) lookFirst(ctx context.Context, j job) (settled bool, found v1.ReadAccount, o outcome) {
	seen, err := l.read(ctx, j)
	if err != nil {
		o := l.judgeError(j, err, true)
		o.unsure = true
		return true, found, o
	}
	if len(seen.Accounts) == 1 {
		found = seen.Accounts[0]
	}
	if !j.shown(seen) {
		return false, found, outcome{}
	}
	return true, found, l.judge(
		j,
		v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeAlready, Verified: true, Account: found.Account},
	)
}

// read reads the records that a task is about.
func (l *lane) read(ctx context.Context, j job) (v1.ReadResponse, error) {
	req := v1.ReadRequest{
		ConnectorBusinessID: l.target.BusinessID,
		AuthConfig:          l.target.Auth,
		Accounts:            []v1.ProvisionTarget{j.target()},
	}
	if j.Operation == task.Grant || j.Operation == task.Revoke {
		req.Entitlements = []v1.ProvisionTarget{{Kind: "entitlement", RemoteID: j.Right, NativeRef: j.RightRef}}
	}
	return l.s.Dispatch.Read(ctx, l.target.Target, req)
}

// shown says whether what was read is what the task asks for. A password cannot be seen.
func (j job) shown(seen v1.ReadResponse) bool {
	if j.Operation == task.Grant || j.Operation == task.Revoke {
		for _, g := range seen.Grants {
			if g.EntitlementRemoteID == j.Right {
				return g.Held == (j.Operation == task.Grant)
			}
		}
		return false
	}
	if len(seen.Accounts) != 1 {
		return false
	}
	a := seen.Accounts[0].Account
	if a == nil || a.Deleted {
		// That a record is not shown is no proof that it has gone: it may lie outside of what the connector reads.
		return j.Operation == task.DeleteAccount && (a != nil || seen.Accounts[0].Presence == v1.PresenceGone)
	}
	switch j.Operation {
	case task.CreateAccount, task.UpdateAccount, task.RenameAccount:
		return j.Payload.Account != nil && as(*j.Payload.Account, *a, j.Operation == task.CreateAccount)
	case task.Enable, task.Disable:
		return a.IsDisabled != nil && *a.IsDisabled == (j.Operation == task.Disable)
	case task.Unlock:
		return a.IsLocked != nil && !*a.IsLocked
	}
	return false
}

// as says whether an account is as asked. Of a new one that has the name it was to get, what the target does not show
// is taken for right, and so is a target's own spelling in upper or lower case; a change of one that is there must be
// seen as it was asked for.
func as(asked v1.ProvisionAccount, is v1.RemoteAccount, isNew bool) bool {
	if isNew && is.Username == nil {
		return false
	}
	for _, f := range []struct{ asked, is *string }{
		{asked.Username, is.Username}, {asked.Email, is.Email}, {asked.DisplayName, is.DisplayName},
		{asked.FirstName, is.FirstName},
		{asked.LastName, is.LastName}, {asked.EmployeeNumber, is.EmployeeNumber},
	} {
		if f.is == nil && isNew {
			continue
		}
		if f.asked != nil && (f.is == nil || *f.asked != *f.is && !(isNew && strings.EqualFold(*f.asked, *f.is))) {
			return false
		}
	}
	if asked.Container != nil && !strings.EqualFold(parentOf(is.NativeIdentity), tight(*asked.Container)) {
		return false
	}
	for name, value := range asked.Attributes {
		if is, seen := is.Attributes[name]; seen && !same(value, is) {
			return false
		}
	}
	return true
}

// parentOf is the DN of what an entry lies in directly: what follows the first comma that is not escaped.
func parentOf(dn string) string {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',':
			return tight(dn[i+1:])
		}
	}
	return ""
}

// tight is a DN without the blanks that may follow its commas.
func tight(dn string) string { return strings.ReplaceAll(strings.TrimSpace(dn), ", ", ",") }

func same(a, b any) bool {
	if list, ok := b.([]any); ok && len(list) == 1 {
		b = list[0]
	}
	return reflect.DeepEqual(a, b) || fmt.Sprint(a) == fmt.Sprint(b)
}

// judgeError is the outcome of a call that gave no answer. cut says that it was given up: then it may have arrived.
func (l *lane) judgeError(j job, err error, cut bool) outcome {
	d := dispatch.Detail(err)
	if d.Class == v1.ClassInternal {
		var known *v1.ErrorDetail
		if !errors.As(err, &known) {
			l.s.Log.Error("a change failed", "task", j.ID, "err", err)
		}
	}
	o := l.judge(j, v1.ProvisionResponse{ErrorDetail: d})
	if cut || d.Class == v1.ClassInternal || d.Class == v1.ClassProtocol || d.Class == v1.ClassTransient ||
		d.Class == v1.ClassTargetFault {
		o.unsure = j.Mode != task.ModeSimulate // looking costs less than doing it twice
	}
	return o
}

// judge says what becomes of a task after an answer.
func (l *lane) judge(j job, res v1.ProvisionResponse) outcome {
	o := outcome{
		job:      j,
		result:   res.Outcome,
		plan:     res.Plan,
		changes:  res.Changes,
		by:       res.ExecutedBy,
		account:  res.Account,
		verified: res.Verified,
		detail:   res.ErrorDetail,
	}
	if !res.Success && o.detail == nil {
		o.detail = &v1.ErrorDetail{
			Class:   v1.ClassProtocol,
			Code:    "no_reason",
			Message: "the change failed, and the connector gave no reason",
		}
		if res.Error != nil {
			o.detail.Message = *res.Error
		}
	}
	switch {
	case res.Success && j.Mode == task.ModeSimulate:
		o.state, o.result = task.Simulated, v1.OutcomePlanned
	case res.Success && res.Outcome == v1.OutcomeManual:
		o.state, o.advice = task.Manual, "The target system requires that a person makes this change. Make it there, then "+
			"complete this task with a note."
	case res.Success && (res.Verified || res.Outcome == v1.OutcomeAlready || res.Outcome == v1.OutcomeNoop):
		o.state, o.verified = task.Done, true
		if j.Operation == task.CreateAccount && res.Account == nil {
			o.state, o.verified = task.Verifying, false // under which key it is there has still to be seen
		}
	case res.Success:
		o.state, o.advice = task.Verifying, told(res.Warnings)
	case j.takesAway() && j.gone(res):
		o.state, o.verified, o.result, o.detail, o.vanished = task.Done, true, v1.OutcomeAlready, nil, true
	case (j.takesAway() || j.Operation == task.Enable && j.Unsure) && unseen(o.detail):
		o.state, o.result = task.Verifying, v1.OutcomeUnknown
		o.advice = "The record was not seen, and it is not proven to be gone. It is looked for again; widen what the " +
			"connector reads, or see to it in the target."
	case res.Outcome == v1.OutcomeUnknown:
		o.unsure = true
		l.again(&o)
	default:
		l.again(&o)
	}
	return o
}

// takesAway says that the task is done where its account is gone.
func (j job) takesAway() bool {
	return j.Operation == task.Disable || j.Operation == task.DeleteAccount || j.Operation == task.Revoke
}

// gone says that the account of a refused change does not exist any more: the connector has proven it, or it does not
// tell, and full syncs have not shown the account either.
func (j job) gone(res v1.ProvisionResponse) bool {
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

// awaited says that nobody has seen yet what the target is said to have done.
func (o outcome) awaited() bool {
	return o.result == v1.OutcomePending || o.state == task.Verifying && o.result == v1.OutcomeUnknown
}

// told is what the connector has to say of a change that was made and is not all that was asked for, such as an account
// that stays disabled because its password was refused.
func told(warnings []v1.Warning) string {
	var said []string
	for _, w := range warnings {
		said = append(said, w.Message)
	}
	return strings.Join(said, " ")
}

// again says whether a change that failed is tried again, and when.
func (l *lane) again(o *outcome) {
	o.class = failure.ClassOf(o.detail)
	tries := o.job.Tries + 1
	switch {
	case failure.StopsLane(o.class) && !o.answered() || o.detail.Class == v1.ClassAgentUnavailable:
		o.state, o.pause = task.Retrying, l.haltFor(o)
		o.halt = o.detail.Message
	case o.class == failure.ClassTransient && (tries < maxTries || o.job.untiring()):
		o.state, o.counts, o.pause = task.Retrying, true, pause(tries-1)
		if o.job.untiring() {
			o.pause = min(o.pause, 5*time.Minute)
		}
		if after := o.detail.RetryAfterMS; after != nil {
			o.pause = max(o.pause, min(time.Duration(*after)*time.Millisecond, time.Hour))
		}
	default:
		o.state, o.counts, o.advice = task.Failed, true, failure.Advice(o.job.Operation, o.class, o.detail)
	}
}

// answered says that the target has refused this one change because of the connector's settings: others may well go
// through, and are not to wait behind it.
func (o outcome) answered() bool {
	return o.class == failure.ClassConfig && o.detail.Target != nil &&
		(o.detail.Target.LDAP != nil || o.detail.Target.HTTP != nil)
}

// haltFor is how long nothing is sent through the connector: as long as the target asks for, or longer after each time
// that it could not be worked with.
func (l *lane) haltFor(o *outcome) time.Duration {
	if after := o.detail.RetryAfterMS; after != nil && *after > 0 {
		d := min(time.Duration(*after)*time.Millisecond, time.Hour)
		return d + rand.N(d/10+time.Millisecond)
	}
	base := time.Minute
	if o.class == failure.ClassThrottled || o.detail.Class == v1.ClassAgentUnavailable {
		base = 5 * time.Second
	}
	d := min(base<<min(l.failed, 5), 30*time.Minute)
	return d - rand.N(d/4+1)
}
