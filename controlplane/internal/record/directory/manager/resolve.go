package manager

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Result counts what a resolution of managers did.
type Result struct {
	Resolved   int // people whose named manager is known
	Unresolved int // people whose named manager is not known yet
	Changed    int // identities that this call changed
}

// Resolve turns the references to managers of all identities of the tenant into links: those of source records by
// their kind, "any" trying external_id, native, email, username, employee_number in this order, and those given
// through the API by external_id, in the same source first, then wherever it is unique. An identity whose source no
// longer names a manager has none. Calls are idempotent, and the order of arrival does not matter.
func Resolve(ctx context.Context, tx *pg.Tx) (Result, error) {
	return ResolveQuery(ctx, tx, everyone, nil)
}

// ResolveChanged does the same for the identities that the changes of a sync run concern: those whose records changed,
// those that name one of them by a current key, and those whose manager was not found before.
func ResolveChanged(ctx context.Context, tx *pg.Tx, run string) (Result, error) {
	return ResolveQuery(ctx, tx, concerned, pgx.NamedArgs{"run": run})
}

// ResolveQuery does the same for the identities that a query gives.
func ResolveQuery(ctx context.Context, tx *pg.Tx, people string, args pgx.NamedArgs) (Result, error) {
	var found Result
	err := tx.With(ctx, pg.LoadedTables, func() (err error) {
		found, err = resolve(ctx, tx, people, args)
		return err
	})
	return found, err
}

// ResolveAround resolves the manager of one identity, and of those that may have waited for it. If fresh is set, the
// identity keeps its first version.
func ResolveAround(ctx context.Context, tx *pg.Tx, i identity.Identity, fresh bool) error {
	args := pgx.NamedArgs{
		"id": i.ID,
		"keys": []string{
			i.ExternalID,
			identity.Text(i.Email),
			identity.Text(i.Username),
			identity.Text(i.EmployeeNumber),
		},
	}
	if fresh {
		args["fresh"] = i.ID
	}
	_, err := resolve(ctx, tx, aroundOne, args)
	return err
}

// The people whose managers are to be resolved.
const (
	everyone = `
		select i.id, i.source_connector_id, i.manager_external_id,
		    i.manager_from_source from identity i where i.status <> 'archived'`
	concerned = `
		with changed as materialized (
		    select s.identity_id, s.external_id, s.native_ref, i.email_lc, i.username, i.employee_number
		      from identity_source s
		      join identity i
		        on i.tenant_id = s.tenant_id
		       and i.id = s.identity_id
		     where s.tenant_id = current_tenant()
		       and s.changed_run_id = @run
		), key (value) as (
		    select lower(external_id) from changed union select lower(native_ref) from changed union select email_lc
		        from changed
		     union select lower(username) from changed union select lower(employee_number) from changed
		), who (id) as (
		    select identity_id from changed
		     union
		    select s.identity_id from identity_source s join key on key.value = lower(s.manager_ref_value)
		        where s.tenant_id = current_tenant()
		     union
		    select i.id from identity i where i.tenant_id = current_tenant() and i.manager_id is null
		        and i.manager_external_id is not null
		)
		select i.id, i.source_connector_id, i.manager_external_id, i.manager_from_source
		  from identity i
		  join who on who.id = i.id
		 where i.tenant_id = current_tenant()
		   and i.status <> 'archived'`
	aroundOne = `
		select i.id, i.source_connector_id, i.manager_external_id,
		    i.manager_from_source from identity i where i.id = @id
		 union all
		select i.id, i.source_connector_id, i.manager_external_id, i.manager_from_source
		  from identity i
		 where i.manager_id is null
		   and i.manager_external_id is not null
		   and i.manager_external_id = any(@keys)
		   and i.status <> 'archived'
		   and i.id <> @id`
)

// referenced says, for each person, whom they name: the word of the record that decides before any other record's, and
// what was given through the API where no record says anything. A record that is removed says something only while
// there is no other.
const referenced = `
	sourced as (
		select distinct on (r.id) r.id, r.connector_id, coalesce(r.kind, 'any') as kind, r.value
		  from (select p.id, s.connector_id, s.external_id, s.manager_ref_kind as kind, s.manager_ref_value as value,
		               coalesce(c.authority_rank, 100) as rank, s.removed_at is null and c.deleted_at is null as live,
		               bool_or(s.removed_at is null and c.deleted_at is null) over (partition by p.id) as any_live
		          from person p
		          join identity_source s
		            on s.tenant_id = current_tenant()
		           and s.identity_id = p.id
		          left join connector c
		            on c.tenant_id = current_tenant()
		           and c.id = s.connector_id) r
		 where r.value <> ''
		   and r.live = r.any_live
		 order by r.id, ` + authority.Order + `
	),
	referenced as materialized (
		select p.id, s.id is not null as from_source,
		       case when s.id is not null then s.connector_id else p.source_connector_id end as connector_id,
		       case when s.id is not null then s.kind else 'external_id' end as kind,
		       case when s.id is not null then s.value
		            when not p.manager_from_source then nullif(p.manager_external_id, '') end as value
		  from person p
		  left join sourced s on s.id = p.id
	)`

