package relay

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Remote is a connector on an agent whose socket another process holds. Calls travel as rows; what they carry is
// sealed.
type Remote struct {
	Relay  *Relay
	Target dispatch.Target // names the agent
	By     v1.ExecutedBy   // the agent's host
}

// ExecutedBy says which machine speaks to the target.
func (r *Remote) ExecutedBy() v1.ExecutedBy { return r.By }

// Test probes the connection. Steps are not reported as they end: they come with the answer.
func (r *Remote) Test(ctx context.Context, req v1.TestRequest, _ connectorkit.Report) (v1.TestResponse, error) {
	return askElsewhere[v1.TestResponse](ctx, r, wire.KindTest, req)
}

// Discover reads the target's fields.
func (r *Remote) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	_ connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return askElsewhere[v1.DiscoverResponse](ctx, r, wire.KindDiscover, req)
}

// Sync is refused: a run is worked on by the process that holds the socket.
func (r *Remote) Sync(context.Context, v1.SyncRequest, connectorkit.Emit) error {
	return &v1.ErrorDetail{
		Class: v1.ClassAgentUnavailable, Code: "agent_elsewhere", Retryable: true,
		Message: "the agent is connected to another process of the control plane",
	}
}

func askElsewhere[T any](ctx context.Context, r *Remote, kind wire.TaskKind, req any) (T, error) {
	var answer T
	request, err := agents.Encode(req)
	if err != nil {
		return answer, err
	}
	back, err := r.Relay.send(ctx, r.Target, kind, request)
	switch {
	case err != nil:
		return answer, err
	case back.Error != nil:
		return answer, back.Error
	}
	if err := json.Unmarshal(back.Result, &answer); err != nil {
		return answer, agents.Malformed("the agent's answer", err)
	}
	return answer, nil
}

// Provision has another process's agent make one change. That process tells an error from a change that may have been
// made; what goes wrong between the processes leaves that open.
func (r *Remote) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	var answer v1.ProvisionResponse
	request, err := agents.Encode(req)
	if err != nil {
		return answer, err
	}
	back, err := r.Relay.send(ctx, r.Target, wire.KindProvision, request)
	if err == nil && back.Error == nil {
		if err = json.Unmarshal(back.Result, &answer); err == nil {
			return answer, nil
		}
		err = agents.Malformed("the agent's answer", err)
	}
	switch {
	case back.Error != nil:
		return answer, back.Error
	case req.DryRun:
		return answer, err
	}
	return agents.OutcomeUnknown(err, r.By), nil
}

// Read has another process's agent tell how records are now.
func (r *Remote) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	return askElsewhere[v1.ReadResponse](ctx, r, wire.KindRead, req)
}
