package scim

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/scim/lookup"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Read returns the current state of a few users, and which of the entitlements they hold. What the target does not
// tell is left out.
func (k *Connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if len(req.Accounts) > v1.MaxRead || len(req.Entitlements) > v1.MaxRead {
		return v1.ReadResponse{}, resource.InvalidRequest(
			"too_many",
			fmt.Sprintf("at most %d accounts and entitlements are read at once", v1.MaxRead),
			"",
		)
	}
	s, err := k.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer s.Close()
	return lookup.Accounts(ctx, s, &k.cache, req)
}
