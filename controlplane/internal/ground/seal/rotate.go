package seal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Rotation seals anew what older keys sealed, while other processes work. It goes in small transactions, each of which
// leaves everything readable, and looks at the values alone to see what is left: one that was killed is simply started
// again.
type Rotation struct {
	DB    *pg.DB
	Ring  *Keyring
	Batch int                      // values a transaction; 0: 200
	Step  func(what string, n int) // called after each transaction that changed something; may be nil
}

const usualBatch = 200

// batch is how many rows are sealed anew in one transaction.
func (r *Rotation) batch() int {
	if r.Batch > 0 {
		return r.Batch
	}
	return usualBatch
}

// report receives the progress; a step in which nothing was done is not reported.
func (r *Rotation) report(what string, n int) {
	if r.Step != nil && n > 0 {
		r.Step(what, n)
	}
}

// Master seals everything that lies under another master key under the keyring's first: the data keys of the tenants
// with these ids, and what belongs to the deployment. Data keys keep their bytes, so that no value of a tenant is
// touched. It returns how many values it has sealed anew.
func (r *Rotation) Master(ctx context.Context, tenants []string) (total int, err error) {
	for _, purpose := range lasting {
		// A deployment that never kept them would make others of the new key.
		if _, err := r.Ring.PurposeKey(ctx, r.DB, purpose); err != nil {
			return 0, err
		}
	}
	fingerprint, err := hex.DecodeString(string(r.Ring.Masters()[0]))
	if err != nil {
		return 0, err
	}
	for _, c := range GlobalColumns {
		n, err := r.globals(ctx, c, fingerprint)
		if total += n; err != nil {
			return total, fmt.Errorf("seal %s.%s under the new master key: %w", c.Table, c.Column, err)
		}
	}
	for _, tenant := range tenants {
		n, err := r.wrapAnew(ctx, tenant, fingerprint)
		if total += n; err != nil {
			return total, fmt.Errorf("wrap the data keys of tenant %s under the new master key: %w", tenant, err)
		}
	}
	return total, nil
}

// globals seals one column's values under the master key with this fingerprint.
func (r *Rotation) globals(ctx context.Context, c GlobalColumn, fingerprint []byte) (total int, err error) {
	find := fmt.Sprintf(`
		select ctid::text, %s, %s
		  from %s
		 where %[2]s is not null
		   and substring(%[2]s from 2 for 4) <> $1
		   and ctid >= $2::text::tid
		   and ctid < $3::text::tid
		 limit $4
		   for no key update`, c.Purpose, pgx.Identifier{c.Column}.Sanitize(), pgx.Identifier{c.Table}.Sanitize())
	run := func(do func(tx *pg.Tx) error) error { return r.DB.Deployment(ctx, do) }
	return r.through(ctx, run, "the deployment", pass{
		find: find, than: fingerprint, table: c.Table, column: c.Column,
		anew: func(_ *pg.Tx, purpose string, old []byte) ([]byte, error) {
			plain, err := r.Ring.OpenGlobal(purpose, old)
			if err != nil {
				return nil, err
			}
			return r.Ring.SealGlobal(purpose, plain)
		},
	})
}

// wrapAnew wraps a tenant's data keys.
func (r *Rotation) wrapAnew(ctx context.Context, tenant string, fingerprint []byte) (int, error) {
	const find = `
		select ctid::text, 'tenant-key|' || tenant_id || '|' || version, wrapped
		  from tenant_key
		 where substring(wrapped from 2 for 4) <> $1
		   and ctid >= $2::text::tid
		   and ctid < $3::text::tid
		 limit $4
		   for no key update`
	return r.through(ctx, r.within(ctx, tenant), tenant, pass{
		find: find, than: fingerprint, table: "tenant_key", column: "wrapped",
		anew: func(_ *pg.Tx, purpose string, old []byte) ([]byte, error) {
			plain, err := r.Ring.OpenGlobal(purpose, old)
			if err != nil {
				return nil, err
			}
			return r.Ring.SealGlobal(purpose, plain)
		},
	})
}

// within runs the transactions of a pass on behalf of a tenant's system, under row-level security.
func (r *Rotation) within(ctx context.Context, tenant string) func(func(*pg.Tx) error) error {
	return func(do func(*pg.Tx) error) error { return r.DB.As(ctx, viewer.System(tenant), do) }
}

// pass is a walk through what one column still holds under an older key.
type pass struct {
	find          string // gives ctid, name and value, locked, of at most $4 rows from place $2 to place $3
	than          any    // $1: what the header is compared to
	table, column string
	anew          func(tx *pg.Tx, name string, old []byte) ([]byte, error)
}

// stride is how many blocks of a table a transaction looks through at most. What is sealed anew moves to a place that
// the walk may come by again, and does not count there.
const stride = 256

// through walks a table once, by the places of its rows, so that a large one is not looked through anew for every
// batch.
func (r *Rotation) through(
	ctx context.Context,
	run func(func(*pg.Tx) error) error,
	whose string,
	p pass,
) (total int, err error) {
	blocks, err := blocksOf(ctx, run, p.table)
	for from := int64(0); err == nil && from < blocks; {
		var n int
		err = run(func(tx *pg.Tx) (err error) {
			n, err = p.once(ctx, tx, from, r.batch())
			return err
		})
		if err != nil {
			break
		}
		total += n
		r.report(p.table+"."+p.column+" of "+whose, n)
		if n < r.batch() {
			from += stride
		}
		err = ctx.Err()
	}
	return total, err
}