// candidates are all who may be meant; a smaller rank is a better reason. union, so that one person counts once in a
// rank.
const candidates = `
	candidate (id, rank, manager_id) as (
		select r.id, 1, s.identity_id
		  from referenced r
		  join identity_source s on s.tenant_id = current_tenant() and s.connector_id = r.connector_id
		    and s.external_id = r.value
		 where r.kind in ('external_id', 'any')
		 union
		select r.id, case when m.source_connector_id is not distinct from r.connector_id then 2 else 3 end, m.id
		  from referenced r
		  join identity m on m.tenant_id = current_tenant() and m.external_id = r.value and m.status <> 'archived'
		 where r.kind in ('external_id', 'any')
		 union
		select r.id, 4, s.identity_id
		  from referenced r
		  join identity_source s on s.tenant_id = current_tenant() and s.connector_id = r.connector_id
		    and s.native_ref = r.value
		 where r.kind in ('native', 'any')
		 union
		select r.id, 5, m.id
		  from referenced r
		  join identity m on m.tenant_id = current_tenant() and m.email_lc = lower(r.value) and m.status <> 'archived'
		    and m.kind = 'human'
		 where r.kind in ('email', 'any')
		 union
		select r.id, 6, m.id
		  from referenced r
		  join identity m on m.tenant_id = current_tenant() and lower(m.username) = lower(r.value)
		    and m.status <> 'archived'
		 where r.kind in ('username', 'any')
		 union
		select r.id, 7, m.id
		  from referenced r
		  join identity m on m.tenant_id = current_tenant() and m.employee_number = r.value and m.status <> 'archived'
		 where r.kind in ('employee_number', 'any')
	)`

// chosen is the one candidate of the best rank that has exactly one. A person who names themselves, as sources do for
// the head of a company, has no manager.
const chosen = `
	sole (id, rank, manager_id) as (
		select c.id, c.rank, min(c.manager_id::text)::uuid from candidate c group by c.id, c.rank having count(*) = 1
	),
	best as (
		select distinct on (o.id) o.id, o.manager_id from sole o order by o.id, o.rank
	),
	wanted as materialized (
		select r.id,
		       r.from_source and b.manager_id is distinct from r.id as from_source,
		       nullif(b.manager_id, r.id) as manager_id,
		       case when b.manager_id = r.id then null
		            when r.from_source and b.manager_id is not null then m.external_id
		            else r.value end as manager_external_id
		  from referenced r
		  left join best b on b.id = r.id
		  left join identity m on m.tenant_id = current_tenant() and m.id = b.manager_id
	)`

func resolve(ctx context.Context, tx *pg.Tx, people string, args pgx.NamedArgs) (m Result, err error) {
	sql := `with person as materialized (` + people + `),` + referenced + `,` + candidates + `,` + chosen + `,
	changed as (
		update identity i
		   set manager_id = w.manager_id, manager_external_id = w.manager_external_id,
		       manager_from_source = w.from_source,
		       updated_at = now(), version = i.version + (i.id is distinct from @fresh::uuid)::int
		  from wanted w
		 where i.tenant_id = current_tenant()
		   and i.id = w.id
		   and (i.manager_id is distinct from w.manager_id or i.manager_external_id is distinct
		       from w.manager_external_id
		        or i.manager_from_source <> w.from_source)
		returning 1
	)
	select count(*) filter (where w.manager_id is not null),
	       count(*) filter (where w.manager_id is null and w.manager_external_id is not null),
	       (select count(*) from changed)
	  from wanted w`
	if err := tx.QueryRow(ctx, sql, args).Scan(&m.Resolved, &m.Unresolved, &m.Changed); err != nil {
		return m, fmt.Errorf("resolve managers: %w", err)
	}
	return m, nil
}

// CheckReports compares the stored reports of managers who sign in with a walk through all managers, and returns how
// many pairs of manager and report differ. Triggers keep them, so it is 0 after every transaction.
func CheckReports(ctx context.Context, tx *pg.Tx) (wrong int, err error) {
	const sql = `
		with walked as (
			select k.manager_id, r.id as report_id from management_root k cross join lateral reports_of(k.manager_id) r
		)
		select count(*)
		  from walked w
		  full join management m on m.manager_id = w.manager_id and m.report_id = w.report_id
		 where w.report_id is null or m.report_id is null`
	if err := tx.QueryRow(ctx, sql).Scan(&wrong); err != nil {
		return 0, fmt.Errorf("check management: %w", err)
	}
	return wrong, nil
}
