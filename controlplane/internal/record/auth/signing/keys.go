package signing

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

// Audience names a set of signing keys; a key signs for one audience alone.
type Audience string

// Audiences of tokens.
const (
	ForAPI     Audience = "api"
	ForRefresh Audience = "refresh"
	ForAgent   Audience = "agent"
	ForEnroll  Audience = "enroll"
)

// audiences are those that have keys of their own.
var audiences = []Audience{ForAPI, ForRefresh, ForAgent, ForEnroll}

// Claim is the value of the aud claim.
func (a Audience) Claim() string { return "urn:grantwright:" + string(a) }

const (
	keysLock    = 0x67725f6b657973 // "gr_keys": of processes that start together, one makes the keys
	reloadPause = 2 * time.Second  // unknown key ids ask the database at most this often
	keysAge     = 4 * time.Second  // how old the keys may be when a token is judged by them, as rightsAge for rights
)

// State is where a signing key is in its life. One that is next is known to every process before it signs; one that
// only verifies stays until the longest-lived of its tokens has ended.
type State string

// States of a signing key.
const (
	Next       State = "next"
	Active     State = "active"
	VerifyOnly State = "verify_only"
	Retired    State = "retired"
)

// Keys are the signing keys of the deployment, and its epoch, as they were when they were loaded. They are safe for
// concurrent use.
type Keys struct {
	db   *pg.DB
	ring *seal.Keyring

	mu      sync.RWMutex
	active  map[Audience]PrivateKey
	public  map[KeyID]ed25519.PublicKey
	retired map[KeyID]ed25519.PublicKey // of agents: see find
	epoch   int64
	loaded  time.Time
	stale   bool // somebody has said that the database knows better

	reloading sync.Mutex
}

// PrivateKey signs the tokens of one audience. Its id is the kid of their headers.
type PrivateKey struct {
	// Kid is the key ID in the header of tokens (RFC 7515 section 4.1.4).
	Kid     string
	Private ed25519.PrivateKey
}

// KeyID names a key. Keys of different audiences never verify each other's tokens.
type KeyID struct {
	Audience Audience
	ID       string
}

// keyRow is a row of signing_key.
type keyRow struct {
	kid      string
	audience Audience
	sealed   []byte
	public   []byte
	state    State
}

// OpenKeys reads the keys, and makes those that are missing. It fails when the master key is not the one that sealed
// them.
func OpenKeys(ctx context.Context, db *pg.DB, ring *seal.Keyring) (*Keys, error) {
	k := &Keys{db: db, ring: ring}
	return k, k.load(ctx)
}

// load reads all keys, and makes those that are missing under a lock, so that two processes that
// start at once make one key for each audience. It is as old as the moment at which it was begun.
func (k *Keys) load(ctx context.Context) error {
	var (
		rows  []keyRow
		epoch int64
	)
	asked := time.Now()
	k.SetStale(false)
	err := k.db.Deployment(ctx, func(tx *pg.Tx) (err error) {
		if epoch, err = readEpoch(ctx, tx); err != nil {
			return err
		}
		if rows, err = readKeys(ctx, tx); err != nil || len(missing(rows)) == 0 {
			return err
		}
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		if rows, err = readKeys(ctx, tx); err != nil {
			return err
		}
		for _, a := range missing(rows) {
			if _, err = k.create(ctx, tx, a, Active); err != nil {
				return err
			}
		}
		rows, err = readKeys(ctx, tx)
		return err
	})
	if err != nil {
		k.SetStale(true)
		return fmt.Errorf("load signing keys: %w", err)
	}
	return k.take(rows, epoch, asked)
}

// lockKeys lets one process at a time make or move keys. Of several that start together one makes them, the others
// read.
func lockKeys(ctx context.Context, tx *pg.Tx) error {
	return pg.Exec(ctx, tx, "wait for the signing keys", `select pg_advisory_xact_lock($1)`, keysLock)
}

