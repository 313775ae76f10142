package rest

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	"github.com/grantwright/grantwright/connectorkit/rest/write"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Writes says which changes the settings have templates for.
func (c *connector) Writes(auth v1.AuthConfig) connectorkit.Writes {
	cfg, err := connection.Read(connection.Canonical(auth))
	if err != nil {
		return connectorkit.Writes{Ops: []v1.ProvisionOp{}, Why: err.Error()}
	}
	return cfg.Writes.Offered()
}

// Provision makes one change by its template, and looks before and after where there are reads.
func (c *connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	cfg, client, err := c.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer client.Close()
	w, err := write.New(ctx, &cfg.Config, cfg.Writes, client, c.env)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	return w.Provision(ctx, req)
}

// Read returns the current state of a few accounts, by the reads that the settings declare.
func (c *connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if len(req.Accounts) > v1.MaxRead || len(req.Entitlements) > v1.MaxRead {
		return v1.ReadResponse{}, write.ConfigError(
			"too_many",
			fmt.Sprintf("at most %d accounts and entitlements are read at once", v1.MaxRead),
			"",
		)
	}
	cfg, client, err := c.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer client.Close()
	w, err := write.New(ctx, &cfg.Config, cfg.Writes, client, c.env)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	return w.ReadAccounts(ctx, req)
}
