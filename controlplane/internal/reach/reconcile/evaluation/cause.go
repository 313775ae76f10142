package evaluation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/compare"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/safety"
)

// cause says in words what the data suggests: the first thing that stands out, or nothing.
func cause(ctx context.Context, tx *pg.Tx, r reconcile.Run, f safety.Finding) (string, error) {
	if f.Rule == safety.RuleSettingsChanged {
		return "the connection settings changed since the last good run", nil
	}
	type explanation func(context.Context, *pg.Tx, reconcile.Run, safety.Finding) (string, error)
	explanations := []explanation{announced, emptied, under, sameDepartment, ofOneEntitlement, newKeys}
	for _, explain := range explanations {
		words, err := explain(ctx, tx, r, f)
		if err != nil || words != "" {
			return words, err
		}
	}
	return "", nil
}

// kindOf is the protocol's kind that the absence of a guard's objects is about, with what the people of the product
// call it.
var kindOf = map[string]struct{ kind, object, words string }{
	safety.IdentityDeactivation: {"identities", "identity", "people"},
	safety.AccountMissing:       {"accounts", "account", "accounts"},
	safety.EntitlementRemoved:   {"entitlements", "entitlement", "entitlements"},
}

// announced: the source has far fewer than before, by its own word or by what came.
func announced(ctx context.Context, tx *pg.Tx, r reconcile.Run, f safety.Finding) (string, error) {
	about, absent := kindOf[f.Kind]
	if !absent || 2*f.Observed < f.Population {
		return "", nil
	}
	var said *int64
	var came int64
	sql := `
		select (select (estimate ->> $2)::bigint from sync_run where tenant_id = current_tenant() and id = $1),
		       (select count(*) from r_` + about.object + ` where not gone)`
	if err := tx.QueryRow(ctx, sql, r.ID, about.kind).Scan(&said, &came); err != nil {
		return "", fmt.Errorf("what the source announces: %w", err)
	}
	switch {
	case said != nil && *said < f.Population:
		return fmt.Sprintf("the source now announces %d of %d %s", *said, f.Population, about.words), nil
	case came == 0 && !r.Incremental:
		return fmt.Sprintf("the source answered without any of %d %s", f.Population, about.words), nil
	case !r.Incremental:
		return fmt.Sprintf("only %d of %d %s came", came, f.Population, about.words), nil
	}
	return "", nil
}

// emptied: a field that becomes empty, or the same, for nearly all whom the rewriting concerns.
func emptied(ctx context.Context, tx *pg.Tx, _ reconcile.Run, f safety.Finding) (string, error) {
	field, rewrite := strings.CutPrefix(f.Kind, safety.AttributeRewrite+".")
	if !rewrite {
		return "", nil
	}
	sql := `
		select c.after ->> $1, count(*)
		  from r_change c
		 where ` + counted(f.Kind) + `
		 group by 1
		 order by 2 desc
		 limit 1`
	var value *string
	var n int64
	if err := tx.QueryRow(ctx, sql, field).Scan(&value, &n); err != nil {
		return "", fmt.Errorf("how %s is rewritten: %w", field, err)
	}
	named := strings.ReplaceAll(field, "_", " ")
	switch {
	case 10*n < 9*f.Observed:
		return "", nil
	case value == nil:
		return fmt.Sprintf(
			"the %s of %d people becomes empty: the source no longer sends it, or sends it under another name",
			named,
			n,
		), nil
	}
	return fmt.Sprintf("the %s of %d people becomes the same: %q", named, n, *value), nil
}

