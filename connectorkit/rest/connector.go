package rest

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

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
) (*callSettings, *target.Client, error) {
	auth = canonical(auth)
	cfg, err := readSettings(auth)
	if err != nil {
		return nil, nil, err
	}
	cfg.options.Scrub = connectorkit.ScrubberFor(auth, Fields())
	cfg.options.Report = report
	cfg.options.Shared = c.shared
	cfg.options.Sleep = c.sleep
	client, err := target.New(ctx, c.env, cfg.options)
	if err != nil {
		return nil, nil, err
	}
	return cfg, client, nil
}
