package signingkey

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

const (
	audience = "audit"
	keyLock  = 0x67725f61756474 // "gr_audt": of processes that start together, one makes the key
)

// States of a key, of those that the table knows.
const (
	next       = "next"
	active     = "active"
	verifyOnly = "verify_only"
)

// Keys sign checkpoints and say which keys ever did.
type Keys struct {
	DB   *pg.DB
	Ring *seal.Keyring
}

// Key is one of the deployment's keys for checkpoints.
type Key struct {
	ID     string
	Public ed25519.PublicKey
	Active bool

	next    bool // it is announced, and signs when every log names it
	Private ed25519.PrivateKey
}

// All are the keys, those too that no longer sign: what they signed is still to be verified. They are read each time,
// since a checkpoint may be signed with a key that another process made a moment ago.
func (k *Keys) All(ctx context.Context) ([]Key, error) {
	keys, err := k.load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the audit log's keys: %w", err)
	}
	return keys, nil
}

// Publics are the public halves of all keys.
func (k *Keys) Publics(ctx context.Context) ([]ed25519.PublicKey, error) {
	keys, err := k.All(ctx)
	out := make([]ed25519.PublicKey, len(keys))
	for i := range keys {
		out[i] = keys[i].Public
	}
	return out, err
}

// Signer is the key that signs.
func (k *Keys) Signer(ctx context.Context) (Key, error) {
	keys, err := k.All(ctx)
	if err != nil {
		return Key{}, err
	}
	for _, key := range keys {
		if key.Active {
			return key, nil
		}
	}
	return Key{}, errors.New("no key of the audit log is active")
}

func (k *Keys) load(ctx context.Context) (keys []Key, err error) {
	err = k.DB.Deployment(ctx, func(tx *pg.Tx) error {
		keys, err = k.read(ctx, tx)
		return err
	})
	if err != nil || len(keys) > 0 {
		return keys, err
	}
	err = k.locked(ctx, func(tx *pg.Tx, there []Key) error {
		if keys = there; len(keys) > 0 {
			return nil
		}
		if err := k.create(ctx, tx, active); err != nil {
			return err
		}
		keys, err = k.read(ctx, tx)
		return err
	})
	return keys, err
}

// locked works on the keys while no other process does.
func (k *Keys) locked(ctx context.Context, do func(tx *pg.Tx, keys []Key) error) error {
	return k.DB.Deployment(ctx, func(tx *pg.Tx) error {
		if err := pg.Exec(
			ctx,
			tx,
			"lock the audit log's keys",
			`select pg_advisory_xact_lock($1)`,
			keyLock,
		); err != nil {
			return err
		}
		keys, err := k.read(ctx, tx)
		if err != nil {
			return err
		}
		return do(tx, keys)
	})
}

func (k *Keys) read(ctx context.Context, tx *pg.Tx) ([]Key, error) {
	const sql = `
		select kid, sealed, state
		  from signing_key
		 where audience = $1
		 order by created_at, kid`
	rows, err := tx.Query(ctx, sql, audience)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (key Key, err error) {
		var sealed []byte
		var state string
		if err := row.Scan(&key.ID, &sealed, &state); err != nil {
			return key, err
		}
		seed, err := k.Ring.OpenGlobal(sealPurpose(key.ID), sealed)
		if err != nil {
			return key, fmt.Errorf("key %s: %w", key.ID, err)
		}
		key.Private = ed25519.NewKeyFromSeed(seed)
		// The public half comes from the sealed private one: a row that another program wrote verifies nothing.
		key.Public, key.Active = key.Private.Public().(ed25519.PublicKey), state == active
		key.next = state == next
		return key, nil
	})
}

func (k *Keys) create(ctx context.Context, tx *pg.Tx, state string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	kid := rand.Text()[:16]
	sealed, err := k.Ring.SealGlobal(sealPurpose(kid), private.Seed())
	if err != nil {
		return err
	}
	const sql = `
		insert into signing_key (kid, audience, sealed, public_key, state, activated_at)
		values ($1, $2, $3, $4, $5, case when $5 = 'active' then now() end)`
	_, err = tx.Exec(ctx, sql, kid, audience, sealed, []byte(public), state)
	return err
}

// sealPurpose is the same for every key of the table, whatever is signed with it.
func sealPurpose(kid string) string { return "signing-key|" + audience + "|" + kid }
