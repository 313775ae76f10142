package scim

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/discovery"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Discover merges what the target declares with what a few of its users and groups carry. A target that declares
// nothing is known by its samples alone.
func (k *Connector) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	s, err := k.open(ctx, req.AuthConfig, report)
	if err != nil {
		return discovery.Failed(err)
	}
	defer s.Close()
	return discovery.Run(ctx, s, req, report)
}
