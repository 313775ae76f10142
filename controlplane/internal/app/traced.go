package app

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

// withTraces gives the connector itself where nothing is traced.
func withTraces(c connectorkit.Connector, traces *telemetry.Traces, connectorType string) connectorkit.Connector {
	if c == nil || traces == nil {
		return c
	}
	return traced{c, traces, "connector " + connectorType}
}

// Test is the connector's, in a span.
func (t traced) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (out v1.TestResponse, err error) {
	err = t.traces.Within(ctx, t.name+" test", func(ctx context.Context) (err error) {
		out, err = t.Connector.Test(connectorkit.WithTrace(ctx, telemetry.Traceparent(ctx)), req, report)
		return err
	})
	return out, err
}

// Discover is the connector's, in a span.
func (t traced) Discover(ctx context.Context, req v1.DiscoverRequest, report connectorkit.Report) (out v1.DiscoverResponse, err error) {
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
