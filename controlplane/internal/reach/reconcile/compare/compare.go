package compare

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// comparison computes what a run changes into the temporary table r_change. Every step is one statement over all rows.
// Joins are on single columns, because a condition that chooses between columns cannot be hashed.
type comparison struct {
	tx   *pg.Tx
	run  reconcile.Run
	args pgx.NamedArgs
}

// temporaries are what a comparison builds, each in the transaction's own space. Row security does not reach there, so
// the statements that fill them name the tenant by the tables they read.
var temporaries = []string{
	"r_identity",
	"r_account",
	"r_entitlement",
	"r_pair",
	"r_edge",
	"c_identity",
	"c_account",
	"c_entitlement",
	"w_person",
	"w_account",
	"w_entitlement",
	"r_scope",
	"r_change",
	"r_confirmed",
	"r_named",
	"r_within",
	"c_grant",
	"c_edge",
	"c_boss",
}

// changeTable has a row for each change that the run would make. guard is the kind of limit that
// the change counts towards; null: none.
const changeTable = `
	create temp table r_change (
	    object text not null, change text not null, object_id uuid, external_id text not null default '',
	      display text not null default '',
	    guard text, fields text[] not null default '{}', before jsonb, after jsonb, department text, container text,
	      manager text,
	    state text not null default 'pending', reason text, owner_id uuid, account_id uuid, entitlement_id uuid,
	      stage_seq int, stage_ord int
	) on commit drop`

// Compare fills the temporary table r_change with everything that the staged records of a run would change. It needs a
// bulk transaction, in which the tables last until the end. missingRunsRequired is how many complete readings in a row
// without a record make it gone.
func Compare(ctx context.Context, tx *pg.Tx, r reconcile.Run, missingRunsRequired int) error {
	c := &comparison{tx: tx, run: r, args: pgx.NamedArgs{
		"run": r.ID, "connector": r.Connector, "required": missingRunsRequired, "first": r.FirstLoad,
		"unresolved_told": unresolvedTold,
	}}
	if err := c.do(ctx, "prepare", "drop table if exists "+strings.Join(temporaries, ", "), changeTable); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{c.scopes, c.people, c.accounts, c.entitlements, c.confirm} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if concerned, err := c.concernsAccess(ctx); err != nil || !concerned {
		return err
	}
	for _, step := range []func(context.Context) error{c.accountsAfter, c.entitlementsAfter, c.grants, c.nesting} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// concernsAccess reports whether the run says anything about who holds what. A reading of changes often does not, and
// is spared the look at all grants. Of a record that has gone a directory does not say what it was, so there may be
// scopes of entitlements that never were any.
func (c *comparison) concernsAccess(ctx context.Context) (is bool, err error) {
	const sql = `
		select exists (select from stage_grant where tenant_id = current_tenant() and run_id = @run)
		    or exists (select from stage_present where tenant_id = current_tenant() and run_id = @run
		        and kind = 'grants')
		    or exists (select from r_scope where kind = 'grants' and key not like 'entitlement:%')
		    or exists (select
		                 from r_scope s
		                 join entitlement e
		                   on 'entitlement:' || e.external_id = s.key
		                where s.kind = 'grants'
		                  and e.tenant_id = current_tenant()
		                  and e.connector_id = @connector)
		    or exists (select from r_entitlement where content)
		    or exists (select from r_confirmed)
		    or exists (select from r_change where change in ('missing', 'remove')
		        and object in ('account', 'entitlement'))`
	if err := c.tx.QueryRow(ctx, sql, c.args).Scan(&is); err != nil {
		return false, fmt.Errorf("look for access: %w", err)
	}
	return is, nil
}

// do runs statements in turn.
func (c *comparison) do(ctx context.Context, what string, statements ...string) error {
	for _, sql := range statements {
		if _, err := c.tx.Exec(ctx, sql, c.args); err != nil {
			return fmt.Errorf("compare %s: %w", what, err)
		}
	}
	return nil
}

// any reports whether a temporary table holds a row.
func (c *comparison) any(ctx context.Context, table string) (there bool, err error) {
	if err := c.tx.QueryRow(ctx, `select exists (select from `+table+`)`).Scan(&there); err != nil {
		return false, fmt.Errorf("look into %s: %w", table, err)
	}
	return there, nil
}

// Container is the SQL of the part of a tree that a record lies in: for a distinguished name, the name without its
// first part (RFC 4514). name is an SQL expression.
func Container(name string) string {
	return `case when ` + name + ` ~ '^[^=,]+=' then nullif(regexp_replace(` + name + `, '^(\\.|[^,\\])*(,\s*|$)', ''),
		'') end`
}

// changedFields is an array of the names of columns that differ between two rows; a column may be called differently in
// the second.
func changedFields(old, new string, columns ...string) string {
	cases := make([]string, len(columns))
	for i, column := range columns {
		cases[i] = fmt.Sprintf("case when %[1]s.%[3]s is distinct from %[2]s.%[3]s then '%[3]s' end", old, new, column)
	}
	return "array_remove(array[" + strings.Join(cases, ", ") + "]::text[], null)"
}

// changedValues is an object of the values of one row in those of the columns whose values differ between two rows.
// It is null when there are none.
func changedValues(of, old, new string, columns ...string) string {
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = fmt.Sprintf(
			"('%[4]s', to_jsonb(%[1]s.%[4]s), %[2]s.%[4]s is distinct from %[3]s.%[4]s)",
			of,
			old,
			new,
			column,
		)
	}
	return "(select jsonb_object_agg(f.name, f.value) from (values " + strings.Join(
		values,
		", ",
	) + ") f (name, value, differs) where f.differs)"
}
