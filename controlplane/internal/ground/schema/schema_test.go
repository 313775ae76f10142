package schema_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func TestTheSchemaAsMigratedKeepsTenantsApart(t *testing.T) {
	if err := schema.Check(context.Background(), pgtest.New(t)); err != nil {
		t.Error(err)
	}
}

func TestExtensionsOfTheAdministratorDoNotStopTheStart(t *testing.T) {
	d := pgtest.Fresh(t)
	run(t, d.AdminURL, `create extension pg_stat_statements; create extension pg_buffercache`)
	if err := schema.Check(context.Background(), d.DB); err != nil {
		t.Errorf("Check = %v; views of extensions are none of the product's", err)
	}
	run(t, d.AdminURL, `
		create table job (tenant_id uuid, id int unique);
		alter table job enable row level security;
		create policy own_jobs on job using (true);
		create materialized view jobs as select 1 as a`)
	var unsafe *schema.Unsafe
	if err := schema.Check(context.Background(), d.DB); !errors.As(err, &unsafe) {
		t.Fatalf("Check = %v; want a refusal of what belongs to no extension", err)
	}
	run(t, d.AdminURL, `
		alter extension pg_stat_statements add table job;
		alter extension pg_stat_statements add materialized view jobs`)
	if err := schema.Check(context.Background(), d.DB); err != nil {
		t.Errorf("Check = %v; tables of extensions are none of the product's", err)
	}
}

func TestMigratingAgainChangesNothing(t *testing.T) {
	d := pgtest.Fresh(t)
	if err := schema.Migrate(context.Background(), d.OwnerURL); err != nil {
		t.Error(err)
	}
}

func TestEveryBrokenRuleStopsTheStartAndIsNamed(t *testing.T) {
	for _, tt := range []struct{ rule, breakIt, mend string }{
		{"role_is_superuser", `alter role grantwright_app superuser`, `alter role grantwright_app nosuperuser`},
		{"role_bypasses_row_security", `alter role grantwright_app bypassrls`,
			`alter role grantwright_app nobypassrls`},
		{"role_bypasses_row_security", `alter role grantwright_across bypassrls`,
			`alter role grantwright_across nobypassrls`},
		{"role_owns_tables", `create table mine (a int); alter table mine owner to grantwright_app`, ``},
		{"role_inherits_owner", `grant grantwright_owner to grantwright_app; alter role grantwright_app inherit`,
			`alter role grantwright_app noinherit; revoke grantwright_owner from grantwright_app`},
		{"role_inherits_across", `alter role grantwright_app inherit`, `alter role grantwright_app noinherit`},
		{"row_security_not_forced", `alter table identity no force row level security`, ``},
		{"row_security_not_forced", `alter table account disable row level security`, ``},
		{"row_security_not_forced", `create table loose (tenant_id uuid, a int)`, ``},
		{"policy_missing", `drop policy tenant_only on connector`, ``},
		{"policy_missing", `drop policy tenant_only on account; ` +
			`create policy tenant_only on account using (tenant_id = current_tenant()) with check (true)`, ``},
		{"policy_too_wide", `create policy all_see on identity for select using (true)`, ``},
		{"view_not_security_invoker", `create view people as select * from identity`, ``},
		{"materialized_view_present", `create materialized view people as select 1 as a`, ``},
		{"key_without_tenant", `create unique index loose on identity (email)`, ``},
		{"foreign_key_without_tenant", `create table target (id uuid primary key); ` +
			`alter table account add column t uuid references target`, ``},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			d := pgtest.Fresh(t)
			run(t, d.AdminURL, tt.breakIt)
			if tt.mend != "" {
				// Roles belong to the whole server: what a case does to them must not meet the next one.
				t.Cleanup(func() { run(t, d.AdminURL, tt.mend) })
			}
			err := schema.Check(context.Background(), d.DB)
			var unsafe *schema.Unsafe
			if !errors.As(err, &unsafe) {
				t.Fatalf("Check = %v; want a refusal", err)
			}
			for _, v := range unsafe.Violations {
				if v.Rule == tt.rule {
					return
				}
			}
			t.Errorf("Check = %v; want rule %s", err, tt.rule)
		})
	}
}

func run(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestATransactionSeesAndWritesItsOwnTenantAlone(t *testing.T) {
	ctx := context.Background()
	db := pgtest.New(t)
	a, b := pgtest.Tenant(t, db, "a"), pgtest.Tenant(t, db, "b")
	insert := func(as viewer.Viewer, tenant string) error {
		return db.As(ctx, as, func(tx *pg.Tx) error {
			_, err := tx.Exec(
				ctx,
				`insert into identity (tenant_id, id, external_id) values ($1, gen_random_uuid(), 'same')`,
				tenant,
			)
			return err
		})
	}
	count := func(as viewer.Viewer) (n int) {
		err := db.As(
			ctx,
			as,
			func(tx *pg.Tx) error { return tx.QueryRow(ctx, `select count(*) from identity`).Scan(&n) },
		)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := insert(a, a.Tenant); err != nil {
		t.Fatal(err)
	}
	if err := insert(a, b.Tenant); err == nil {
		t.Error("a transaction of one tenant wrote into another")
	}
	for range 50 { // the pool hands the same connections to both in turn
		if got := count(a); got != 1 {
			t.Fatalf("tenant a sees %d identities; want 1", got)
		}
		if got := count(b); got != 0 {
			t.Fatalf("tenant b sees %d identities; want 0", got)
		}
	}
	err := db.Across(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `select id from identity`)
		return err
	})
	if err == nil {
		t.Error("the role that works across tenants can read people")
	}
}

// A function that joins the old rows of a statement with its new ones is planned for as many as the connection's first
// statement had, and then used for any number: it must not be able to join them row by row, or plan anew each time.
func TestFunctionsThatJoinOldRowsWithNewOnesAreForAnyNumberOfThem(t *testing.T) {
	d := pgtest.Fresh(t)
	conn, err := pgx.Connect(t.Context(), d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `
		select distinct p.proname, coalesce(p.proconfig, '{}') @> '{enable_nestloop=off}'
		    or p.prosrc ~ 'execute \$' as fit
		  from pg_trigger t
		  join pg_proc p
		    on p.oid = t.tgfoid
		 where t.tgoldtable is not null
		   and t.tgnewtable is not null`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Name string
		Fit  bool
	}])
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, f := range found {
		if !f.Fit {
			t.Errorf("%s: alter function … set enable_nestloop = off, or let it execute a text", f.Name)
		}
	}
}
