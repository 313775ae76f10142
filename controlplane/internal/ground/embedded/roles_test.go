//go:build linux

package embedded_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	srv := start(t, embedded.Config{Dir: filepath.Join(t.TempDir(), "pg"), Fast: true})
	t.Run("the application owns nothing and stands above nobody", func(t *testing.T) { appIsPlain(t, srv) })
	t.Run("row security binds the application", func(t *testing.T) { appIsBound(t, srv) })
	t.Run("many callers at once on several databases agree", func(t *testing.T) { manyAtOnce(t, srv) })
	t.Run("a second time writes nothing", func(t *testing.T) { secondTimeWritesNothing(t, srv) })
	t.Run("an owner with CREATEROLE is enough", func(t *testing.T) { ownerIsEnough(t, srv) })
	t.Run("a changed password is put right by a superuser", func(t *testing.T) { passwordIsPutRight(t, srv) })
}

func appIsPlain(t *testing.T, srv *embedded.Server) {
	app := connect(t, srv.AppURL())
	got := map[string]bool{}
	for what, sql := range map[string]string{
		"logs in":               `select rolcanlogin from pg_roles where rolname = current_user`,
		"superuser":             `select rolsuper from pg_roles where rolname = current_user`,
		"bypasses row security": `select rolbypassrls from pg_roles where rolname = current_user`,
		"inherits":              `select rolinherit from pg_roles where rolname = current_user`,
		"makes roles":           `select rolcreaterole or rolcreatedb from pg_roles where rolname = current_user`,
		"member of the owner":   `select pg_has_role(current_user, 'grantwright_owner', 'member')`,
		"member of across":      `select pg_has_role(current_user, 'grantwright_across', 'member')`,
		"uses across":           `select pg_has_role(current_user, 'grantwright_across', 'usage')`,
		"owns something": `select exists (select from pg_shdepend where refobjid = current_user::regrole
			and deptype = 'o')`,
		"creates in public": `select has_schema_privilege('public', 'create')`,
		"uses public":       `select has_schema_privilege('public', 'usage')`,
		"makes temporary":   `select has_database_privilege(current_database(), 'temp')`,
		"across logs in": `select rolcanlogin or rolsuper or rolbypassrls from pg_roles
			where rolname = 'grantwright_across'`,
		"owner owns": `select datdba = 'grantwright_owner'::regrole and nspowner = 'grantwright_owner'::regrole
		                 from pg_database, pg_namespace where datname = current_database() and nspname = 'public'`,
		"owner stands above": `select rolsuper or rolbypassrls or rolcreaterole from pg_roles
			where rolname = 'grantwright_owner'`,
		"public uses public": `select exists (select from pg_namespace, aclexplode(nspacl) a where nspname = 'public'
			and a.grantee = 0)`,
	} {
		if value[bool](t, app, sql) {
			got[what] = true
		}
	}
	want := map[string]bool{
		"logs in":          true,
		"member of across": true,
		"uses public":      true,
		"makes temporary":  true,
		"owner owns":       true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the application (-want +got):\n%s", diff)
	}
}

func appIsBound(t *testing.T, srv *embedded.Server) {
	run(t, connect(t, srv.OwnerURL()), `
		create table person (tenant int, name text);
		insert into person values (1, 'Ada'), (2, 'Bo');
		alter table person enable row level security;
		alter table person force row level security;
		create policy own on person using (tenant = nullif(current_setting('app.t', true), '')::int);
		create policy across on person to grantwright_across using (true);
		grant select on person to grantwright_app, grantwright_across`)
	app := connect(t, srv.AppURL())
	count := func(before string) (n int) {
		t.Helper()
		check(t, pgx.BeginFunc(soon(t), app, func(tx pgx.Tx) error {
			if _, err := tx.Exec(soon(t), before); err != nil {
				return err
			}
			return tx.QueryRow(soon(t), `select count(*) from person`).Scan(&n)
		}))
		return n
	}
	got := []int{
		count(`select`),
		count(`set local app.t = '1'`),
		count(`set local role grantwright_across`),
		count(`select`),
	}
	if diff := cmp.Diff([]int{0, 1, 2, 0}, got); diff != "" {
		t.Errorf("rows without tenant, with one, across, and afterwards (-want +got):\n%s", diff)
	}
	for _, sql := range []string{
		`set role grantwright_owner`, `set role grantwright`, `alter table person disable row level security`,
		`alter role grantwright_app bypassrls`, `set row_security = off; select * from person`,
		`create table mine (a int)`, `drop policy own on person`, `copy (select 1) to program 'id'`,
	} {
		if _, err := app.Exec(soon(t), sql); err == nil {
			t.Errorf("the application may %q", sql)
		}
	}
}

