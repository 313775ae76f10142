package seal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// keep seals a secret for a new connector of the tenant.
func keep(ctx context.Context, db *pg.DB, k *seal.Keyring, v viewer.Viewer) (id string, err error) {
	id = uuid.Must(uuid.NewV7()).String()
	return id, db.As(ctx, v, func(tx *pg.Tx) error {
		value, err := k.Seal(ctx, tx, seal.Place{Table: "connector", Column: "credentials", Row: id}, []byte(canary+id))
		if err != nil {
			return err
		}
		const sql = `
			insert into connector (tenant_id, id, business_id, name, type, credentials)
			values (current_tenant(), $1, $2, $2, 'ldap', $3)`
		_, err = tx.Exec(ctx, sql, id, id, value)
		return err
	})
}

// reveal opens the secret that keep kept.
func reveal(ctx context.Context, db *pg.DB, k *seal.Keyring, v viewer.Viewer, id string) error {
	return db.As(ctx, v, func(tx *pg.Tx) error {
		var value []byte
		if err := tx.QueryRow(ctx, `select credentials from connector where id = $1`, id).Scan(&value); err != nil {
			return err
		}
		plain, err := k.Open(ctx, tx, seal.Place{Table: "connector", Column: "credentials", Row: id}, value)
		if err == nil && string(plain) != canary+id {
			return fmt.Errorf("opened as %q", plain)
		}
		return err
	})
}

func kept(t *testing.T, db *pg.DB, k *seal.Keyring, v viewer.Viewer, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = must(keep(ctx, db, k, v))
	}
	return ids
}

func ids(viewers ...viewer.Viewer) []string {
	out := make([]string, len(viewers))
	for i, v := range viewers {
		out[i] = v.Tenant
	}
	return out
}

