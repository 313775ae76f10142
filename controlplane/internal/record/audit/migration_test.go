package audit_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/migrations"
)

// before is the release before the chain, with entries of two tenants.
func before(t *testing.T, owner *sql.DB, a, b string) {
	t.Helper()
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
	if _, err := provider.UpTo(ctx, 10); err != nil {
		t.Fatal(err)
	}
	for i, tenant := range []string{a, b} {
		exec(`set app.tenant_id = '` + tenant + `'`)
		exec(`insert into tenant (id, slug, name) values ($1, $2, $2)`, tenant, string(rune('a'+i)))
		exec(`insert into audit_head (tenant_id, seq) values ($1, 3)`, tenant)
		for seq := 1; seq <= 3; seq++ {
			exec(`insert into audit_event (tenant_id, seq, action, actor, subject, changes, context, at) values ($1, $2, 'identity.updated',
				'{"kind": "user", "id": "u1", "session": "s1"}', '{"type": "identity", "id": "i1", "display": "Ada € \"x\" \u0007"}',
				'[{"field": "title", "from": null, "to": "Lead"}]', '{"count": 12, "share": 0.25, "small": 0.0000001, "large": 1e22, "nothing": null, "list": [true, {"b": 1, "a": -0.0}]}',
				'2026-01-02T03:04:05.678912Z')`, tenant, seq)
		}
	}
	exec(`reset app.tenant_id`)
	if _, err := provider.Up(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestEntriesFromBeforeTheChainAreChainedAsTheyWere(t *testing.T) {
	d := pgtest.Fresh(t)
	config, err := pgx.ParseConfig(d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	owner := stdlib.OpenDB(*config)
	defer owner.Close()
	owner.SetMaxOpenConns(1)
	a, b := uuid.Must(uuid.NewV7()).String(), uuid.Must(uuid.NewV7()).String()
	before(t, owner, a, b)
	for _, tenant := range []string{a, b} {
		v := viewer.System(tenant)
		if err := d.DB.As(ctx, v, func(tx *pg.Tx) error { return audit.Record(ctx, tx, audit.Entry{Action: "auth.login"}) }); err != nil {
			t.Fatal(err)
		}
		links := allLinks(t, d.DB, v)
		verifier := chain.From(tenant, 0, chain.Genesis)
		for _, l := range links {
			canonical, err := chain.Canonical(l.Event)
			if err != nil || string(canonical) != string(l.Event) {
				t.Errorf("entry %d is not canonical: %s, want %s, %v", l.Seq, l.Event, canonical, err)
			}
			if err := verifier.Next(l); err != nil {
				t.Error(err)
			}
		}
		if len(links) != 5 {
			t.Fatalf("%d entries; want the three, the mark and the new one", len(links))
		}
		e, err := audit.Parse(links[0])
		if err != nil || e.Actor.Type != "user" || e.Actor.TokenID != "s1" || e.Changes[0].After != "Lead" || e.Category != audit.Identity || e.Time.UnixMilli() != 1767323045678 {
			t.Errorf("first entry %+v, %v", e, err)
		}
		if mark, _ := audit.Parse(links[3]); mark.Action != "audit.chain_started" || mark.Context["entries_before"] != 3.0 {
			t.Errorf("mark %+v", mark)
		}
	}
}

func allLinks(t *testing.T, db *pg.DB, v viewer.Viewer) (links []chain.Link) {
	t.Helper()
	err := db.As(context.Background(), v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, `select seq, event, prev_hash, hash from audit_event order by seq`)
		if err != nil {
			return err
		}
		links, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l chain.Link, err error) {
			var event string
			err = row.Scan(&l.Seq, &event, &l.Prev, &l.Hash)
			l.Event = []byte(event)
			return l, err
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return links
}
