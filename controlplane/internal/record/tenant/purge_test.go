package tenant_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

func eraser(db *pg.DB) *tenant.Service {
	return &tenant.Service{
		DB:       db,
		Now:      time.Now,
		Log:      slog.New(slog.DiscardHandler),
		KeepKeys: func([]string) {},
		Changed:  func() {},
	}
}

// erase does what a process's work queue does, until no tenant is left to erase.
func erase(db *pg.DB) error {
	work := &queue.Queue{DB: db, Log: slog.New(slog.DiscardHandler), Kinds: eraser(db).Kinds()}
	for {
		if n, err := work.Look(ctx); n == 0 || err != nil {
			return err
		}
	}
}

// owned are the tables that hold rows of tenants, as the catalog knows them.
func owned(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(ctx, `
		select c.oid::regclass::text
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		 where c.relkind = 'r' and c.relpersistence <> 't'
		 order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 30 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	return tables
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// fill puts a row of the tenant into every table there is. All ids in them are the same, so that every reference is to
// a row that is there, and the order in which rows are deleted matters. Rules about values are taken away first.
func fill(t *testing.T, conn *pgx.Conn, tables []string, id string) {
	t.Helper()
	const same = "01a1f99f-1d39-767a-8283-ef45f2482195"
	if _, err := conn.Exec(ctx, `set session_replication_role = replica`); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if table == "audit_event" || table == "audit_head" {
			continue // see logged
		}
		rows, err := conn.Query(ctx, `
			select quote_ident(a.attname), t.typname, t.typtype::text, t.typcategory::text
			  from pg_attribute a
			  join pg_type t on t.oid = a.atttypid
			 where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
			     and a.attidentity = ''
			   and a.attname <> 'tenant_id'
			   and (a.attnotnull and not a.atthasdef or t.typname = 'uuid')`, table)
		if err != nil {
			t.Fatal(err)
		}
		names, values := []string{"tenant_id"}, []string{"'" + id + "'"}
		var name, typ, kind, category string
		_, err = pgx.ForEachRow(rows, []any{&name, &typ, &kind, &category}, func() error {
			value, known := map[string]string{
				"uuid": "'" + same + "'", "bytea": `'\x01'`, "jsonb": `'{}'`, "timestamptz": "now()",
				"date": "current_date", "bool": "true", "interval": "'1 day'",
			}[typ]
			switch {
			case known:
			case category == "A":
				value = "'{}'"
			case category == "N":
				value = "1"
			default:
				value = "'x'"
			}
			names, values = append(names, name), append(values, value)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		sql := fmt.Sprintf(
			"insert into %s (%s) values (%s) on conflict do nothing",
			table,
			strings.Join(names, ", "),
			strings.Join(values, ", "),
		)
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if _, err := conn.Exec(ctx, `set session_replication_role = origin`); err != nil {
		t.Fatal(err)
	}
}

// logged puts an entry into the tenant's audit log, whose rows follow rules that no made-up one does.
func logged(t *testing.T, db *pg.DB, v viewer.Viewer) {
	t.Helper()
	err := db.As(ctx, v, func(tx *pg.Tx) error { return audit.Record(ctx, tx, audit.Entry{Action: "tenant.created"}) })
	if err != nil {
		t.Fatal(err)
	}
}

// withoutRules drops the rules about values, which rows made up from the catalog would break.
func withoutRules(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	_, err := conn.Exec(ctx, `
		do $$
		declare k record;
		begin
			for k in select conrelid::regclass::text as t, conname from pg_constraint
			          where contype = 'c' and conrelid <> 0 and coninhcount = 0 and connamespace = 'public'::regnamespace and conrelid <> 'tenant'::regclass loop
				execute format('alter table %s drop constraint %I', k.t, k.conname);
			end loop;
		end $$`)
	if err != nil {
		t.Fatal(err)
	}
}

// rowsOf counts a tenant's rows by table; tables without any are left out.
func rowsOf(t *testing.T, conn *pgx.Conn, tables []string, id string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, table := range tables {
		var n int
		if err := conn.QueryRow(ctx, "select count(*) from "+table+" where tenant_id = $1", id).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			out[table] = n
		}
	}
	return out
}

func shut(t *testing.T, conn *pgx.Conn, id, home string, grace time.Duration) {
	t.Helper()
	_, err := conn.Exec(ctx, `
		update tenant
		   set status = 'closing', status_reason = 'contract ended', closed_at = now(),
		       purge_after = now() + make_interval(secs => $3),
		           closed_by = jsonb_build_object('tenant', $2::text, 'display', 'op@main.example', 'status', 'active')
		 where id = $1`, id, home, grace.Seconds())
	if err != nil {
		t.Fatal(err)
	}
}

func TestErasingATenantLeavesNoRowOfItInAnyTableAndTouchesNoOther(t *testing.T) {
	d := pgtest.Fresh(t)
	conn := connect(t, d.AdminURL)
	withoutRules(t, conn)
	tables := owned(t, conn)
	home, gone, other := pgtest.Tenant(t, d.DB, "main"), pgtest.Tenant(t, d.DB, "gone"), pgtest.Tenant(t, d.DB, "other")
	for _, v := range []viewer.Viewer{gone, other} {
		logged(t, d.DB, v)
		fill(t, conn, tables, v.Tenant)
	}
	if _, err := conn.Exec(ctx, `update sync_run set lease_until = null`); err != nil {
		t.Fatal(err)
	}
	before := rowsOf(t, conn, tables, other.Tenant)
	for _, table := range tables {
		if before[table] == 0 {
			t.Errorf("%s was not filled: the test proves nothing about it", table)
		}
	}
	shut(t, conn, gone.Tenant, home.Tenant, 0)
	if err := erase(d.DB); err != nil {
		t.Fatal(err)
	}
	if left := rowsOf(t, conn, tables, gone.Tenant); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	var there bool
	if err := conn.QueryRow(ctx, `select exists (select from tenant where id = $1)`, gone.Tenant).
		Scan(&there); err != nil ||
		there {
		t.Errorf("the tenant itself is there: %v, %v", there, err)
	}
	if after := rowsOf(t, conn, tables, other.Tenant); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the other tenant has %v; had %v", after, before)
	}
	var told string
	err := conn.QueryRow(ctx, `
		select concat_ws(' ', action, event::json -> 'subject' ->> 'display', event::json ->> 'reason',
		    event::json -> 'context' -> 'closed_by' ->> 'display',
		    json_array_length(event::json -> 'context' -> 'rows') >= $2)
		  from audit_event where tenant_id = $1`, home.Tenant, len(tables)-5).Scan(&told)
	if want := "tenant.erased gone contract ended op@main.example t"; err != nil || told != want {
		t.Errorf("the operator's log says %q, %v; want %q", told, err, want)
	}
}

func TestWhatWasSealedForAnErasedTenantNeverOpensAgain(t *testing.T) {
	d := pgtest.Fresh(t)
	conn := connect(t, d.AdminURL)
	ring, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	home, gone := pgtest.Tenant(t, d.DB, "main"), pgtest.Tenant(t, d.DB, "gone")
	place := seal.Place{Table: "connector", Column: "credentials", Row: uuid.NewString()}
	var sealed []byte
	for range 2 { // the second time with a key that is in memory
		err = d.DB.As(ctx, gone, func(tx *pg.Tx) (err error) {
			sealed, err = ring.Seal(ctx, tx, place, []byte("CANARY"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	shut(t, conn, gone.Tenant, home.Tenant, 0)
	s := eraser(d.DB)
	s.KeepKeys = ring.Keep
	if err := errors.Join(s.DropKeys(ctx), erase(d.DB)); err != nil {
		t.Fatal(err)
	}
	err = d.DB.As(ctx, gone, func(tx *pg.Tx) error {
		_, err := ring.Open(ctx, tx, place, sealed)
		return err
	})
	if !errors.Is(err, seal.ErrBroken) {
		t.Errorf("Open = %v; want ErrBroken", err)
	}
}

func TestErasingGoesOnWhereAnotherProcessDied(t *testing.T) {
	d := pgtest.Fresh(t)
	conn := connect(t, d.AdminURL)
	home, gone := pgtest.Tenant(t, d.DB, "main"), pgtest.Tenant(t, d.DB, "gone")
	err := d.DB.As(ctx, gone, func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`insert into identity (tenant_id, id, external_id) select current_tenant(), gen_random_uuid(),
				'e' || n from generate_series(1, 250) n`,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(
		ctx,
		`insert into tenant_key (tenant_id, version, wrapped) values ($1, 1, '\x01')`,
		gone.Tenant,
	); err != nil {
		t.Fatal(err)
	}
	shut(t, conn, gone.Tenant, home.Tenant, 0)
	left := func() (keys, people int) {
		err := conn.QueryRow(ctx, `select (select count(*) from tenant_key where tenant_id = $1),
			(select count(*) from identity where tenant_id = $1)`, gone.Tenant).
			Scan(&keys, &people)
		if err != nil {
			t.Fatal(err)
		}
		return keys, people
	}
	first := eraser(d.DB)
	if _, err := first.PurgeStep(ctx, gone.Tenant, home.Tenant, 100); err != nil {
		t.Fatal(err)
	}
	if keys, people := left(); keys != 0 || people != 250 {
		t.Fatalf(
			"after the first step %d keys and %d people are left; want 0 and 250: the keys go first, by themselves",
			keys,
			people,
		)
	}
	if _, err := first.PurgeStep(ctx, gone.Tenant, home.Tenant, 100); err != nil {
		t.Fatal(err)
	}
	if _, people := left(); people != 150 {
		t.Fatalf("after the second step %d people are left; want 150: a step is bounded", people)
	}
	err = d.DB.As(ctx, viewer.System(gone.Tenant), func(tx *pg.Tx) error {
		there, err := tenant.Find(ctx, tx)
		if err == nil && there.Purged != 101 {
			t.Errorf("%d rows are shown as erased; want 101", there.Purged)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dieInAStep(t, d, conn, gone.Tenant)
	if _, people := left(); people != 150 {
		t.Fatalf("%d people are left after a step that never ended; want 150", people)
	}
	next, err := pg.Open(ctx, pg.Options{URL: d.AppURL, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if err := erase(next); err != nil {
		t.Fatal(err)
	}
	var rows []string
	err = conn.QueryRow(ctx, `
		select array(select json_array_elements_text(event::json -> 'context' -> 'rows'))
		  from audit_event where tenant_id = $1 and action = 'tenant.erased'`, home.Tenant).Scan(&rows)
	if want := "[identity: 250 tenant_key: 1]"; err != nil || fmt.Sprint(rows) != want {
		t.Errorf("the operator's log counts %v, %v; want %s: all steps together, once", rows, err, want)
	}
}

// dieInAStep is a process whose connection is gone between deleting and committing. While it lives, others leave the
// tenant to it.
func dieInAStep(t *testing.T, d pgtest.Database, conn *pgx.Conn, id string) {
	t.Helper()
	dying := connect(t, d.AppURL)
	var pid int
	if err := dying.QueryRow(ctx, `select pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if _, err := dying.Exec(ctx, `begin; select purge_tenant('`+id+`', 1000)`); err != nil {
		t.Fatal(err)
	}
	if step, err := eraser(d.DB).PurgeStep(ctx, id, "", 10); err != nil || step.State != "busy" {
		t.Errorf("a second process found %+v, %v; want busy", step, err)
	}
	if _, err := conn.Exec(ctx, `select pg_terminate_backend($1, 5000)`, pid); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyAClosingTenantWhoseGraceHasEndedCanBeErased(t *testing.T) {
	d := pgtest.Fresh(t)
	conn := connect(t, d.AdminURL)
	active, waiting, reading := pgtest.Tenant(
		t,
		d.DB,
		"active",
	), pgtest.Tenant(
		t,
		d.DB,
		"waiting",
	), pgtest.Tenant(
		t,
		d.DB,
		"reading",
	)
	shut(t, conn, waiting.Tenant, active.Tenant, time.Hour)
	for _, id := range []string{active.Tenant, waiting.Tenant} {
		if step, err := eraser(d.DB).PurgeStep(ctx, id, "", 10); err == nil {
			t.Errorf("erasing %s did %+v; want a refusal", id, step)
		}
	}
	if err := erase(d.DB); err != nil {
		t.Error(err)
	}
	// A run that somebody still works on ends first: what it stages must not outlive the tenant.
	withoutRules(t, conn)
	fill(t, conn, []string{"connector", "sync_run"}, reading.Tenant)
	if _, err := conn.Exec(ctx, `update sync_run set lease_until = now() + interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	shut(t, conn, reading.Tenant, active.Tenant, 0)
	if step, err := eraser(d.DB).PurgeStep(ctx, reading.Tenant, "", 10); err != nil || step.State != "busy" {
		t.Errorf("erasing beside a sync run did %+v, %v; want busy", step, err)
	}
	var still int
	if err := conn.QueryRow(ctx, `select count(*) from tenant`).Scan(&still); err != nil || still != 3 {
		t.Errorf("%d tenants, %v; want 3", still, err)
	}
}

func TestTheApplicationItselfCannotDeleteFromTheAuditLogOrATenant(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	for _, sql := range []string{`delete from audit_event`, `delete from tenant`, `select purge_tenant(null, 10)`,
		`select purge_tenant(current_tenant(), 0)`} {
		err := db.As(ctx, v, func(tx *pg.Tx) error {
			var state string
			if strings.HasPrefix(sql, "select") {
				return tx.QueryRow(ctx, sql).Scan(&state)
			}
			_, err := tx.Exec(ctx, sql)
			return err
		})
		if err == nil && !strings.Contains(sql, "null") {
			t.Errorf("%s was done", sql)
		}
	}
	if err := db.As(
		ctx,
		viewer.System(v.Tenant),
		func(tx *pg.Tx) error { _, err := tenant.Find(ctx, tx); return err },
	); err != nil {
		t.Error(err)
	}
}

// TestRowsThatReferToEachOtherAreErasedInBoundedSteps has a chain of tokens, each made by the one before and the heir
// of it: none but the newest can be deleted by itself.
func TestRowsThatReferToEachOtherAreErasedInBoundedSteps(t *testing.T) {
	d := pgtest.Fresh(t)
	conn := connect(t, d.AdminURL)
	home, gone := pgtest.Tenant(t, d.DB, "main"), pgtest.Tenant(t, d.DB, "gone")
	const tokens, budget = 45, 10
	err := d.DB.As(ctx, gone, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `
			with boss as (
				insert into app_user (tenant_id, id, email, roles, status) values (current_tenant(), gen_random_uuid(),
				    'ada@gone.example', '{admin}', 'active') returning id)
			insert into api_token (tenant_id, id, jti, name, scopes, role, idle_after, expires_at, created_by,
			    awake_since, made_by, rotated_from_id)
			select current_tenant(), lpad(n::text, 32, '0')::uuid, gen_random_uuid(), 't', '{}', 'admin', '1 day',
			       now() + interval '1 day', boss.id, now(), case
			           when n > 1 then lpad((n - 1)::text, 32, '0')::uuid end,
			           case when n > 1 then lpad((n - 1)::text, 32, '0')::uuid end
			  from generate_series(1, $1::int) n, boss`, tokens)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	shut(t, conn, gone.Tenant, home.Tenant, 0)
	left := tokens
	for steps := 0; ; steps++ {
		step, err := eraser(d.DB).PurgeStep(ctx, gone.Tenant, home.Tenant, budget)
		if err != nil || steps > 3*tokens {
			t.Fatalf("step %d: %+v, %v", steps, step, err)
		}
		var now int
		if err := conn.QueryRow(ctx, `select count(*) from api_token where tenant_id = $1`, gone.Tenant).
			Scan(&now); err != nil {
			t.Fatal(err)
		}
		if left-now > budget {
			t.Errorf("step %d took %d tokens at once; want at most %d", steps, left-now, budget)
		}
		if left = now; step.State == "done" {
			break
		}
	}
	var rows string
	err = conn.QueryRow(ctx, `select array_to_string(array(select json_array_elements_text(event::json -> 'context' ->
		'rows')), ', ') from audit_event where tenant_id = $1`, home.Tenant).
		Scan(&rows)
	if want := "api_token: 45, app_user: 1"; err != nil || rows != want {
		t.Errorf("the operator's log counts %q, %v; want %q", rows, err, want)
	}
}
