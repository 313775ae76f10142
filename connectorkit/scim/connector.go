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
	env    connectorkit.Env
	shared *target.Shared
	sleep  target.Sleep // for tests
	cache  provider.Cache
}

// New makes a connector that reaches its targets through env.
func New(env connectorkit.Env) connectorkit.Connector {
	return &Connector{env: env, shared: target.Process()}
}

func (k *Connector) open(
	ctx context.Context, auth v1.AuthConfig, report connectorkit.Report,
) (*provider.Session, error) {
	return provider.Open(ctx, k.env, auth, target.Options{Report: report, Shared: k.shared, Sleep: k.sleep})
}
