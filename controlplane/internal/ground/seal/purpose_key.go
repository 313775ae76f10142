package seal

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Keys of the deployment that outlive the master key they were sealed under.
const (
	Cursors   = "cursor"   // seals the cursors of lists
	Callbacks = "callback" // each connector's callback secret is derived from it
	SignIns   = "oidc"     // what ties a sign-in with an outside provider together is derived from it
)

var lasting = []string{Cursors, Callbacks, SignIns}

// PurposeKey is a key of 32 bytes for one of the deployment's purposes. It is kept sealed in the database, so that it
// stays the same when the master key changes: receivers of callbacks go on to verify what they get, and cursors that
// are out go on to work.
//
// The first process to ask makes it of the master key, as releases did that kept none.
func (k *Keyring) PurposeKey(ctx context.Context, db *pg.DB, purpose string) (key []byte, err error) {
	err = db.Deployment(ctx, func(tx *pg.Tx) error {
		var sealed []byte
		const sql = `
			select sealed
			  from deployment_secret
			 where name = $1`
		err := tx.QueryRow(ctx, sql, purpose).Scan(&sealed)
		if errors.Is(err, pgx.ErrNoRows) {
			if err := k.keepLasting(ctx, tx, purpose); err != nil {
				return err
			}
			err = tx.QueryRow(ctx, sql, purpose).Scan(&sealed)
		}
		if err != nil {
			return err
		}
		key, err = k.OpenGlobal(lastingPurpose(purpose), sealed)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the deployment's %s key: %w", purpose, err)
	}
	return key, nil
}

// keepLasting stores what is derived now under a purpose, unless another process has stored it
// already: the first one wins, and whoever calls reads the row afterwards. Repeating it changes
// nothing.
func (k *Keyring) keepLasting(ctx context.Context, tx *pg.Tx, purpose string) error {
	sealed, err := k.SealGlobal(lastingPurpose(purpose), k.Derive(purpose))
	if err != nil {
		return err
	}
	const sql = `
		insert into deployment_secret (name, sealed)
		values ($1, $2)
		    on conflict do nothing`
	_, err = tx.Exec(ctx, sql, purpose, sealed)
	return err
}

// lastingPurpose separates what is sealed here from what other callers of SealGlobal seal.
func lastingPurpose(purpose string) string { return "deployment|" + purpose }
