package auth

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// audience names a set of signing keys; a key signs for one audience alone.
type audience string

const (
	forAPI     audience = "api"
	forRefresh audience = "refresh"
	forAgent   audience = "agent"
	forEnroll  audience = "enroll"
)

var audiences = []audience{forAPI, forRefresh, forAgent, forEnroll}

// claim is the value of the aud claim.
func (a audience) claim() string { return "urn:grantwright:" + string(a) }

const (
	keysLock     = 0x67725f6b657973 // "gr_keys": of processes that start together, one makes the keys
	reloadPause  = 2 * time.Second  // unknown key ids ask the database at most this often
	statusActive = "active"
)

// keys are the deployment's signing keys.
type keys struct {
	db   *pg.DB
	ring *seal.Keyring

	mu     sync.RWMutex
	active map[audience]signer
	public map[keyID]ed25519.PublicKey
	loaded time.Time

	reloading sync.Mutex
}

type signer struct {
	kid     string
	private ed25519.PrivateKey
}

type keyID struct {
	audience audience
	kid      string
}

type keyRow struct {
	kid      string
	audience audience
	sealed   []byte
	public   []byte
	state    string
}

// openKeys reads the keys, and makes those that are missing. It fails when the master key is not the one that sealed them.
func openKeys(ctx context.Context, db *pg.DB, ring *seal.Keyring) (*keys, error) {
	k := &keys{db: db, ring: ring}
	return k, k.load(ctx)
}

func (k *keys) load(ctx context.Context) error {
	var rows []keyRow
	err := k.db.Deployment(ctx, func(tx *pg.Tx) (err error) {
		if rows, err = readKeys(ctx, tx); err != nil || len(missing(rows)) == 0 {
			return err
		}
		// Several processes start together: the lock lets one make the keys, the others read them.
		if _, err = tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, keysLock); err != nil {
			return err
		}
		if rows, err = readKeys(ctx, tx); err != nil {
			return err
		}
		for _, a := range missing(rows) {
			if err = k.create(ctx, tx, a); err != nil {
				return err
			}
		}
		rows, err = readKeys(ctx, tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("load signing keys: %w", err)
	}
	return k.take(rows)
}

func readKeys(ctx context.Context, tx *pg.Tx) ([]keyRow, error) {
	const sql = `
		select kid, audience, sealed, public_key, state
		  from signing_key
		 where state <> 'retired'
		   and audience = any ($1)
		 order by created_at, kid`
	rows, err := tx.Query(ctx, sql, audiences)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r keyRow, err error) {
		return r, row.Scan(&r.kid, &r.audience, &r.sealed, &r.public, &r.state)
	})
}

// missing are the audiences without an active key.
func missing(rows []keyRow) []audience {
	return slices.DeleteFunc(slices.Clone(audiences), func(a audience) bool {
		return slices.ContainsFunc(rows, func(r keyRow) bool { return r.audience == a && r.state == statusActive })
	})
}

func (k *keys) create(ctx context.Context, tx *pg.Tx, a audience) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("make signing key: %w", err)
	}
	kid := rand.Text()[:16]
	sealed, err := k.ring.SealGlobal(sealPurpose(a, kid), private.Seed())
	if err != nil {
		return err
	}
	const sql = `
		insert into signing_key (kid, audience, sealed, public_key)
		values ($1, $2, $3, $4)`
	_, err = tx.Exec(ctx, sql, kid, string(a), sealed, []byte(public))
	return err
}

func sealPurpose(a audience, kid string) string { return "signing-key|" + string(a) + "|" + kid }

// take makes the rows the keys in use.
func (k *keys) take(rows []keyRow) error {
	active, public := map[audience]signer{}, map[keyID]ed25519.PublicKey{}
	for _, r := range rows {
		seed, err := k.ring.OpenGlobal(sealPurpose(r.audience, r.kid), r.sealed)
		if err != nil {
			return fmt.Errorf("signing key %s: %w", r.kid, err)
		}
		private := ed25519.NewKeyFromSeed(seed)
		// The public half comes from the sealed private one: a row that somebody else wrote signs and verifies nothing.
		public[keyID{r.audience, r.kid}] = private.Public().(ed25519.PublicKey)
		if r.state == statusActive {
			active[r.audience] = signer{r.kid, private}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.active, k.public, k.loaded = active, public, time.Now()
	return nil
}

func (k *keys) signer(a audience) signer {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.active[a]
}

// find is the public key of that id and audience. An unknown one may have been made by another process a moment ago, so
// the database is asked again, though not for every made-up id that somebody sends.
func (k *keys) find(ctx context.Context, a audience, kid string) (ed25519.PublicKey, bool) {
	key, loaded, ok := k.lookup(a, kid)
	if ok || time.Since(loaded) < reloadPause || !k.reloading.TryLock() {
		return key, ok
	}
	defer k.reloading.Unlock()
	if err := k.load(ctx); err != nil {
		k.postpone()
		return nil, false
	}
	key, _, ok = k.lookup(a, kid)
	return key, ok
}

// postpone keeps a database that does not answer from being asked for every unknown key.
func (k *keys) postpone() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loaded = time.Now()
}

func (k *keys) lookup(a audience, kid string) (ed25519.PublicKey, time.Time, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, ok := k.public[keyID{a, kid}]
	return key, k.loaded, ok
}
