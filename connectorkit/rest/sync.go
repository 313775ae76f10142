package rest

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/read"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync reads the streams in the order given. After each page of a stream come those that hang on its records, so that a
// read that is taken over reads no more than a page again.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	cfg, client, err := c.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	return read.Run(ctx, &cfg.Config, client, req, emit)
}
