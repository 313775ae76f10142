package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// personTold are the fields of a person that a source writes and whose values are shown; personFields are the others.
var (
	personTold   = []string{"department", "email", "employee_number", "title", "username", "display_name"}
	personFields = slices.DeleteFunc(
		slices.Clone(pin.SourceFields),
		func(f string) bool { return slices.Contains(personTold, f) },
	)
)

// people compares the people of a source. c_identity holds the records that are new, different or back, with the
// identity that each belongs to or would be matched with.
func (c *comparison) people(ctx context.Context) error {
	if err := c.seen(ctx, "identity", "identities"); err != nil {
		return err
	}
	// A hash behind a zero byte marks a person whose address belonged to another person: they are evaluated in every
	// run.
	const different = `
		create temp table c_identity on commit drop as
		select r.external_id, r.seq, r.ord, r.content, src.identity_id, src.external_id is not null as known,
		       src.missing_since is not null or src.removed_at is not null as away,
		         src.row_hash = '\x00' || r.row_hash as marked
		  from r_identity r
		  left join identity_source src
		    on src.tenant_id = current_tenant()
		   and src.connector_id = @connector
		   and src.external_id = r.external_id
		 where not r.gone
		   and (r.content and src.row_hash is distinct from r.row_hash or src.missing_since is not null
		     or src.removed_at is not null)`
	if err := c.do(ctx, "people", different); err != nil {
		return err
	}
	if there, err := c.any(ctx, "c_identity"); err != nil {
		return err
	} else if there {
		if err := c.matchPeople(ctx); err != nil {
			return err
		}
		if err := c.changedPeople(ctx); err != nil {
			return err
		}
	}
	return c.do(ctx, "people whose records were deleted", peopleGone)
}

// matchPeople finds the identities that new records would be brought together with when they are merged, by the same
// rules: a key that several share decides nothing.
func (c *comparison) matchPeople(ctx context.Context) error {
	const rule = `
		with fresh as (
		    select c.external_id, s.employee_number, lower(s.email) as email
		      from c_identity c
		      join stage_identity s
		        on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.seq and s.ord = c.ord
		     where c.identity_id is null and c.content
		), candidate as (
		    select f.external_id, array_agg(i.id) as ids
		      from fresh f
		      join identity i
		        on i.tenant_id = current_tenant()
		       and %s
		     where i.status <> 'archived'
		       and not exists (select from identity_source x
		                        where x.tenant_id = current_tenant() and x.identity_id = i.id
		                            and x.connector_id = @connector)
		       and not exists (select from c_identity o where o.identity_id = i.id)
		     group by f.external_id
		), single as (
		    select ids[1] as id, min(external_id) as external_id
		      from candidate
		     where cardinality(ids) = 1
		     group by ids[1]
		    having count(*) = 1
		)
		update c_identity c
		   set identity_id = single.id
		  from single
		 where c.external_id = single.external_id`
	var there bool
	if err := c.tx.QueryRow(ctx, `select exists (select from c_identity where identity_id is null)`).
		Scan(&there); err != nil ||
		!there {
		return err
	}
	for _, on := range []string{"i.external_id = f.external_id and i.source_connector_id is null",
		"i.employee_number = f.employee_number", "i.email_lc = f.email"} {
		if err := c.do(ctx, "people by their keys", fmt.Sprintf(rule, on)); err != nil {
			return err
		}
	}
	return nil
}

