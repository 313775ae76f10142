package attempt

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Caller sends the tasks of one connector. Several goroutines may use it at once.
type Caller struct {
	Dispatch Dispatcher
	// Opened is the connector with its settings and credentials, for one pass over its tasks.
	Opened callable.Connector
	Log    *slog.Logger
	Limit  time.Duration // of one call

	// failures is how often, one after the other, the target could not be worked with: the next wait grows with it.
	Failures atomic.Int64
}

// Send sends a task and judges the answer. What becomes of the task is written afterwards, by the package settle.
func (c *Caller) Send(ctx context.Context, j Job) (o Outcome) {
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	began := time.Now()
	doubt := false // it may have been made by an earlier attempt, and its record was not seen since
	var before *v1.RemoteAccount
	defer func() {
		if cause := recover(); cause != nil {
			o = c.judgeError(j, fmt.Errorf("panic: %v", cause), true)
			c.Log.ErrorContext(ctx, "the connector panicked over a change", "task", j.ID, "cause", fmt.Sprint(cause))
		}
		o.Took, o.Before, o.Unsure = time.Since(began), before, o.Unsure || doubt && o.Detail != nil
	}()
	if j.Operation != task.CreateAccount && j.RemoteID == "" && j.Mode != task.ModeSimulate {
		return c.judge(
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
		settled, found, o := c.lookFirst(ctx, j)
		if settled {
			return o
		}
		before = found.Account
		doubt = before == nil && found.Presence != v1.PresenceGone &&
			(j.Operation == task.Enable || j.Operation == task.Disable)
	}
	crashpoint.Reach("provision.send")
	res, err := c.Dispatch.Provision(ctx, c.Opened.Target, j.Request(c.Opened))
	crashpoint.Reach("provision.sent")
	if err != nil {
		return c.judgeError(j, err, ctx.Err() != nil)
	}
	if res.Success && res.Account == nil && j.Operation == task.CreateAccount && res.Outcome != v1.OutcomePending {
		res.Account = c.find(ctx, j)
	}
	return c.judge(j, res)
}

// find reads the account that a create was to make; nil where that cannot be seen.
func (c *Caller) find(ctx context.Context, j Job) *v1.RemoteAccount {
	seen, err := c.Dispatch.Read(
		ctx,
		c.Opened.Target,
		v1.ReadRequest{
			ConnectorBusinessID: c.Opened.BusinessID,
			AuthConfig:          c.Opened.Auth,
			Accounts:            []v1.ProvisionTarget{j.target()},
		},
	)
	if err != nil || len(seen.Accounts) != 1 {
		return nil
	}
	return seen.Accounts[0].Account
}

// lookFirst reads what is there before a change with an unknown end is sent again. Settled means that there is nothing
// to send: all is as asked, or it cannot be seen now. Else found is the account as it was read.
func (c *Caller) lookFirst(ctx context.Context, j Job) (settled bool, found v1.ReadAccount, o Outcome) {
	seen, err := c.read(ctx, j)
	if err != nil {
		o := c.judgeError(j, err, true)
		o.Unsure = true
		return true, found, o
	}
	if len(seen.Accounts) == 1 {
		found = seen.Accounts[0]
	}
	if !j.shown(seen) {
		return false, found, Outcome{}
	}
	return true, found, c.judge(
		j,
		v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeAlready, Verified: true, Account: found.Account},
	)
}

// read reads the records that a task is about.
func (c *Caller) read(ctx context.Context, j Job) (v1.ReadResponse, error) {
	req := v1.ReadRequest{
		ConnectorBusinessID: c.Opened.BusinessID,
		AuthConfig:          c.Opened.Auth,
		Accounts:            []v1.ProvisionTarget{j.target()},
	}
	if j.Operation == task.Grant || j.Operation == task.Revoke {
		req.Entitlements = []v1.ProvisionTarget{{Kind: "entitlement", RemoteID: j.Right, NativeRef: j.RightRef}}
	}
	return c.Dispatch.Read(ctx, c.Opened.Target, req)
}