// blocksOf is the size of a table in blocks of the server, now. A pass goes through the table by
// ranges of blocks and needs no index; rows that are added meanwhile are sealed under the newest
// key anyway.
func blocksOf(ctx context.Context, run func(func(*pg.Tx) error) error, table string) (blocks int64, err error) {
	err = run(func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select pg_relation_size($1::text::regclass) /
			current_setting('block_size')::int`, table).
			Scan(&blocks)
	})
	return blocks, err
}

type sealedRow struct {
	place, name string
	value       []byte
}

// collect reads the rows of a batch; each has its ctid, the name that its place has, and the sealed
// value.
func collect(rows pgx.Rows) ([]sealedRow, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s sealedRow, err error) {
		return s, row.Scan(&s.place, &s.name, &s.value)
	})
}

// once seals one batch anew. The rows are locked, so that their places do not move before they are written.
func (p pass) once(ctx context.Context, tx *pg.Tx, from int64, batch int) (int, error) {
	rows, err := tx.Query(ctx, p.find, p.than, fmt.Sprintf("(%d,0)", from), fmt.Sprintf("(%d,0)", from+stride), batch)
	if err != nil {
		return 0, err
	}
	found, err := collect(rows)
	if err != nil {
		return 0, err
	}
	update := fmt.Sprintf(
		`update %s set %s = $2 where ctid = $1::text::tid`,
		pgx.Identifier{p.table}.Sanitize(),
		pgx.Identifier{p.column}.Sanitize(),
	)
	for _, row := range found {
		value, err := p.anew(tx, row.name, row.value)
		if err != nil {
			return 0, fmt.Errorf("row %s: %w", row.name, err)
		}
		changed, err := tx.Exec(ctx, update, row.place, value)
		if err != nil {
			return 0, err
		}
		if changed.RowsAffected() != 1 {
			return 0, fmt.Errorf("row %s was not there to be written", row.name)
		}
	}
	return len(found), nil
}

// ErrNoDataKey says that a tenant has no data key, because it never had a secret or because it was erased.
var ErrNoDataKey = errors.New("the tenant has no data key")

// Data gives a tenant a new data key and seals all of its values under it, or goes on where an earlier Data was
// stopped. It waits until no process seals under the old one. Older keys stay, for backups and for transactions that
// are still open, until Prune.
func (r *Rotation) Data(ctx context.Context, tenant string) (version uint32, total int, err error) {
	began, version, err := r.begin(ctx, tenant)
	if err != nil {
		return 0, 0, fmt.Errorf("a new data key for tenant %s: %w", tenant, err)
	}
	for {
		// What a process seals now that has not heard of the new key is found by a later pass.
		heard := time.Since(began) > freshFor+time.Second
		n, err := r.dataPass(ctx, tenant, version)
		if total += n; err != nil {
			return version, total, fmt.Errorf("encrypt the values of tenant %s with the new data key: %w", tenant, err)
		}
		if n == 0 && heard {
			return version, total, r.settle(ctx, tenant, version)
		}
		select {
		case <-ctx.Done():
			return version, total, ctx.Err()
		case <-time.After(freshFor / 6):
		}
	}
}

// dataPass seals anew what a tenant has under data keys older than version, column by column. It
// can be interrupted at any time: what is done is committed by batches, and the next pass skips it.
func (r *Rotation) dataPass(ctx context.Context, tenant string, version uint32) (total int, err error) {
	for _, c := range Columns {
		n, err := r.through(ctx, r.within(ctx, tenant), tenant, r.dataColumn(ctx, c, version))
		if total += n; err != nil {
			return total, fmt.Errorf("%s.%s: %w", c.Table, c.Column, err)
		}
	}
	return total, nil
}

// dataColumn is the pass over one column. The version of the data key is in bytes 2 to 5 of a
// sealed value, so that rows are selected without opening them. "for no key update" locks them
// against a change between reading and writing, and not against foreign keys that refer to them.
// The names of tables and columns come from Columns, not from a request.
func (r *Rotation) dataColumn(ctx context.Context, c Column, version uint32) pass {
	find := fmt.Sprintf(`
		select ctid::text, %s, %s
		  from %s
		 where %[2]s is not null
		   and substring(%[2]s from 2 for 4) < int4send($1)
		   and ctid >= $2::text::tid
		   and ctid < $3::text::tid
		 limit $4
		   for no key update`, c.Row, pgx.Identifier{c.Column}.Sanitize(), pgx.Identifier{c.Table}.Sanitize())
	return pass{
		find: find, than: int32(version), table: c.Table, column: c.Column,
		anew: func(tx *pg.Tx, row string, old []byte) ([]byte, error) {
			place := Place{Table: c.Table, Column: c.Column, Row: row}
			plain, err := r.Ring.Open(ctx, tx, place, old)
			if err != nil {
				return nil, err
			}
			return r.Ring.sealUnder(ctx, tx, version, place, plain)
		},
	}
}

// begin makes the next version, or finds the one that an earlier rotation has not come to the end of. It returns when
// its transaction had committed.
func (r *Rotation) begin(ctx context.Context, tenant string) (committed time.Time, version uint32, err error) {
	const newest = `
		select version, version = 1 or settled_at is not null
		  from tenant_key
		 order by version desc
		 limit 1
		   for no key update`
	err = r.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		var settled bool
		if err := tx.QueryRow(ctx, newest).Scan(&version, &settled); errors.Is(err, pgx.ErrNoRows) {
			return ErrNoDataKey
		} else if err != nil || !settled {
			return err
		}
		version++
		return r.Ring.create(ctx, tx, version)
	})
	return time.Now(), version, err
}

// settle notes that nothing of a tenant is sealed under an older data key than version, so that the
// older keys may be deleted.
func (r *Rotation) settle(ctx context.Context, tenant string, version uint32) error {
	const sql = `
		update tenant_key
		   set settled_at = now()
		 where version = $1`
	return r.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, version)
		return err
	})
}
