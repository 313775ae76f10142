package trail

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// Rotate lets a new key sign checkpoints from now on; the old one only verifies. Before that, an entry in each of the
// tenants' logs names the new key, and the old one signs the log up to there: whoever trusts the old key has its word
// for the new. What was interrupted is taken up again with the same key. A log that does not verify is left unsigned
// and told of in the log of the process.
func (s *Service) Rotate(ctx context.Context, tenants []string) (Key, error) {
	key, err := s.Keys.prepare(ctx)
	if err != nil {
		return key, fmt.Errorf("make a new key of the audit log: %w", err)
	}
	for _, tenant := range tenants {
		if err := s.announceKey(ctx, viewer.System(tenant), key); err != nil {
			return key, fmt.Errorf("announce the audit log's new key to tenant %s: %w", tenant, err)
		}
	}
	if err := s.Keys.promote(ctx, key.ID); err != nil {
		return key, fmt.Errorf("let the audit log's new key sign: %w", err)
	}
	return key, nil
}

// announceKey names the key in a tenant's log, once, and has the old key sign it.
func (s *Service) announceKey(ctx context.Context, v viewer.Viewer, key Key) error {
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
		s.Log.ErrorContext(
			ctx,
			"the audit log does not verify and is not signed",
			"tenant",
			v.Tenant,
			"seq",
			b.Seq,
			"kind",
			b.Kind,
			"why",
			b.Detail,
		)
		return nil
	}
	return err
}

// prepare makes a key that does not sign yet, or finds the one that was made before.
func (k *Keys) prepare(ctx context.Context) (key Key, err error) {
	if _, err := k.All(ctx); err != nil { // there must be one to follow
		return key, err
	}
	err = k.locked(ctx, func(tx *pg.Tx, keys []Key) error {
		waiting := func(each Key) bool { return each.next }
		if !slices.ContainsFunc(keys, waiting) {
			if err := k.create(ctx, tx, next); err != nil {
				return err
			}
			if keys, err = k.read(ctx, tx); err != nil {
				return err
			}
		}
		key = keys[slices.IndexFunc(keys, waiting)]
		return nil
	})
	return key, err
}

// promote lets a key sign instead of the one that does.
func (k *Keys) promote(ctx context.Context, kid string) error {
	return k.locked(ctx, func(tx *pg.Tx, _ []Key) error {
		const end = `
			update signing_key
			   set state = $3, ended_at = now()
			 where audience = $1 and state = 'active' and kid <> $2`
		if _, err := tx.Exec(ctx, end, audience, kid, verifyOnly); err != nil {
			return err
		}
		const begin = `
			update signing_key
			   set state = $3, activated_at = now()
			 where audience = $1 and kid = $2 and state = 'next'`
		_, err := tx.Exec(ctx, begin, audience, kid, active)
		return err
	})
}
