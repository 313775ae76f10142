package matter_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var ofTrigger = regexp.MustCompile(`Trigger accounts_are_matters_\w+: time=([0-9.]+)`)

// BenchmarkFirstLoad tells what the triggers of this room take where 20,000 accounts come and find their owners, as in a first sync: as
// PostgreSQL itself tells it.
func BenchmarkFirstLoad(b *testing.B) {
	db := pgtest.New(b)
	v := pgtest.Tenant(b, db, "first")
	connector := newID()
	exec := func(sql string, args ...any) (ms float64) {
		b.Helper()
		err := db.AsBulk(ctx, v, func(tx *pg.Tx) error {
			rows, err := tx.Query(ctx, sql, args...)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (line string, err error) { err = row.Scan(&line); return line, err })
			for _, line := range lines {
				if found := ofTrigger.FindStringSubmatch(line); found != nil {
					ms, _ = strconv.ParseFloat(found[1], 64)
				}
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return ms
	}
	exec(`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir', 'dir', 'ldap')`, connector)
	exec(`insert into identity (tenant_id, id, external_id, display_name) select current_tenant(), gen_random_uuid(), 'a' || n, 'a' || n from generate_series(1, 20000) n`)
	for b.Loop() {
		exec(`delete from account`)
		b.ReportMetric(exec(`explain analyze insert into account (tenant_id, id, connector_id, external_id, username, email, attributes, row_hash)
			select current_tenant(), gen_random_uuid(), $1, 'a' || n, 'a' || n, 'a' || n || '@example.com', jsonb_build_object('dept', 'Sales', 'phone', n, 'site', 'Vienna'), ''
			  from generate_series(1, 20000) n`, connector), "ms/insert")
		b.ReportMetric(exec(`explain analyze update account a set identity_id = i.id, correlation_state = 'linked', correlation = '{"by": "rules"}', version = a.version + 1
			from identity i where i.external_id = a.external_id`), "ms/link")
	}
}
