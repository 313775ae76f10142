package trail

import (
	"context"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/signingkey"
)

// Rotate lets a new key sign checkpoints from now on; the old one only verifies. Before that, an entry in each of the
// tenants' logs names the new key, and the old one signs the log up to there: verifiers that trust the old key trust it
// for the new. What was interrupted is taken up again with the same key. A log that does not verify is left unsigned
// and recorded in the log of the process.
func (s *Service) Rotate(ctx context.Context, tenants []string) (signingkey.Key, error) {
	key, err := s.Keys.Prepare(ctx)
	if err != nil {
		return key, fmt.Errorf("make a new key of the audit log: %w", err)
	}
	for _, tenant := range tenants {
		if err := s.announceKey(ctx, viewer.System(tenant), key); err != nil {
			return key, fmt.Errorf("announce the audit log's new key to tenant %s: %w", tenant, err)
		}
	}
	if err := s.Keys.Promote(ctx, key.ID); err != nil {
		return key, fmt.Errorf("let the audit log's new key sign: %w", err)
	}
	return key, nil
}

// announceKey names the key in a tenant's log, once, and has the old key sign it.
func (s *Service) announceKey(ctx context.Context, v viewer.Viewer, key signingkey.Key) error {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			select exists (select from audit_event
			                where tenant_id = (select current_tenant())
			                  and action = 'audit.key_rotated'
			                  and event::json -> 'context' ->> 'key_id' = $1)`
		var done bool
		if err := tx.QueryRow(ctx, sql, key.ID).Scan(&done); err != nil || done {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "audit.key_rotated", Subject: theLog(tx), Context: map[string]any{
				"key_id": key.ID, "fingerprint": chain.Fingerprint(key.Public),
			}},
		)
	})
	if err != nil {
		return err
	}
	err = s.signThrough(ctx, v, 0)
	var b *chain.Break
	if errors.As(err, &b) {
		s.reportBreak(ctx, v.Tenant, b)
		return nil
	}
	return err
}
