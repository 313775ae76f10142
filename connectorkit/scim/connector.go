package scim

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connector reads and changes SCIM service providers. Between calls it keeps tokens, rate budgets, and what targets
// declare.
type Connector struct {
	env connectorkit.Env
	// shared is what all calls of this process have in common by target: tokens and the budget of
	// requests.
	shared *target.Shared
	sleep  target.Sleep // for tests
	// cache spares asking a target for its declaration with each change.
	cache provider.Cache
}

// New makes a connector that reaches its targets through env.
func New(env connectorkit.Env) connectorkit.Connector {
	return &Connector{env: env, shared: target.Process()}
}

// open reads the settings of a call and makes a client for it. Nothing is asked of the target yet.
// The caller closes the session.
func (k *Connector) open(
	ctx context.Context, auth v1.AuthConfig, report connectorkit.Report,
) (*provider.Session, error) {
	return provider.Open(ctx, k.env, auth, target.Options{Report: report, Shared: k.shared, Sleep: k.sleep})
}