// changedPeople says what becomes different of whom. The values of w_person are those that the merge would write.
func (c *comparison) changedPeople(ctx context.Context) error {
	filled, err := c.filled(ctx)
	if err != nil {
		return err
	}
	fields := "s." + strings.Join(pin.SourceFields, ", s.")
	next := `
		create temp table w_person on commit drop as
		select c.external_id, c.seq, c.ord, c.identity_id, c.known, c.away, c.marked, s.native_ref, s.manager_ref_kind,
		       s.manager_ref_value, c.identity_id is not null as owned, coalesce(s.is_disabled, false) as is_disabled,
		           s.display_name as staged_name,
		       ` + fields + `,
		       s.source_status, null::text as status, null::uuid as manager_id, ` + authority.ReportedSQL("s") +
		` as told, null::jsonb as says,
		       null::text as said_before, null::uuid as owner_id, null::text as owner_external_id
		  from c_identity c
		  join stage_identity s
		    on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.seq and s.ord = c.ord
		 where c.content`
	const owned = `update w_person set owned = owner_id is not distinct from @connector::uuid
		and owner_external_id = external_id where owned`
	// An address that another person has is not taken over.
	const taken = `
		update w_person n
		   set email = i.email
		  from identity i, identity other
		 where i.tenant_id = current_tenant()
		   and i.id = n.identity_id
		   and other.tenant_id = current_tenant()
		   and other.email_lc = lower(n.email)
		   and other.kind = 'human'
		   and other.status <> 'archived'
		   and other.id <> i.id
		   and i.email is distinct from n.email`
	if err := c.do(ctx, "people", next); err != nil {
		return err
	}
	records := authority.Records{
		Table:     "w_person",
		Connector: c.run.Connector,
		Filled:    slices.Collect(maps.Keys(filled)),
		Bare:      true,
	}
	if err := authority.MergeRecords(ctx, c.tx, records); err != nil {
		return err
	}
	if err := pin.Keep(ctx, c.tx, pin.Records{Table: "w_person", Bare: true}); err != nil {
		return err
	}
	if err := c.do(ctx, "people", owned, taken); err != nil {
		return err
	}
	if err := c.statesOf(ctx); err != nil {
		return err
	}
	if err := c.managersOf(ctx); err != nil {
		return err
	}
	return c.do(ctx, "people", newPeople, peopleChanged, peopleBack)
}

// statesOf finds the states that follow when the records are merged: from what the source says, where that counts, and
// from dates.
func (c *comparison) statesOf(ctx context.Context) error {
	clock, err := lifecycle.ClockOf(ctx, c.tx)
	if err != nil {
		return err
	}
	// Each is looked up by its key: how many rows a temporary table has, planners do not know.
	heeded := strings.ReplaceAll(authority.StatusApplies, "m.", "n.")
	sql := `
		update w_person n
		   set status = (
		       select case when i.status = 'archived' then i.status
		                   else identity_state(
		                        case when i.id is null then coalesce(n.source_status, 'active')
		                             when ` + heeded + ` then n.source_status
		                             else coalesce(i.standing, i.status) end,
		                        n.start_date, n.termination_date, n.last_working_at, n.leave_from, n.leave_to,
		                        @clock_now::timestamptz, @clock_today::date,
		                        coalesce(@clock_notice_at::timestamptz, 'infinity'),
		                            coalesce(@clock_notice_day::date, 'infinity')) end
		         from (select) one
		         left join identity i
		           on i.tenant_id = current_tenant() and i.id = n.identity_id)`
	if _, err := c.tx.Exec(ctx, sql, clock.Args(c.args)); err != nil {
		return fmt.Errorf("compare states: %w", err)
	}
	return nil
}

// filled are the fields that the run fills for at least one person.
func (c *comparison) filled(ctx context.Context) (map[string]bool, error) {
	all := append(personTold[:len(personTold):len(personTold)], personFields...)
	cases := make([]string, len(all))
	for i, f := range all {
		cases[i] = fmt.Sprintf("case when bool_or(%[1]s is not null) then '%[1]s' end", f)
	}
	return c.words(ctx, `
		select unnest(array_remove(array[`+strings.Join(cases, ", ")+`]::text[], null))
		  from stage_identity
		 where tenant_id = current_tenant() and run_id = @run`)
}