// under: everything below one branch of the tree is gone.
func under(ctx context.Context, tx *pg.Tx, r reconcile.Run, f safety.Finding) (string, error) {
	about, absent := kindOf[f.Kind]
	if !absent {
		return "", nil
	}
	there := map[string]string{
		"identity": `select s.native_ref as name from identity_source s
		              where s.tenant_id = current_tenant() and s.connector_id = $1 and s.removed_at is null`,
		"account": `select a.native_identity from account a
		             where a.tenant_id = current_tenant() and a.connector_id = $1 and a.status not in ('deleted',
		                 'failed')`,
		"entitlement": `select e.native_identity from entitlement e
		                 where e.tenant_id = current_tenant() and e.connector_id = $1 and e.removed_at is null`,
	}[about.object]
	sql := `
		with gone as (
		    select c.container, count(*) as n
		      from r_change c
		     where ` + counted(f.Kind) + ` and c.container is not null
		     group by c.container
		), there as (
		    select ` + compare.Container("t.name") + ` as container, count(*) as n
		      from (` + there + `) t (name)
		     group by 1
		)
		select g.container, g.n
		  from gone g
		  join there t on t.container = g.container and t.n = g.n
		 where g.n > 1
		 order by g.n desc, g.container
		 limit 1`
	var branch string
	var n int64
	err := tx.QueryRow(ctx, sql, r.Connector).Scan(&branch, &n)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("branches that are gone: %w", err)
	}
	return fmt.Sprintf("everything under %s is gone: %d of %d", branch, n, f.Observed), nil
}

// sameDepartment: most of whom it concerns belong to one department.
func sameDepartment(ctx context.Context, tx *pg.Tx, _ reconcile.Run, f safety.Finding) (string, error) {
	if f.Kind != safety.IdentityDeactivation && f.Kind != safety.AccountMissing && f.Kind != safety.AccountDisabled {
		return "", nil
	}
	sql := `
		select i.department, count(*)
		  from r_change c
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = c.owner_id
		 where ` + counted(f.Kind) + ` and i.department is not null
		 group by 1
		 order by 2 desc, 1
		 limit 1`
	var department string
	var n int64
	err := tx.QueryRow(ctx, sql).Scan(&department, &n)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("departments concerned: %w", err)
	case 10*n < 9*f.Observed:
		return "", nil
	}
	return fmt.Sprintf("%d of %d belong to the department %s", n, f.Observed, department), nil
}

// ofOneEntitlement: most of the grants that go are of one entitlement.
func ofOneEntitlement(ctx context.Context, tx *pg.Tx, _ reconcile.Run, f safety.Finding) (string, error) {
	if f.Kind != safety.GrantRemoved {
		return "", nil
	}
	sql := `
		select ` + compare.EntitlementName + `, count(*)
		  from r_change c
		  join entitlement e
		    on e.tenant_id = current_tenant() and e.id = c.entitlement_id
		 where ` + counted(f.Kind) + `
		 group by e.id, 1
		 order by 2 desc, 1
		 limit 1`
	var name string
	var n int64
	err := tx.QueryRow(ctx, sql).Scan(&name, &n)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("entitlements concerned: %w", err)
	case 10*n < 9*f.Observed:
		return "", nil
	}
	return fmt.Sprintf("%d of %d are of %s: its members may not have been read", n, f.Observed, name), nil
}

// newKeys: people who are known come again under other keys, as happens when another attribute is taken for the key.
func newKeys(ctx context.Context, tx *pg.Tx, _ reconcile.Run, f safety.Finding) (string, error) {
	if f.Kind != safety.IdentityCreate {
		return "", nil
	}
	sql := `
		select count(*)
		  from r_change c
		  join identity i
		    on i.tenant_id = current_tenant() and i.email_lc = lower(c.after ->> 'email')
		 where ` + counted(f.Kind)
	var n int64
	if err := tx.QueryRow(ctx, sql).Scan(&n); err != nil {
		return "", fmt.Errorf("new people who are known: %w", err)
	}
	if 2*n < f.Observed {
		return "", nil
	}
	return fmt.Sprintf(
		"%d of %d have the e-mail address of an existing identity: the key field of the source may have changed",
		n,
		f.Observed,
	), nil
}
