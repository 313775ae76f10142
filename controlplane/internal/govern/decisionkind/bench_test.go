package decisionkind_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var ofTrigger = regexp.MustCompile(`Trigger accounts?_(?:are_matters|move_access|mark_access)\w*: time=([0-9.]+)`)

// BenchmarkFirstLoad tells what the triggers of accounts take where 20,000 come and find their owners, as in a first
// sync, on a connection that has changed a single one before: as PostgreSQL itself tells it.
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
			lines, err := pgx.CollectRows(
				rows,
				func(row pgx.CollectableRow) (line string, err error) { err = row.Scan(&line); return line, err },
			)
			for _, line := range lines {
				if found := ofTrigger.FindStringSubmatch(line); found != nil {
					of, _ := strconv.ParseFloat(found[1], 64)
					ms += of
				}
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return ms
	}
	exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'dir', 'dir',
			'ldap')`,
		connector,
	)
	exec(
		`insert into identity (tenant_id, id, external_id, display_name) select current_tenant(), gen_random_uuid(),
			'a' || n, 'a' || n from generate_series(1, 20000) n`,
	)
	for b.Loop() {
		exec(`delete from account`)
		b.ReportMetric(
			exec(
				`explain analyze insert into account (tenant_id, id, connector_id, external_id, username, email, attributes, row_hash)
			select current_tenant(), gen_random_uuid(), $1, 'a' || n, 'a' || n, 'a' || n || '@example.com', jsonb_build_object('dept', 'Sales', 'phone', n, 'site', 'Vienna'), ''
			  from generate_series(1, 20000) n`,
				connector,
			),
			"ms/insert",
		)
		exec(`update account set version = version + 1 where external_id = 'a1'`)
		b.ReportMetric(
			exec(
				`explain analyze update account a set identity_id = i.id, correlation_state = 'linked', correlation = '{"by": "rules"}', version = a.version + 1
			from identity i where i.external_id = a.external_id`,
			),
			"ms/link",
		)
	}
}
