package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// PreviousIdentity finds the earlier record of a rehire: of the identities that left with the same employee number, or
// the same value of the rehire attribute, the one that left last. A name alone is no match.
func PreviousIdentity(ctx context.Context, tx *pg.Tx, l rules.Lifecycle, employeeNumber *string,
	attributes map[string]any) (*string, error) {
	value, _ := attributes[l.RehireAttribute].(string)
	if l.RehireAttribute == "" {
		value = ""
	}
	if employeeNumber == nil && value == "" {
		return nil, nil
	}
	const sql = `
		select i.id::text
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.status in ('deactivated', 'archived')
		   and i.merged_into_id is null
		   and (i.employee_number = @number or @value <> '' and i.attributes ->> @attribute = @value)
		 order by i.status_changed_at desc, i.id desc
		 limit 1`
	var id string
	err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"number": employeeNumber, "attribute": l.RehireAttribute,
		"value": value}).
		Scan(&id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for who came back: %w", err)
	}
	return &id, nil
}

// ReleaseEmail clears the e-mail address of the previous, deactivated record, so that the new record of the same
// person can have it.
func ReleaseEmail(ctx context.Context, tx *pg.Tx, previous, email *string) error {
	if previous == nil || email == nil {
		return nil
	}
	const sql = `
		update identity
		   set email = null, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1
		   and status = 'deactivated'
		   and email_lc = lower($2)`
	return pg.Exec(ctx, tx, "hand over an e-mail address", sql, *previous, *email)
}

// LinkRehires links new identities, whose ids the query gives, to their earlier records.
func LinkRehires(ctx context.Context, tx *pg.Tx, people string, args pgx.NamedArgs) error {
	args = with(args, "rehire", "")
	const sql = `
		update identity n
		   set previous_identity_id = p.previous
		  from (select distinct on (n.id) n.id, i.id as previous
		          from (%s) q (id)
		          join identity n on n.tenant_id = current_tenant() and n.id = q.id and n.status not in ('deactivated',
		              'archived')
		          join identity i
		            on i.tenant_id = current_tenant()
		           and i.status in ('deactivated', 'archived')
		           and i.merged_into_id is null
		           and i.id <> n.id
		           and %s
		         order by n.id, i.status_changed_at desc, i.id desc) p
		 where n.tenant_id = current_tenant()
		   and n.id = p.id
		   and n.previous_identity_id is null`
	var left bool
	if err := tx.QueryRow(ctx, `select exists (select from identity where tenant_id = current_tenant()
		and status in ('deactivated', 'archived') and employee_number is not null)`).
		Scan(&left); err != nil {
		return fmt.Errorf("look for who came back: %w", err)
	}
	if left {
		if err := pg.Exec(
			ctx,
			tx,
			"look for who came back",
			fmt.Sprintf(sql, people, "i.employee_number = n.employee_number"),
			args,
		); err != nil {
			return err
		}
	}
	l, err := rules.Find(ctx, tx)
	if err != nil || l.RehireAttribute == "" {
		return err
	}
	return pg.Exec(
		ctx,
		tx,
		"look for who came back",
		fmt.Sprintf(sql, people, "i.attributes ->> @rehire = n.attributes ->> @rehire"),
		with(args, "rehire", l.RehireAttribute),
	)
}

// with is arguments with one more.
func with(args pgx.NamedArgs, name string, value any) pgx.NamedArgs {
	all := pgx.NamedArgs{name: value}
	for n, v := range args {
		if n != name {
			all[n] = v
		}
	}
	return all
}