func manyAtOnce(t *testing.T, srv *embedded.Server) {
	admin := connect(t, srv.SuperuserURL("postgres"))
	for n := range 3 {
		run(t, admin, fmt.Sprintf(`create database crowd%d`, n))
	}
	spec := roles.Roles{
		Owner:         "crowd_owner",
		App:           "crowd_app",
		Across:        "crowd_across",
		OwnerPassword: "o",
		AppPassword:   "a",
	}
	var g errgroup.Group
	for n := range 9 {
		g.Go(func() error {
			conn, err := pgx.Connect(soon(t), srv.SuperuserURL(fmt.Sprintf("crowd%d", n%3)))
			if err != nil {
				return err
			}
			defer conn.Close(context.Background())
			return roles.Ensure(soon(t), conn, spec)
		})
	}
	check(t, g.Wait())
	if got := value[int](t, admin, `select count(*) from pg_database where datdba = 'crowd_owner'::regrole`); got != 3 {
		t.Errorf("the owner has %d of 3 databases", got)
	}
	connect(t, login(t, srv, "crowd_app", "a", "crowd2"))
}

// login is a URL of the server for another user.
func login(t *testing.T, srv *embedded.Server, user, password, database string) string {
	t.Helper()
	u, err := url.Parse(srv.AppURL())
	check(t, err)
	u.User, u.Path = url.UserPassword(user, password), "/"+database
	return u.String()
}

// catalogVersions changes with every write to the rows that EnsureRoles cares for.
const catalogVersions = `
	select string_agg(v, ' ' order by v)
	  from (select 'r' || oid || ':' || xmin from pg_authid
	        union all select 'd' || oid || ':' || xmin from pg_database
	        union all select 'n' || oid || ':' || xmin from pg_namespace
	        union all select 'm' || roleid || ':' || xmin from pg_auth_members) t(v)`

func secondTimeWritesNothing(t *testing.T, srv *embedded.Server) {
	admin := connect(t, srv.SuperuserURL("grantwright"))
	before := value[string](t, admin, catalogVersions)
	check(t, roles.Ensure(soon(t), admin, roles.Roles{
		OwnerPassword: passwordOf(t, srv.OwnerURL()), AppPassword: passwordOf(t, srv.AppURL()),
	}))
	if after := value[string](t, admin, catalogVersions); after != before {
		t.Errorf("the catalog changed:\n%s\n%s", before, after)
	}
}

func ownerIsEnough(t *testing.T, srv *embedded.Server) {
	admin := connect(t, srv.SuperuserURL("postgres"))
	run(t, admin, `create role site login createrole password 'x'`)
	run(t, admin, `create database site owner site`)
	site := connect(t, login(t, srv, "site", "x", "site"))
	spec := roles.Roles{App: "site_app", Across: "site_across", Assume: true}
	for range 2 {
		check(t, roles.Ensure(soon(t), site, spec))
	}
	run(t, site, `create table word (w text); grant select on word to site_across`)
	run(t, site, `set role site_app`)
	if _, err := site.Exec(soon(t), `select from word`); err == nil {
		t.Error("the application role reads what only its across role may")
	}
	run(t, site, `begin; set local role site_across; select from word; commit`)
	if got := value[string](t, site, `select current_user`); got != "site_app" {
		t.Errorf("after the transaction the role is %s", got)
	}
}

func passwordIsPutRight(t *testing.T, srv *embedded.Server) {
	admin := connect(t, srv.SuperuserURL("grantwright"))
	check(t, roles.Ensure(soon(t), admin, roles.Roles{App: "guest", AppPassword: "first"}))
	const hard = "Grüße, Ⅸ\u00a0 'quoted'"
	check(t, roles.Ensure(soon(t), admin, roles.Roles{App: "guest", AppPassword: hard}))
	connect(t, login(t, srv, "guest", hard, "grantwright"))
	if _, err := pgx.Connect(soon(t), login(t, srv, "guest", "first", "grantwright")); err == nil {
		t.Error("the old password still opens the database")
	}
}

func TestDistributionsHaveTheirPackage(t *testing.T) {
	for text, want := range map[string]string{
		"ID=debian\n": "apt-get", "NAME=\"X\"\nID=mint\nID_LIKE=\"ubuntu debian\"\n": "apt-get",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n": "dnf module", "ID=alpine\n": "apk add", "ID=plan\n": "",
	} {
		if got := embedded.PackageFor(text); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("packageFor(%q) = %q, want %q", text, got, want)
		}
	}
}
