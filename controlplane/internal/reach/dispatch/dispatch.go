// Package dispatch makes every call of a connector. A call has the same signature whether the connector runs in this
// process (hosted) or in an agent on a customer's site; only open distinguishes the two.
package dispatch

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Modes of a connector.
const (
	Hosted = "hosted"
	Agent  = "agent"
)

// Target says which connector instance a call is for and where it runs.
type Target struct {
	// ID of the tenant.
	Tenant string `json:"tenant"`
	// ID of the connector instance.
	ConnectorID string `json:"connector_id"`
	Type        string `json:"type"` // scim2, ldap, rest, custom
	// Where the call runs: hosted in the control plane, or on an agent.
	Mode       string `json:"mode"`
	AgentID    string `json:"agent_id,omitempty"`    // in agent mode: this agent ...
	AgentGroup string `json:"agent_group,omitempty"` // ... or any of this group
	Run        string `json:"run,omitempty"`         // of a sync: the run ...
	Attempt    int    `json:"attempt,omitempty"`     // ... and its fencing number

	// Executor, where set, is called with the process that speaks to the target before the call begins.
	Executor func(v1.ExecutedBy) `json:"-"`
	// Progress, where set, gets the progress of a sync between chunks: a wait for the target's rate limit, a phase. It
	// is advice, comes from any goroutine and returns at once. In agent mode the proxy passes on the agent's progress.
	Progress func(v1.Progress) `json:"-"`
}

// Agents finds a proxy for a connector that an agent runs. The proxy is itself a connector. Its Sync emits the chunks
// that the agent cut, and acknowledges each when emit has returned without an error.
type Agents interface {
	Connector(ctx context.Context, t Target) (connectorkit.Connector, error)
}

// Dispatcher sends calls to where they run.
type Dispatcher struct {
	// HostedConnector gives the connector of a type, bound to the guarded dialer of this process.
	HostedConnector func(connectorType string) (connectorkit.Connector, error)
	// Agents finds the proxy of an agent that is online.
	Agents Agents
}

// Test probes a connection.
func (d *Dispatcher) Test(
	ctx context.Context,
	t Target,
	req v1.TestRequest,
	report connectorkit.Report,
) (v1.TestResponse, error) {
	c, err := d.open(ctx, t)
	if err != nil {
		return v1.TestResponse{}, err
	}
	return c.Test(ctx, req, report)
}

// Discover reads a target's schema with samples.
func (d *Dispatcher) Discover(
	ctx context.Context,
	t Target,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	c, err := d.open(ctx, t)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	return c.Discover(ctx, req, report)
}

// Sync reads a target in chunks. emit gets them in order and one at a time; the last has Page.HasMore false. A nil
// error without such a chunk does not occur.
func (d *Dispatcher) Sync(ctx context.Context, t Target, req v1.SyncRequest, emit connectorkit.Emit) error {
	c, err := d.open(ctx, t)
	if err != nil {
		return err
	}
	if by, ok := c.(interface{ ExecutedBy() v1.ExecutedBy }); ok && t.Executor != nil {
		t.Executor(by.ExecutedBy())
	}
	if t.Progress != nil {
		ctx = connectorkit.WithReport(ctx, t.Progress)
	}
	ended := false
	watch := func(ctx context.Context, page v1.SyncResponse) error {
		ended = page.Page == nil || !page.Page.HasMore
		return emit(ctx, page)
	}
	if t.Mode == Agent {
		// The agent has cut the chunks already, with the very same function.
		err = c.Sync(ctx, req, watch)
	} else {
		err = ahead(ctx, watch, func(ctx context.Context, emit connectorkit.Emit) error {
			return connectorkit.Sync(ctx, c, req, connectorkit.LimitsOf(req, wire.TargetFrame), emit)
		})
	}
	if err == nil && !ended {
		return &v1.ErrorDetail{
			Class:   v1.ClassProtocol,
			Code:    "unfinished_read",
			Message: "the connector ended without saying that it had read everything",
		}
	}
	return err
}

// Provision makes one change in a target. An answer of outcome unknown is not an error: the caller reads before it
// tries again.
func (d *Dispatcher) Provision(ctx context.Context, t Target, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	p, err := d.changer(ctx, t)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	return p.Provision(ctx, req)
}

// Read returns a few records of a target as they are now.
func (d *Dispatcher) Read(ctx context.Context, t Target, req v1.ReadRequest) (v1.ReadResponse, error) {
	p, err := d.changer(ctx, t)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	return p.Read(ctx, req)
}

// Writes says which changes connectors of a type can make with these settings. It asks no agent: both modes run the
// same code.
func (d *Dispatcher) Writes(connectorType string, auth v1.AuthConfig) connectorkit.Writes {
	c, err := d.HostedConnector(connectorType)
	if err != nil {
		return connectorkit.Writes{Why: err.Error()}
	}
	p, can := c.(connectorkit.Provisioner)
	if !can {
		return connectorkit.Writes{Why: "connectors of type " + connectorType + " only read"}
	}
	return p.Writes(auth)
}

// changer opens a connector that can make changes. The error of one that cannot has the code
// read_only_connector.
func (d *Dispatcher) changer(ctx context.Context, t Target) (connectorkit.Changer, error) {
	c, err := d.open(ctx, t)
	if err != nil {
		return nil, err
	}
	if p, can := c.(connectorkit.Changer); can {
		return p, nil
	}
	return nil, &v1.ErrorDetail{
		Class:   v1.ClassConfig,
		Code:    "read_only_connector",
		Message: "connectors of type " + t.Type + " only read: nothing can be changed through them",
	}
}

// open gives the connector: of this process, or the proxy of an agent.
func (d *Dispatcher) open(ctx context.Context, t Target) (connectorkit.Connector, error) {
	switch t.Mode {
	case Hosted:
		return d.HostedConnector(t.Type)
	case Agent:
		return d.Agents.Connector(ctx, t)
	}
	return nil, &v1.ErrorDetail{
		Class:   v1.ClassConfig,
		Code:    "unknown_mode",
		Message: "a connector's mode is hosted or agent",
	}
}

// ahead lets the connector read its next chunk while the receiver stores the last one: two chunks are held at most.
func ahead(ctx context.Context, emit connectorkit.Emit, read func(context.Context, connectorkit.Emit) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pages := make(chan v1.SyncResponse, 1)
	done := make(chan error, 1)
	go func() {
		defer close(pages)
		done <- read(ctx, func(ctx context.Context, page v1.SyncResponse) error {
			select {
			case pages <- page:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	var failed error
	for page := range pages {
		if failed != nil {
			continue
		}
		if failed = emit(ctx, page); failed != nil {
			cancel(failed)
		}
	}
	err := <-done
	if failed != nil {
		return failed
	}
	return err
}

// Detail finds the target's own error in err, or says which kind of trouble err is.
func Detail(err error) *v1.ErrorDetail {
	var d *v1.ErrorDetail
	switch {
	case errors.As(err, &d):
		return d
	case errors.Is(err, context.Canceled):
		return &v1.ErrorDetail{Class: v1.ClassCancelled, Code: "cancelled", Message: "the call was cancelled"}
	case errors.Is(err, context.DeadlineExceeded):
		return &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "deadline",
			Message:   "the call took longer than it may",
			Retryable: true,
		}
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassInternal,
		Code:    "internal",
		Message: "an internal error occurred in the service, not in the target; see the log",
	}
}
