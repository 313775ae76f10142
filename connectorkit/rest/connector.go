package rest

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// connector implements connectorkit.Connector. shared is what calls of one target have in common,
// such as tokens.
type connector struct {
	env    connectorkit.Env
	shared *target.Shared
	// Nil but in tests.
	sleep target.Sleep
}

// New makes the connector. OAuth2 tokens, rate budgets and circuits are those of the process; see target.Process.
func New(env connectorkit.Env) connectorkit.Connector {
	return &connector{env: env, shared: target.Process()}
}

// open reads the settings of a call and makes its client, which the caller closes.
func (c *connector) open(
	ctx context.Context,
	auth v1.AuthConfig,
	report connectorkit.Report,
) (*connection.Settings, *target.Client, error) {
	auth = connection.Canonical(auth)
	cfg, err := connection.Read(auth)
	if err != nil {
		return nil, nil, err
	}
	cfg.Options.Scrub = connectorkit.ScrubberFor(auth, connection.Fields())
	cfg.Options.Report = report
	cfg.Options.Shared = c.shared
	cfg.Options.Sleep = c.sleep
	client, err := target.New(ctx, c.env, cfg.Options)
	if err != nil {
		return nil, nil, err
	}
	return cfg, client, nil
}