// managersOf finds whom the changed records of this source name as managers, after this run: a manager who moved, and
// so has another name in the tree, is still the same manager.
func (c *comparison) managersOf(ctx context.Context) error {
	const bosses = `
		create temp table c_boss on commit drop as
		select src.external_id, src.identity_id, coalesce(n.native_ref, src.native_ref) as native_ref
		  from identity_source src
		  left join w_person n on n.external_id = src.external_id
		 where src.tenant_id = current_tenant()
		   and src.connector_id = @connector`
	const named = `
		update w_person n
		   set manager_id = b.identity_id
		  from c_boss b
		 where n.manager_id is null
		   and n.manager_ref_kind in (%s)
		   and b.%s = n.manager_ref_value`
	const known = `
		update w_person n
		   set manager_id = i.id
		  from identity i
		 where n.manager_id is null
		   and n.manager_ref_kind in (%s)
		   and i.tenant_id = current_tenant()
		   and i.status <> 'archived'
		   and i.%s = lower(n.manager_ref_value)`
	return c.do(ctx, "managers", bosses,
		fmt.Sprintf(named, "'native', 'any'", "native_ref"), fmt.Sprintf(named, "'external_id', 'any'", "external_id"),
		fmt.Sprintf(known, "'email', 'any'", "email_lc"))
}

// newPeople are people that the run would create. In a first load they count towards no limit.
const newPeople = `
	insert into r_change (object, change, external_id, display, guard, after, department, container, manager, stage_seq,
	    stage_ord)
	select 'identity', 'create', n.external_id, coalesce(n.staged_name, n.email, n.username, n.external_id),
	       case when not @first::boolean then 'identity_create' end,
	       jsonb_strip_nulls(jsonb_build_object('department', n.department, 'email', n.email, 'employee_number',
	           n.employee_number, 'title', n.title, 'username', n.username, 'manager', n.manager_ref_value)),
	       n.department, ` + personContainer + `, n.manager_ref_value, n.seq, n.ord
	  from w_person n
	 where n.identity_id is null`

const personContainer = `case when n.native_ref ~ '^[^=,]+=' then nullif(regexp_replace(n.native_ref,
	'^(\\.|[^,\\])*(,\s*|$)', ''), '') end`

// peopleChanged: a person who becomes deactivated according to their source is disabled. Last days that are still to
// come count as much: in mass, they are the same mistake some days earlier. A change of manager counts when another
// person is meant, or when it goes.
var peopleChanged = `
	with compared as (
	    select n.*, i.display_name as old_name, i.department as old_department, boss.display_name as old_boss,
	        next_boss.display_name as new_boss,
	           ` + changedFields("i", "n", append(append([]string{}, personTold...), personFields...)...) +
	` as differing,
	           ` + changedValues("i", "i", "n", personTold...) + ` as was,
	           ` + changedValues("n", "i", "n", personTold...) + ` as becomes,
	           i.status as old_status,
	           n.owned and i.manager_from_source and i.manager_id is not null and n.manager_id is distinct
	               from i.manager_id
	               and (n.manager_id is not null or n.manager_ref_value is null) as reassigned,
	           n.owned and i.manager_id is null and n.manager_id is not null as assigned
	      from w_person n
	      join identity i
	        on i.tenant_id = current_tenant() and i.id = n.identity_id
	      left join identity boss
	        on boss.tenant_id = current_tenant() and boss.id = i.manager_id
	      left join identity next_boss
	        on next_boss.tenant_id = current_tenant() and next_boss.id = n.manager_id
	), judged as (
	    select c.*,
	           c.status = 'deactivated' and c.old_status not in ('deactivated', 'archived') as leaves,
	           c.status = 'notice' and c.old_status not in ('notice', 'deactivated', 'archived') as announced,
	           c.differing || case when c.reassigned or c.assigned then '{manager}'::text[] else '{}' end
	               || case when c.status <> c.old_status then '{status}'::text[] else '{}' end as fields,
	           coalesce(c.was, '{}') || case when c.reassigned or c.assigned then jsonb_build_object('manager',
	               c.old_boss) else '{}' end
	               || case when c.status <> c.old_status then jsonb_build_object('status', c.old_status)
	           else '{}' end as before, coalesce(c.becomes, '{}') || case when c.reassigned
	               or c.assigned then jsonb_build_object('manager', c.new_boss) else '{}' end
	               || case when c.status <> c.old_status then jsonb_build_object('status', c.status)
	                   else '{}' end as after
	      from compared c
	)
	insert into r_change (object, change, object_id, external_id, display, guard, fields, before, after, department,
	    container, manager, owner_id, stage_seq, stage_ord)
	select 'identity', case when n.away then 'reappear' when n.leaves then 'disable' else 'update' end, n.identity_id,
	       n.external_id, n.old_name, case when n.away then null
	            when n.leaves or n.announced then 'identity_deactivation'
	            when n.before ->> 'department' is not null or n.before ->> 'email' is not null
	                or n.before ->> 'employee_number' is not null
	              or n.before ->> 'manager' is not null then 'attribute_rewrite' end,
	       n.fields, n.before, n.after, n.old_department, ` + personContainer + `, n.old_boss, n.identity_id, n.seq,
	     n.ord
	  from judged n
	 where n.away or n.marked is not true or cardinality(n.fields) > 0`