// readKeys reads the keys in use, and those of agents that are not any more.
func readKeys(ctx context.Context, tx *pg.Tx) ([]keyRow, error) {
	const sql = `
		select kid, audience, sealed, public_key, state
		  from signing_key
		 where audience = any ($1)
		   and (state <> 'retired' or audience = 'agent')
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
func missing(rows []keyRow) []Audience {
	return slices.DeleteFunc(slices.Clone(audiences), func(a Audience) bool {
		return slices.ContainsFunc(rows, func(r keyRow) bool { return r.audience == a && r.state == Active })
	})
}

// create makes a key in a state and stores it sealed. Its ID is random.
func (k *Keys) create(ctx context.Context, tx *pg.Tx, a Audience, state State) (kid string, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("make signing key: %w", err)
	}
	kid = rand.Text()[:16]
	sealed, err := k.ring.SealGlobal(sealPurpose(a, kid), private.Seed())
	if err != nil {
		return "", err
	}
	const sql = `
		insert into signing_key (kid, audience, sealed, public_key, state, activated_at)
		values ($1, $2, $3, $4, $5, case when $5 = 'active' then now() end)`
	if err = pg.Exec(
		ctx,
		tx,
		"keep signing key",
		sql,
		kid,
		string(a),
		sealed,
		[]byte(public),
		string(state),
	); err != nil {
		return "", err
	}
	return kid, nil
}

// sealPurpose binds a sealed key to its audience and ID.
func sealPurpose(a Audience, kid string) string { return "signing-key|" + string(a) + "|" + kid }

// take makes the rows the keys in use.
func (k *Keys) take(rows []keyRow, epoch int64, asked time.Time) error {
	active, public, retired := map[Audience]PrivateKey{}, map[KeyID]ed25519.PublicKey{}, map[KeyID]ed25519.PublicKey{}
	for _, r := range rows {
		seed, err := k.ring.OpenGlobal(sealPurpose(r.audience, r.kid), r.sealed)
		if err != nil {
			return fmt.Errorf("signing key %s: %w", r.kid, err)
		}
		private := ed25519.NewKeyFromSeed(seed)
		// The public half comes from the sealed private one: a row that somebody else wrote signs and verifies nothing.
		half := private.Public().(ed25519.PublicKey)
		if r.state == Retired {
			retired[KeyID{r.audience, r.kid}] = half
			continue
		}
		public[KeyID{r.audience, r.kid}] = half
		if r.state == Active {
			active[r.audience] = PrivateKey{r.kid, private}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.active, k.public, k.retired, k.epoch, k.loaded = active, public, retired, epoch, asked
	return nil
}

// PrivateKey is the active key of an audience.
func (k *Keys) PrivateKey(a Audience) PrivateKey {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.active[a]
}

// Refresh reads the keys again when they are older than keysAge, or when somebody said that they changed.
func (k *Keys) Refresh(ctx context.Context) error {
	if k.areCurrent() {
		return nil
	}
	k.reloading.Lock()
	defer k.reloading.Unlock()
	if k.areCurrent() {
		return nil
	}
	return k.load(ctx)
}

// areCurrent says whether the loaded keys can be used without asking again.
func (k *Keys) areCurrent() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return !k.stale && time.Since(k.loaded) < keysAge
}

// SetStale says whether the database has other keys than these: if so, the next use loads them again.
func (k *Keys) SetStale(stale bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stale = stale
}

// Find is the public key of that id and audience; old also finds those that were retired. It returns errInvalid when
// there is none. An unknown one may have been made by another process a moment ago, so the database is asked again,
// though not for every made-up id that somebody sends.
func (k *Keys) Find(ctx context.Context, id KeyID, old bool) (ed25519.PublicKey, error) {
	if err := k.Refresh(ctx); err != nil {
		return nil, err
	}
	key, loaded := k.lookup(id, old)
	if key != nil || time.Since(loaded) < reloadPause || !k.reloading.TryLock() {
		return known(key)
	}
	defer k.reloading.Unlock()
	if err := k.load(ctx); err != nil {
		return nil, err
	}
	key, _ = k.lookup(id, old)
	return known(key)
}

// known is the key, or errInvalid if there is none.
func known(key ed25519.PublicKey) (ed25519.PublicKey, error) {
	if key == nil {
		return nil, errInvalid
	}
	return key, nil
}

// lookup finds a public key and says when the keys were loaded. old includes retired keys.
func (k *Keys) lookup(id KeyID, old bool) (ed25519.PublicKey, time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	key := k.public[id]
	if key == nil && old {
		key = k.retired[id]
	}
	return key, k.loaded
}

// Epoch is the deployment's epoch.
func (k *Keys) Epoch() int64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.epoch
}