// signingKeys are rows as package signing writes them.
func signingKeys(t *testing.T, db *pg.DB, k *seal.Keyring, n int) {
	t.Helper()
	for i := range n {
		kid := fmt.Sprint("kid", i)
		sealed := must(k.SealGlobal("signing-key|api|"+kid, []byte(canary+kid)))
		err := db.Deployment(ctx, func(tx *pg.Tx) error {
			_, err := tx.Exec(
				ctx,
				`insert into signing_key (kid, audience, sealed, public_key, state) values ($1, 'api', $2, '',
					'retired')`,
				kid,
				sealed,
			)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func signingKeysOpen(t *testing.T, db *pg.DB, k *seal.Keyring, n int) {
	t.Helper()
	for i := range n {
		kid := fmt.Sprint("kid", i)
		var sealed []byte
		err := db.Deployment(ctx, func(tx *pg.Tx) error {
			return tx.QueryRow(ctx, `select sealed from signing_key where kid = $1`, kid).Scan(&sealed)
		})
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := k.OpenGlobal("signing-key|api|"+kid, sealed); err != nil || string(plain) != canary+kid {
			t.Errorf("signing key %s: %q, %v", kid, plain, err)
		}
	}
}

// load seals and opens in four goroutines until stop is called, which tells how often and what failed.
func load(db *pg.DB, k *seal.Keyring, viewers ...viewer.Viewer) (stop func() (done int64, failures []error)) {
	var (
		done atomic.Int64
		mu   sync.Mutex
		all  []error
		wg   sync.WaitGroup
		end  = make(chan struct{})
	)
	for range 4 {
		wg.Go(func() {
			var mine [][2]string
			for i := 0; ; i++ {
				select {
				case <-end:
					return
				default:
				}
				v := viewers[i%len(viewers)]
				id, err := keep(ctx, db, k, v)
				if err == nil {
					mine = append(mine, [2]string{v.Tenant, id})
					old := mine[rand.IntN(len(mine))]
					err = reveal(ctx, db, k, viewer.System(old[0]), old[1])
				}
				if err != nil {
					mu.Lock()
					all = append(all, err)
					mu.Unlock()
				}
				done.Add(1)
			}
		})
	}
	return func() (int64, []error) {
		close(end)
		wg.Wait()
		return done.Load(), all
	}
}

func TestTheMasterKeyIsExchangedUnderLoadAndTheOldOneIsNotNeededAnyMore(t *testing.T) {
	db := pgtest.New(t)
	a, b := pgtest.Tenant(t, db, "a"), pgtest.Tenant(t, db, "b")
	path := keyFile(t, fill(1))
	process := must(seal.OpenFiles(path))
	cursors := must(process.PurposeKey(ctx, db, seal.Cursors))
	callbacks := must(process.PurposeKey(ctx, db, seal.Callbacks))
	if !bytes.Equal(callbacks, keyring(t, 1).Derive("callback")) {
		t.Error("the first process to keep the callback key made another of it than releases before")
	}
	signingKeys(t, db, process, 7)
	secrets := kept(t, db, process, a, 5)
	stop := load(db, process, a, b)

	newFile := filepath.Join(t.TempDir(), "new.key")
	must(seal.AddToFile(path, newFile, false))
	must(seal.AddToFile(path, newFile, true))
	rotation := &seal.Rotation{DB: db, Ring: must(seal.OpenFiles(path)), Batch: 2}
	if n := must(rotation.Master(ctx, ids(a, b))); n < 9 {
		t.Errorf("%d values sealed anew; want 7 signing keys and 2 of the deployment at least", n)
	}
	time.Sleep(200 * time.Millisecond)
	done, failures := stop()
	if done < 20 || len(failures) > 0 {
		t.Errorf("%d seals under load, %d failed: %v", done, len(failures), errors.Join(failures...))
	}
	must(rotation.Master(ctx, ids(a, b))) // a tenant's first key may have been made in between
	status := must(rotation.Status(ctx, ids(a, b)))
	if len(status.Masters) != 2 || !status.Masters[0].Seals || status.Masters[1].Values != 0 ||
		status.Masters[0].Values < 11 {
		t.Errorf("status = %+v; want everything under the first key", status.Masters)
	}
	alone := must(seal.OpenFiles(newFile))
	for _, id := range secrets {
		if err := reveal(ctx, db, alone, a, id); err != nil {
			t.Errorf("with the new key alone: %v", err)
		}
	}
	signingKeysOpen(t, db, alone, 7)
	if !bytes.Equal(must(alone.PurposeKey(ctx, db, seal.Callbacks)), callbacks) ||
		!bytes.Equal(must(alone.PurposeKey(ctx, db, seal.Cursors)), cursors) {
		t.Error("the keys of cursors and callbacks changed with the master key")
	}
	if err := reveal(ctx, db, keyring(t, 1), a, secrets[0]); !errors.Is(err, seal.ErrOtherMasterKey) {
		t.Errorf("with the old key alone: %v; want ErrOtherMasterKey", err)
	}
}

func TestAnExchangeThatWasStoppedGoesOn(t *testing.T) {
	db := pgtest.New(t)
	a := pgtest.Tenant(t, db, "a")
	signingKeys(t, db, keyring(t, 1), 9)
	secrets := kept(t, db, keyring(t, 1), a, 3)
	both := must(seal.New(fill(2), fill(1)))
	for stops := 0; ; stops++ {
		cut, cancel := context.WithCancel(ctx)
		rotation := &seal.Rotation{DB: db, Ring: both, Batch: 2, Step: func(string, int) { cancel() }}
		_, err := rotation.Master(cut, ids(a))
		cancel()
		for _, id := range secrets {
			if err := reveal(ctx, db, both, a, id); err != nil {
				t.Fatalf("after %d stops: %v", stops, err)
			}
		}
		signingKeysOpen(t, db, both, 9)
		if err == nil {
			if stops < 4 {
				t.Errorf("the exchange was stopped %d times only", stops)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || stops > 30 {
			t.Fatalf("stop %d: %v", stops, err)
		}
	}
	signingKeysOpen(t, db, keyring(t, 2), 9)
}

func TestADataKeyIsExchangedUnderLoad(t *testing.T) {
	db := pgtest.New(t)
	a, b := pgtest.Tenant(t, db, "a"), pgtest.Tenant(t, db, "b")
	process := keyring(t, 1)
	secrets := kept(t, db, process, a, 7)
	kept(t, db, process, b, 2)
	stop := load(db, process, a)

	// Another process rotates; the one under load hears of the new key by itself.
	var steps int
	rotation := &seal.Rotation{DB: db, Ring: keyring(t, 1), Batch: 50, Step: func(string, int) { steps++ }}
	version, n, err := rotation.Data(ctx, a.Tenant)
	done, failures := stop()
	if err != nil || version != 2 || n < 7 || steps < 1 {
		t.Errorf("Data = version %d, %d values in %d steps, %v", version, n, steps, err)
	}
	if done < 20 || len(failures) > 0 {
		t.Errorf("%d seals under load, %d failed: %v", done, len(failures), errors.Join(failures...))
	}
	status := must(rotation.Status(ctx, ids(a, b)))
	if u := status.Tenants[0]; u.Newest != 2 || !u.Settled || u.Older() != 0 || u.Values[2] < 7 {
		t.Errorf("tenant a: %+v; want everything under version 2", u)
	}
	if u := status.Tenants[1]; u.Newest != 1 || u.Values[1] != 2 {
		t.Errorf("tenant b: %+v; it was not asked about", u)
	}
	for _, id := range secrets {
		if err := reveal(ctx, db, keyring(t, 1), a, id); err != nil {
			t.Error(err)
		}
	}
}

func TestADataRotationThatWasStoppedGoesOnWithTheSameKey(t *testing.T) {
	db := pgtest.New(t)
	a := pgtest.Tenant(t, db, "a")
	k := keyring(t, 1)
	secrets := kept(t, db, k, a, 6)
	for range 3 {
		cut, cancel := context.WithCancel(ctx)
		rotation := &seal.Rotation{DB: db, Ring: k, Batch: 1, Step: func(string, int) { cancel() }}
		if version, _, err := rotation.Data(cut, a.Tenant); version != 2 || !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped: version %d, %v; want 2 and canceled", version, err)
		}
		for _, id := range secrets {
			if err := reveal(ctx, db, keyring(t, 1), a, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	rotation := &seal.Rotation{DB: db, Ring: k}
	if version, n, err := rotation.Data(ctx, a.Tenant); version != 2 || n != 3 || err != nil {
		t.Errorf("the rest: version %d, %d values, %v; want 2, 3", version, n, err)
	}
	if n := must(rotation.Prune(ctx, a.Tenant)); n != 0 {
		t.Errorf("%d keys deleted right after a rotation; an open transaction may still seal under one", n)
	}
	aDayLater(t, db, a)
	if n := must(rotation.Prune(ctx, a.Tenant)); n != 1 {
		t.Errorf("%d keys deleted a day later; want the first", n)
	}
	if version, _, err := rotation.Data(ctx, a.Tenant); version != 3 || err != nil {
		t.Errorf("the next rotation: version %d, %v; want 3", version, err)
	}
	for _, id := range secrets {
		if err := reveal(ctx, db, keyring(t, 1), a, id); err != nil {
			t.Error(err)
		}
	}
}

func aDayLater(t *testing.T, db *pg.DB, v viewer.Viewer) {
	t.Helper()
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`update tenant_key set settled_at = settled_at - interval '25 hours' where settled_at is not null`,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestADataKeyThatStillHoldsValuesIsNotDeleted(t *testing.T) {
	db := pgtest.New(t)
	a := pgtest.Tenant(t, db, "a")
	kept(t, db, keyring(t, 1), a, 1)
	rotation := &seal.Rotation{DB: db, Ring: keyring(t, 1)}
	if _, _, err := rotation.Data(ctx, a.Tenant); err != nil {
		t.Fatal(err)
	}
	aDayLater(t, db, a)
	// A value under the old key comes back, as from a transaction that was open all the while.
	err := db.As(ctx, a, func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`update connector set credentials = overlay(credentials placing int4send(1) from 2 for 4)`,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := must(rotation.Prune(ctx, a.Tenant)); n != 0 {
		t.Error("a key with a value under it was deleted")
	}
	if u := must(rotation.Status(ctx, ids(a))).Tenants[0]; u.Older() != 1 {
		t.Errorf("status = %+v; want one value under an older key", u)
	}
	if _, _, err := rotation.Data(ctx, a.Tenant); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("a value that does not open: %v; want ErrBroken", err)
	}
}

func TestATenantWithoutSecretsHasNoKeyToExchange(t *testing.T) {
	db := pgtest.New(t)
	a := pgtest.Tenant(t, db, "a")
	rotation := &seal.Rotation{DB: db, Ring: keyring(t, 1)}
	if _, _, err := rotation.Data(ctx, a.Tenant); !errors.Is(err, seal.ErrNoDataKey) {
		t.Errorf("Data = %v; want ErrNoDataKey", err)
	}
}
