package ldap

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/discovery"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/probe"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/readback"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

type connector struct{ env connectorkit.Env }

// New makes the LDAP connector. It keeps nothing between calls.
func New(env connectorkit.Env) connectorkit.Connector {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Log == nil {
		env.Log = slog.New(slog.DiscardHandler)
	}
	return &connector{env: env}
}

func (c *connector) Test(
	ctx context.Context, req v1.TestRequest, report connectorkit.Report,
) (v1.TestResponse, error) {
	return probe.Test(ctx, c.env, req, report)
}

func (c *connector) Discover(
	ctx context.Context, req v1.DiscoverRequest, report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return discovery.Discover(ctx, c.env, req, report)
}

func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	return sync(ctx, c.env, req, emit)
}

func (c *connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	return provision(ctx, c.env, req)
}

func (c *connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	return readback.Read(ctx, c.env, req)
}

func (c *connector) Writes(auth v1.AuthConfig) connectorkit.Writes { return writesOf(auth, c.env) }
