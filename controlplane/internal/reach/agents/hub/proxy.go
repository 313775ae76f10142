package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/call"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Proxy is a connector that an agent runs over its socket in this process.
type Proxy struct {
	hub     *Hub
	session *session.Session
	target  dispatch.Target
}

// ExecutedBy says which machine speaks to the target.
func (p *Proxy) ExecutedBy() v1.ExecutedBy { return p.session.ExecutedBy() }

// Test probes the connection from the agent's host.
func (p *Proxy) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	resp, err := ask[v1.TestResponse](ctx, p, wire.KindTest, req, report)
	if err == nil {
		by := p.session.ExecutedBy()
		resp.ExecutedBy = &by
	}
	return resp, err
}

// Discover reads the target's fields from the agent's host.
func (p *Proxy) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return ask[v1.DiscoverResponse](ctx, p, wire.KindDiscover, req, report)
}

// Sync emits the chunks that the agent has cut, in order and each once, and acknowledges each when emit has returned
// nil. When the connection breaks it goes on with the same agent's next one, if that comes soon enough.
func (p *Proxy) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	request, err := agents.Encode(req)
	if err != nil {
		return err
	}
	run := cmp.Or(p.target.Run, uuid.Must(uuid.NewV7()).String())
	offer := p.offer(ctx, wire.KindSync, request)
	offer.Credit = wire.DefaultCredit
	// The task is named after its run, so that an attempt on the same agent meets the one before it.
	c := call.New(p.session, offer, run, run, max(1, p.target.Attempt))
	e := p.execution(c)
	e.Emit, e.Hear = emit, p.target.Progress
	if _, err := e.Do(ctx, p.session); err != nil {
		return err
	}
	p.hub.peers.succeeded(p.target, p.session.Key.Agent)
	return nil
}

func (p *Proxy) offer(ctx context.Context, kind wire.TaskKind, request json.RawMessage) wire.Offer {
	o := wire.Offer{
		Kind: kind, ConnectorID: p.target.ConnectorID, ConnectorType: p.target.Type, Request: request,
		ProgressTimeoutS: int(p.hub.timing.Progress / time.Second),
	}
	if until, ok := ctx.Deadline(); ok {
		until = until.UTC()
		o.Deadline = &until
	}
	return o
}

// execution is the caller's side of a call over the proxy's session.
func (p *Proxy) execution(c *call.Call) *call.Execution {
	return &call.Execution{Calls: p.hub.peers, Timing: p.hub.timing, Call: c}
}

// ask makes a call that has one answer.
func ask[T any](ctx context.Context, p *Proxy, kind wire.TaskKind, req any, report connectorkit.Report) (T, error) {
	var answer T
	request, err := agents.Encode(req)
	if err != nil {
		return answer, err
	}
	c := call.New(p.session, p.offer(ctx, kind, request), uuid.Must(uuid.NewV7()).String(), "", 1)
	e := p.execution(c)
	e.Report = report
	result, err := e.Do(ctx, p.session)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return answer, agents.Malformed("the agent's answer", err)
	}
	return answer, nil
}

// Provision has the agent make one change. An error says that nothing was changed; a change that may or may not have
// arrived is an answer of outcome unknown.
func (p *Proxy) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	if err := p.writes(); err != nil {
		return v1.ProvisionResponse{}, err
	}
	request, err := agents.Encode(req)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	c := call.New(p.session, p.offer(ctx, wire.KindProvision, request), uuid.Must(uuid.NewV7()).String(), "", 1)
	e := p.execution(c)
	result, err := e.Do(ctx, p.session)
	by := p.session.ExecutedBy()
	var answer v1.ProvisionResponse
	switch {
	case err != nil && (req.DryRun || e.Untouched):
		return answer, err
	case err != nil:
		return agents.OutcomeUnknown(err, by), nil
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return agents.OutcomeUnknown(agents.Malformed("the agent's answer", err), by), nil
	}
	answer.ExecutedBy = &by
	return answer, nil
}

// Read has the agent tell how records are now.
func (p *Proxy) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if err := p.writes(); err != nil {
		return v1.ReadResponse{}, err
	}
	return ask[v1.ReadResponse](ctx, p, wire.KindRead, req, nil)
}

// writes says whether the agent's program knows how to change a target.
func (p *Proxy) writes() error {
	if p.session.Hello.Capability >= wire.WriteCapability {
		return nil
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig,
		Code:  "agent_too_old",
		Message: fmt.Sprintf(
			"the agent %s can read and not write: its version %s is too old",
			p.session.Name,
			p.session.Hello.Version,
		),
		Hint: "update the agent; what waits is done then",
	}
}
