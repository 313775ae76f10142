package seal

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Status says what is sealed under which key.
type Status struct {
	Masters []MasterUse
	Tenants []TenantUse
}

// MasterUse is one master key. One that this keyring does not hold has Known false: its values do not open here.
type MasterUse struct {
	Key    Fingerprint
	Seals  bool // it is the first of this keyring
	Known  bool
	Values int64 // data keys and values of the deployment that it sealed
}

// TenantUse is one tenant's data keys.
type TenantUse struct {
	Tenant  string
	Newest  uint32
	Settled bool             // nothing was left under older keys when a rotation ended
	Values  map[uint32]int64 // sealed values by version of the data key
}

// Older is how many values lie under older keys than the newest.
func (u TenantUse) Older() (n int64) {
	for version, values := range u.Values {
		if version != u.Newest {
			n += values
		}
	}
	return n
}

// Status counts what lies under which key.
func (r *Rotation) Status(ctx context.Context, tenants []string) (Status, error) {
	uses := map[string]int64{}
	err := r.DB.Deployment(ctx, func(tx *pg.Tx) error {
		for _, c := range GlobalColumns {
			if err := countBy(ctx, tx, c.Table, c.Column, uses); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Status{}, err
	}
	var s Status
	for _, tenant := range tenants {
		use, err := r.tenantUse(ctx, tenant, uses)
		if err != nil {
			return Status{}, fmt.Errorf("keys of tenant %s: %w", tenant, err)
		}
		if use.Newest > 0 {
			s.Tenants = append(s.Tenants, use)
		}
	}
	s.Masters = r.masterUses(uses)
	return s, nil
}

// masterUses lists the known master keys in their order, and after them those that values are
// sealed under and that are not known here: these values cannot be opened. It empties uses of what
// it has listed.
func (r *Rotation) masterUses(uses map[string]int64) (out []MasterUse) {
	for i, key := range r.Ring.Masters() {
		out = append(out, MasterUse{Key: key, Seals: i == 0, Known: true, Values: uses[string(key)]})
		delete(uses, string(key))
	}
	for key, values := range uses {
		out = append(out, MasterUse{Key: Fingerprint(key), Values: values})
	}
	slices.SortStableFunc(out, func(a, b MasterUse) int { return boolOrder(a.Known) - boolOrder(b.Known) })
	return out
}

// boolOrder orders what is true before what is false.
func boolOrder(first bool) int {
	if first {
		return 0
	}
	return 1
}

// tenantUse counts the sealed values of one tenant by the version of their data key, and adds its
// data keys to the counts of master keys. It reads every row of every sealed column: that is bulk
// work with its own limit of time.
func (r *Rotation) tenantUse(ctx context.Context, tenant string, masters map[string]int64) (TenantUse, error) {
	use := TenantUse{Tenant: tenant, Values: map[uint32]int64{}}
	err := r.DB.AsBulk(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		const sql = `
			select coalesce(max(version), 0), coalesce(bool_or(settled_at is not null
			    and version = (select max(version) from tenant_key)), false)
			  from tenant_key`
		if err := tx.QueryRow(ctx, sql).Scan(&use.Newest, &use.Settled); err != nil {
			return err
		}
		if err := countBy(ctx, tx, "tenant_key", "wrapped", masters); err != nil {
			return err
		}
		versions := map[string]int64{}
		for _, c := range Columns {
			if err := countBy(ctx, tx, c.Table, c.Column, versions); err != nil {
				return err
			}
		}
		for hex, n := range versions {
			var version uint32
			if _, err := fmt.Sscanf(hex, "%x", &version); err != nil {
				return err
			}
			use.Values[version] = n
		}
		return nil
	})
	return use, err
}

// countBy adds up a column's values by what stands in their header: a fingerprint, or the version of a data key.
func countBy(ctx context.Context, tx *pg.Tx, table, column string, into map[string]int64) error {
	sql := fmt.Sprintf(`
		select encode(substring(%[2]s from 2 for 4), 'hex'), count(*)
		  from %[1]s
		 where %[2]s is not null
		 group by 1`, pgx.Identifier{table}.Sanitize(), pgx.Identifier{column}.Sanitize())
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return err
	}
	var key string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&key, &n}, func() error {
		into[key] += n
		return nil
	})
	return err
}

// pruneAfter is how long an older data key stays after a rotation: longer than any transaction that may still seal
// under it.
const pruneAfter = "24 hours"

// Prune deletes a tenant's older data keys, when a rotation has ended a day ago and nothing lies under them. It returns
// how many. A backup brings its own data keys along.
func (r *Rotation) Prune(ctx context.Context, tenant string) (n int64, err error) {
	const sql = `
		delete from tenant_key k
		 where version = $1
		   and exists (select from tenant_key n
		                where n.version > k.version and n.settled_at < now() - interval '` + pruneAfter + `')`
	err = r.DB.AsBulk(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		versions := map[string]int64{}
		for _, c := range Columns {
			if err := countBy(ctx, tx, c.Table, c.Column, versions); err != nil {
				return err
			}
		}
		rows, err := tx.Query(
			ctx,
			`select version from tenant_key where version < (select max(version) from tenant_key)`,
		)
		if err != nil {
			return err
		}
		older, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
		if err != nil {
			return err
		}
		for _, version := range older {
			if versions[fmt.Sprintf("%08x", version)] > 0 {
				continue
			}
			tag, err := tx.Exec(ctx, sql, version)
			if err != nil {
				return err
			}
			n += tag.RowsAffected()
		}
		return nil
	})
	return n, err
}
