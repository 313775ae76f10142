package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Violation is a rule of tenant isolation that the database breaks, with the way to mend it.
type Violation struct{ Rule, Detail, Mend string }

// Unsafe is the refusal to start on a database that cannot keep tenants apart.
type Unsafe struct{ Violations []Violation }

// Error names every broken rule.
func (u *Unsafe) Error() string {
	lines := make([]string, len(u.Violations))
	for i, v := range u.Violations {
		lines[i] = fmt.Sprintf("%s: %s (%s)", v.Rule, v.Detail, v.Mend)
	}
	return "this database would not keep tenants apart: " + strings.Join(lines, "; ")
}

// tenantOnly is the one policy of tenant tables, as the server writes it back.
const tenantOnly = "(tenant_id = ( SELECT current_tenant() AS current_tenant))"

// Own is the condition that the relation c of pg_class is the product's, and not a part of an extension: those have
// views and policies of their own, such as pg_stat_statements and pg_cron, which an administrator of the database has
// installed.
const Own = `not exists (select from pg_depend d
		                    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

// rules find what breaks isolation. Each yields a line for each finding; none is the good answer.
// A superuser passes even forced row security, the owner of a view lends it his rights, and foreign keys are not
// bound by policies at all: hence more rules than "is row security on".
var rules = []struct{ name, mend, sql string }{
	{
		"role_is_superuser",
		"alter role … nosuperuser, or give the application a login of its own",
		`select rolname from pg_roles where rolname = current_user and rolsuper`,
	},
	{
		"role_bypasses_row_security",
		"alter role … nobypassrls",
		`select rolname from pg_roles where rolname in (current_user, '` + pg.AcrossRole + `') and rolbypassrls`,
	},
	{"role_owns_tables", "alter table … owner to " + pg.OwnerRole, `
		select c.oid::regclass::text
		  from pg_class c
		  join pg_roles r on r.oid = c.relowner
		 where r.rolname in (current_user, '` + pg.AcrossRole + `')
		   and c.relkind in ('r', 'p', 'v', 'm')
		   and not c.relnamespace::regnamespace::text like 'pg_%'
		   and ` + Own},
	{
		"role_inherits_owner",
		"revoke the owner's role from the application's, or alter role " + pg.AppRole + " noinherit",
		`
		select 'through ' || r.rolname
		  from pg_class c
		  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
		  join pg_roles r on r.oid = c.relowner
		 where c.relname = 'tenant'
		   and pg_has_role(current_user, r.oid, 'usage')`,
	},
	{
		"role_inherits_across",
		"alter role " + pg.AppRole + " noinherit",
		`select '` + pg.AcrossRole + `' where pg_has_role(current_user, '` + pg.AcrossRole + `', 'usage')`,
	},
	{"row_security_not_forced", "alter table … enable row level security, force row level security", `
		select c.oid::regclass::text
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		 where c.relkind in ('r', 'p')
		   and c.relpersistence <> 't'
		   and not (c.relrowsecurity and c.relforcerowsecurity)
		   and ` + Own},
	{"policy_missing", "call secure_tenant_table(…) as the owner", `
		select c.oid::regclass::text
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		 where c.relkind in ('r', 'p')
		   and c.relpersistence <> 't'
		   and ` + Own + `
		   and not exists (select from pg_policy p
		                    where p.polrelid = c.oid and p.polcmd = '*' and p.polpermissive
		                      and pg_get_expr(p.polqual, p.polrelid) = '` + tenantOnly + `'
		                      and pg_get_expr(p.polwithcheck, p.polrelid) = '` + tenantOnly + `')`},
	{"policy_too_wide", "drop policy …", `
		select p.polname || ' on ' || p.polrelid::regclass
		  from pg_policy p
		  join pg_class c on c.oid = p.polrelid and ` + Own + `
		 where p.polpermissive
		   and coalesce(pg_get_expr(p.polqual, p.polrelid),
		       '') not in ('` + tenantOnly + `', '(id = ( SELECT current_tenant() AS current_tenant))')
		   and p.polroles <> array[(select oid from pg_roles where rolname = '` + pg.AcrossRole + `')]`},
	{"view_not_security_invoker", "alter view … set (security_invoker = true)", `
		select c.oid::regclass::text
		  from pg_class c
		  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
		 where c.relkind = 'v'
		   and not coalesce(c.reloptions::text like '%security_invoker=true%', false)
		   and ` + Own},
	{"materialized_view_present", "drop materialized view …", `
		select c.oid::regclass::text
		  from pg_class c
		  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
		 where c.relkind = 'm'
		   and ` + Own},
	{"key_without_tenant", "drop index …", `
		select i.indexrelid::regclass::text
		  from pg_index i
		  join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'tenant_id' and not a.attisdropped
		  join pg_class c on c.oid = i.indrelid and c.relpersistence <> 't'
		 where i.indisunique
		   and i.indkey[0] <> a.attnum
		   and ` + Own},
	{"foreign_key_without_tenant", "alter table … drop constraint …", `
		select k.conname || ' on ' || k.conrelid::regclass
		  from pg_constraint k
		  join pg_class c on c.oid = k.conrelid
		  join pg_attribute a on a.attrelid = k.conrelid and a.attname = 'tenant_id' and not a.attisdropped
		 where k.contype = 'f'
		   and not a.attnum = any (k.conkey)
		   and ` + Own},
}

// fixed are the minor releases in which known ways around row security were closed.
var fixed = map[int]int{15: 150014, 16: 160010, 17: 170006}

// Check looks at the catalog through a connection of the application. It returns *Unsafe when a rule is broken.
func Check(ctx context.Context, db *pg.DB) error {
	conn, err := db.Pool().Acquire(ctx)
	if err != nil {
		return pg.Translate(fmt.Errorf("connect to check the database: %w", err))
	}
	defer conn.Release()
	var found []Violation
	var version int
	if err := conn.QueryRow(ctx, `select current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return fmt.Errorf("read server version: %w", err)
	}
	if version < fixed[15] || version < fixed[version/10000] {
		found = append(
			found,
			Violation{
				"server_too_old",
				fmt.Sprintf("PostgreSQL %d.%d lacks fixes of row security", version/10000, version%10000),
				"use 15.14, 16.10, 17.6 or later",
			},
		)
	}
	for _, rule := range rules {
		rows, err := conn.Query(ctx, rule.sql)
		if err != nil {
			return fmt.Errorf("check %s: %w", rule.name, err)
		}
		details, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("check %s: %w", rule.name, err)
		}
		for _, d := range details {
			found = append(found, Violation{rule.name, d, rule.mend})
		}
	}
	if len(found) > 0 {
		return &Unsafe{found}
	}
	return nil
}

func lockTimedOut(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "55P03"
}
