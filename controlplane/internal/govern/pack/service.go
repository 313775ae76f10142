package pack

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service keeps, installs and binds packs.
type Service struct {
	DB            *pg.DB
	Cursors       *httpapi.Cursors
	Trusted       []ed25519.PublicKey // whose packs may be uploaded
	AllowUnsigned bool                // the operator lets anybody's be
	Log           *slog.Logger
	Now           func() time.Time
}

// turn lets one transaction at a time change the packs of a tenant.
func turn(ctx context.Context, tx *pg.Tx) error {
	if _, err := tx.Exec(
		ctx,
		`select pg_advisory_xact_lock(hashtextextended('sector packs ' || current_tenant()::text, 0))`,
	); err != nil {
		return fmt.Errorf("wait for the turn of packs: %w", err)
	}
	return nil
}

// actor is who changes something, as it is kept.
func actor(tx *pg.Tx) map[string]any {
	return map[string]any{"type": string(tx.Viewer.Kind), "id": tx.Viewer.ID, "display": tx.Viewer.Display}
}
