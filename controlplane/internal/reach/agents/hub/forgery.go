package hub

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

// forgery refuses an agent that gives itself for another one.
func (h *Hub) forgery(ctx context.Context, v viewer.Viewer, hello wire.Hello) error {
	err := h.DB.As(ctx, v, func(tx *pg.Tx) error { return agents.Forged(ctx, tx, hello.AgentID) })
	if err != nil {
		return fmt.Errorf("record forged identity: %w", err)
	}
	return &wire.CloseError{Code: wire.CloseRevoked, Reason: "the token belongs to another agent"}
}
