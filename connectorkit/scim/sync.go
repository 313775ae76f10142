package scim

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/read"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync reads users, then groups with their members. Asked for changes it reads, where the target can tell them, users
// by meta.lastModified, the ids of all users and groups, so that what is gone is found, and groups that changed. What
// it falls back on, and why, stands in Page.Read.
func (k *Connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	s, err := k.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	return read.Sync(ctx, s, req, emit)
}
