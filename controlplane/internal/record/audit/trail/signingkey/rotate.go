package signingkey

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Prepare makes a key that does not sign yet, or finds the one that was made before.
func (k *Keys) Prepare(ctx context.Context) (key Key, err error) {
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

// Promote lets the prepared key sign, and the one that has signed only verify.
func (k *Keys) Promote(ctx context.Context, kid string) error {
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
