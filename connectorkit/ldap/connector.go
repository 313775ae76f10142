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

// connector implements connectorkit.Connector. Each method opens a connection of its own and closes
// it before it returns, so that one connector serves calls of several tenants at the same time.
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

// Test implements connectorkit.Connector. Each step is reported as soon as it has ended; see
// package probe for their names and order.
func (c *connector) Test(
	ctx context.Context, req v1.TestRequest, report connectorkit.Report,
) (v1.TestResponse, error) {
	return probe.Test(ctx, c.env, req, report)
}

// Discover implements connectorkit.Connector. It describes the classes of people and groups, by the
// declared schema and a sample of entries; see package discovery.
func (c *connector) Discover(
	ctx context.Context, req v1.DiscoverRequest, report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return discovery.Discover(ctx, c.env, req, report)
}

// Sync implements connectorkit.Connector. Pages are emitted in the order in which entries are read:
// on Active Directory groups come before people, elsewhere people come first.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	return sync(ctx, c.env, req, emit)
}

// Provision implements connectorkit.Connector. It makes one change and reads the account or the
// membership again afterwards. A change that is needless already is a success.
func (c *connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	return provision(ctx, c.env, req)
}

// Read implements connectorkit.Connector. It reads single accounts and their memberships; see
// package readback.
func (c *connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	return readback.Read(ctx, c.env, req)
}

// Writes implements connectorkit.Connector. It only looks at the settings and asks no directory.
func (c *connector) Writes(auth v1.AuthConfig) connectorkit.Writes { return writesOf(auth, c.env) }