// peopleBack are those whom a run found there again without reading them.
const peopleBack = `
	insert into r_change (object, change, object_id, external_id, display, owner_id)
	select 'identity', 'reappear', i.id, c.external_id, i.display_name, i.id
	  from c_identity c
	  join identity i
	    on i.tenant_id = current_tenant() and i.id = c.identity_id
	 where not c.content`

// peopleGone: the record of the source goes; the person only when this product has them from a source, no other source
// still has them, and no user has decided about their state by hand.
const peopleGone = `
	with going as (
	    select src.external_id, src.identity_id, src.missing_runs, src.missing_since, src.native_ref, r.gone,
	           coalesce(r.gone, false) or src.missing_runs + 1 >= @required as final
	      from identity_source src
	      left join r_identity r on r.external_id = src.external_id
	     where src.tenant_id = current_tenant()
	       and src.connector_id = @connector
	       and src.removed_at is null
	       and (r.gone or (r.external_id is null and @whole_identity))
	), remaining as (
	    select src.identity_id
	      from identity_source src
	      left join going g on src.connector_id = @connector and g.external_id = src.external_id
	      left join connector c on c.tenant_id = current_tenant() and c.id = src.connector_id
	     where src.tenant_id = current_tenant()
	       and src.removed_at is null
	       and c.deleted_at is null
	       and g.external_id is null
	     group by src.identity_id
	), judged as (
	    select n.*, i.id, i.display_name, i.status,
	           i.status not in ('deactivated', 'archived') and i.source_connector_id is not null
	               and i.status_source <> 'manual'
	               and o.identity_id is null as leaves, o.identity_id is not null as stays
	      from going n
	      join identity i
	        on i.tenant_id = current_tenant() and i.id = n.identity_id
	      left join remaining o on o.identity_id = n.identity_id
	)
	insert into r_change (object, change, object_id, external_id, display, guard, before, after, container, owner_id,
	    reason)
	select 'identity', case when n.final then 'remove' else 'missing' end, n.id, n.external_id, n.display_name,
	       case when n.leaves and (n.final or n.missing_since is null) then 'identity_deactivation' end,
	       jsonb_build_object('status', n.status, 'missing_runs', n.missing_runs),
	       case when not n.final then jsonb_build_object('missing_runs', n.missing_runs + 1)
	            when n.leaves then jsonb_build_object('status', 'deactivated') else '{}' end,
	       ` + personContainer + `, n.id,
	       case when n.stays then 'another source still knows this person'
	           when n.gone then 'the source says that they were deleted' end
	  from judged n`
