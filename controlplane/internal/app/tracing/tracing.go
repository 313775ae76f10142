package tracing

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// traced is a connector each call of which is a span.
type traced struct {
	connectorkit.Connector
	traces *telemetry.Traces
	name   string
}

// Wrap gives the connector itself where nothing is traced.
func Wrap(c connectorkit.Connector, traces *telemetry.Traces, connectorType string) connectorkit.Connector {
	if c == nil || traces == nil {
		return c
	}
	t := traced{c, traces, "connector " + connectorType}
	if p, can := c.(connectorkit.Provisioner); can {
		return tracedProvisioner{t, p}
	}
	return t
}

// Test is the connector's, in a span.
func (t traced) Test(
	ctx context.Context,
	req v1.TestRequest,
	report connectorkit.Report,
) (out v1.TestResponse, err error) {
	err = t.traces.Within(ctx, t.name+" test", func(ctx context.Context) (err error) {
		out, err = t.Connector.Test(connectorkit.WithTrace(ctx, telemetry.Traceparent(ctx)), req, report)
		return err
	})
	return out, err
}

// Discover is the connector's, in a span.
func (t traced) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (out v1.DiscoverResponse, err error) {
	err = t.traces.Within(ctx, t.name+" discover", func(ctx context.Context) (err error) {
		out, err = t.Connector.Discover(connectorkit.WithTrace(ctx, telemetry.Traceparent(ctx)), req, report)
		return err
	})
	return out, err
}

// Sync is the connector's, in a span.
func (t traced) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	return t.traces.Within(ctx, t.name+" sync", func(ctx context.Context) error {
		return t.Connector.Sync(connectorkit.WithTrace(ctx, telemetry.Traceparent(ctx)), req, emit)
	})
}

// tracedProvisioner is a connector each change of which is a span too.
type tracedProvisioner struct {
	traced
	changes connectorkit.Provisioner
}

// Provision is the connector's, in a span.
func (t tracedProvisioner) Provision(
	ctx context.Context,
	req v1.ProvisionRequest,
) (out v1.ProvisionResponse, err error) {
	err = t.traces.Within(ctx, t.name+" "+string(req.Op), func(ctx context.Context) (err error) {
		out, err = t.changes.Provision(connectorkit.WithTrace(ctx, telemetry.Traceparent(ctx)), req)
		return err
	})
	return out, err
}

// Read is the connector's, in a span.
func (t tracedProvisioner) Read(ctx context.Context, req v1.ReadRequest) (out v1.ReadResponse, err error) {
	err = t.traces.Within(ctx, t.name+" read", func(ctx context.Context) (err error) {
		out, err = t.changes.Read(connectorkit.WithTrace(ctx, telemetry.Traceparent(ctx)), req)
		return err
	})
	return out, err
}

// Writes is the connector's.
func (t tracedProvisioner) Writes(auth v1.AuthConfig) connectorkit.Writes {
	return t.changes.Writes(auth)
}
