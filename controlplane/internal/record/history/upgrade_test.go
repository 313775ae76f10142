package history_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/migrations"
)

func TestWhatWasThereBeforeHistoryWasKeptBeginsWhenItBecameKnown(t *testing.T) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(pgtest.Fresh(t).OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	owner := stdlib.OpenDB(*config)
	defer owner.Close()
	owner.SetMaxOpenConns(1) // one session keeps its settings
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := owner.ExecContext(ctx, query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`drop schema public cascade`)
	exec(`create schema public`)
	exec(`grant usage on schema public to grantwright_app, grantwright_across`)
	provider, err := goose.NewProvider(goose.DialectPostgres, owner, migrations.Files, goose.WithTableName("schema_migration"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(ctx, 29); err != nil {
		t.Fatal(err)
	}
	tenant, id := uuid.NewString(), uuid.NewString()
	exec(`set app.tenant_id = '` + tenant + `'`)
	exec(`insert into tenant (id, slug, name, created_at) values ($1, 'first', 'First', '2020-01-01Z')`, tenant)
	exec(`insert into identity (tenant_id, id, external_id, created_at) values ($1, $2, 'ann', '2021-01-01Z')`, tenant, id)
	exec(`insert into account (tenant_id, id, connector_id, external_id, identity_id, row_hash, first_seen_at, correlation)
		values ($1, $2, $2, 'ann', $2, '', '2022-01-01Z', '{"decided_at": "2022-06-01T10:00:00.123Z"}'),
		       ($1, gen_random_uuid(), $2, 'bob', null, '', '2022-01-01Z', '{"decided_at": "long ago"}')`, tenant, id)
	exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, first_seen_at, granted_at)
		values ($1, $2, $2, $2, $2, '2023-01-01Z', '2010-01-01Z')`, tenant, id)
	exec(`reset app.tenant_id`)
	if _, err := provider.Up(ctx); err != nil {
		t.Fatal(err)
	}
	exec(`set app.tenant_id = '` + tenant + `'`)
	var told string
	const sql = `
		select concat_ws(' ', (select i.as_is_since::date from identity i), (select string_agg(concat_ws('/', a.as_is_since::date, a.owner_since::date), ' ' order by a.external_id) from account a),
		                      (select g.as_is_since::date from access_grant g), (select since = now()::timestamptz or since > now() - interval '1 hour' from history_start),
		                      (select count(*) from identity_past) + (select count(*) from account_past) + (select count(*) from access_grant_past))`
	if err := owner.QueryRowContext(ctx, sql).Scan(&told); err != nil {
		t.Fatal(err)
	}
	if want := "2021-01-01 2022-01-01/2022-06-01 2022-01-01/2022-01-01 2023-01-01 t 0"; told != want {
		t.Errorf("got %s; want %s", told, want)
	}
	exec(`update access_grant set status = 'revoked'`)
	var held int
	if err := owner.QueryRowContext(ctx, `select count(*) from grant_at('2023-02-01Z')`).Scan(&held); err != nil || held != 1 {
		t.Errorf("in February 2023 %d grants were held, %v; want the one that was known then", held, err)
	}
}
