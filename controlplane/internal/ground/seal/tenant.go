package seal

import (
	"context"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal/keyfile"
)

// Place is where a sealed value is kept. A value opens only at the place it was sealed for. The tenant is that of the
// transaction.
type Place struct {
	Table, Column string
	Row           string // the row's id
}

// binding is the additional data of the cipher: tenant|table|column|row|data key version.
func (p Place) binding(tenant string, version uint32) ([]byte, error) {
	for _, part := range []string{tenant, p.Table, p.Column, p.Row} {
		if part == "" || strings.Contains(part, "|") {
			return nil, errors.New(
				"a place for a secret needs a tenant, table, column and row, none of which holds a bar",
			)
		}
	}
	return fmt.Appendf(nil, "%s|%s|%s|%s|%d", tenant, p.Table, p.Column, p.Row, version), nil
}

// Seal seals plain for a place of the transaction's tenant, under the tenant's newest data key. A tenant's first secret
// makes its first data key, in the same transaction.
func (k *Keyring) Seal(ctx context.Context, tx *pg.Tx, place Place, plain []byte) ([]byte, error) {
	key, err := k.newest(ctx, tx)
	if err != nil {
		return nil, err
	}
	return key.seal(tx.Viewer.Tenant, place, plain)
}

// seal encrypts a value of a tenant: one byte for the format, four for the version of the data key,
// the nonce, and the ciphertext with its tag. The place, the tenant and the version are
// authenticated with it.
func (key dataKey) seal(tenant string, place Place, plain []byte) ([]byte, error) {
	binding, err := place.binding(tenant, key.version)
	if err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32([]byte{formatTenant}, key.version)
	return key.aead.Seal(head, nil, plain, binding), nil
}

// sealUnder is Seal under one version of the tenant's data key.
func (k *Keyring) sealUnder(ctx context.Context, tx *pg.Tx, version uint32, place Place, plain []byte) ([]byte, error) {
	aead, err := k.version(ctx, tx, version)
	if err != nil {
		return nil, err
	}
	return dataKey{version: version, aead: aead}.seal(tx.Viewer.Tenant, place, plain)
}

// Open opens what Seal sealed for the same place. It returns ErrBroken for what was changed or moved.
func (k *Keyring) Open(ctx context.Context, tx *pg.Tx, place Place, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize || sealed[0] != formatTenant {
		return nil, ErrBroken
	}
	version := binary.BigEndian.Uint32(sealed[1:headerSize])
	aead, err := k.version(ctx, tx, version)
	if err != nil {
		return nil, err
	}
	binding, err := place.binding(tx.Viewer.Tenant, version)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed[headerSize:], binding)
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

// newest is the tenant's newest data key, which is made when there is none. It is asked for again now and then, because
// another process may have made a newer one.
func (k *Keyring) newest(ctx context.Context, tx *pg.Tx) (dataKey, error) {
	k.mu.Lock()
	key, ok := k.tenants[tx.Viewer.Tenant]
	k.mu.Unlock()
	if ok && time.Since(key.learned) < freshFor {
		return key, nil
	}
	const sql = `
		select version, wrapped, created_at < now()
		  from tenant_key
		 order by version desc
		 limit 1`
	key, err := k.load(ctx, tx, sql)
	if errors.Is(err, pgx.ErrNoRows) {
		if err := k.create(ctx, tx, 1); err != nil {
			return dataKey{}, err
		}
		key, err = k.load(ctx, tx, sql)
	}
	if err == nil {
		k.keepNewest(tx.Viewer.Tenant, key)
	}
	return key, err
}

// version is the tenant's data key of that version.
func (k *Keyring) version(ctx context.Context, tx *pg.Tx, version uint32) (cipher.AEAD, error) {
	k.mu.Lock()
	aead, ok := k.byID[dataKeyID{tx.Viewer.Tenant, version}]
	k.mu.Unlock()
	if ok {
		return aead, nil
	}
	const sql = `
		select version, wrapped, created_at < now()
		  from tenant_key
		 where version = $1`
	key, err := k.load(ctx, tx, sql, version)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrBroken
	}
	return key.aead, err
}

// load reads and unwraps a data key. It is kept in memory only when another transaction has committed it: a key that
// this transaction made may still vanish with it, and what is sealed under it would then be lost. now() is the start of
// the transaction and created_at that of the one that made the key, so the two are equal for a key of our own.
func (k *Keyring) load(ctx context.Context, tx *pg.Tx, sql string, args ...any) (dataKey, error) {
	var (
		key       dataKey
		wrapped   []byte
		committed bool
	)
	if err := tx.QueryRow(ctx, sql, args...).Scan(&key.version, &wrapped, &committed); err != nil {
		return dataKey{}, fmt.Errorf("read data key: %w", err)
	}
	raw, err := k.OpenGlobal(wrapPurpose(tx.Viewer.Tenant, key.version), wrapped)
	if err != nil {
		return dataKey{}, fmt.Errorf("unwrap data key: %w", err)
	}
	if key.aead, err = newAEAD(raw); err != nil {
		return dataKey{}, err
	}
	if key.committed = committed; committed {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.byID[dataKeyID{tx.Viewer.Tenant, key.version}] = key.aead
	}
	return key, nil
}

// keepNewest remembers a tenant's newest data key. One that the transaction itself has just made is
// not remembered: it is gone if the transaction is rolled back.
func (k *Keyring) keepNewest(tenant string, key dataKey) {
	if !key.committed {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tenants[tenant].version <= key.version {
		key.learned = time.Now()
		k.tenants[tenant] = key
	}
}

// create makes that version of the tenant's data key. Of two transactions that do so, the second waits and finds the
// other's.
func (k *Keyring) create(ctx context.Context, tx *pg.Tx, version uint32) error {
	wrapped, err := k.SealGlobal(wrapPurpose(tx.Viewer.Tenant, version), keyfile.NewKey())
	if err != nil {
		return err
	}
	const sql = `
		insert into tenant_key (tenant_id, version, wrapped)
		values (current_tenant(), $1, $2)
		    on conflict do nothing`
	return pg.Exec(ctx, tx, "keep data key", sql, version, wrapped)
}

// wrapPurpose binds a wrapped key to its tenant and version. Keys are wrapped rarely, so a derived key for each is
// cheap.
func wrapPurpose(tenant string, version uint32) string {
	return fmt.Sprintf("tenant-key|%s|%d", tenant, version)
}
