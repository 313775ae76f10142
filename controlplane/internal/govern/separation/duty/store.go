package duty

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const (
	// itemColumns are the columns of DutyItem.
	itemColumns = `d.id, d.name, d.description, d.process, d.owner_ids::text[] as owner_ids, d.origin, d.created_at,
	d.updated_at, d.version,
	(select count(*) from duty_member m where m.duty_id = d.id) as member_count,
	(select count(*) from separation_policy p where d.id = any(p.duty_ids) and p.deleted_at is null) as policy_count`

	// groups are the members of a duty, as they are stored.
	groups = `coalesce((
		select jsonb_agg(jsonb_build_object('members', g.members) order by g.group_number)
		  from (select m.group_number,
		               jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', m.kind,
		                   'entitlement_id', m.entitlement_id, 'role_id', m.role_id, 'duty_tag', m.duty_tag,
		                   'connector_id', m.connector_id, 'external_id', m.external_id))
		                   order by m.position) as members
		          from duty_member m
		         where m.duty_id = d.id
		         group by m.group_number) g), '[]')`

	// columns are the columns of Duty.
	columns = itemColumns + `, ` + groups + ` as all_of`
)

// Filters narrow a list of duties. All given filters must match.
type Filters struct {
	// Duties of this business process.
	Process string `query:"process" maxLength:"200"`
	// Duties with a group that has no entitlement in a connected system at present, or all others.
	Blind string `query:"blind" enum:"true,false"`
	// Duties that a policy names, or all others.
	Used string `query:"used" enum:"true,false"`
	// Duties with this entitlement, by whatever member.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Duties that this identity owns.
	OwnerID string `query:"owner_id" format:"uuid"`
	// Words in the name, description or process. All must match; case, accents and order do not matter.
	Q string `query:"q" maxLength:"200"`
	// Sort field. A leading - sorts in descending order.
	Sort string `query:"sort" default:"name" enum:"created_at,name,-created_at,-name"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "d.id", Type: "uuid"}, // IDs rise with the time of creation
	"name":       {Column: "d.name", Type: "text"},
}

// Query returns the list of duties that the filters select, in the order of Sort.
func (f Filters) Query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: itemColumns, From: "duty d", ID: "d.id", Order: order}
	q.Where("d.deleted_at is null", nil)
	if f.Process != "" {
		q.Where("lower(d.process) = lower(@process)", pgx.NamedArgs{"process": f.Process})
	}
	q.Is("d.id in (select b.duty_id from blind_duties() b)", f.Blind)
	q.Is("exists (select from separation_policy p where d.id = any(p.duty_ids) and p.deleted_at is null)", f.Used)
	if f.EntitlementID != "" {
		q.Where("d.id in (select x from duties_of_entitlement(@entitlement_id::uuid) x)",
			pgx.NamedArgs{"entitlement_id": f.EntitlementID})
	}
	if f.OwnerID != "" {
		q.Where("@owner_id::uuid = any(d.owner_ids)", pgx.NamedArgs{"owner_id": f.OwnerID})
	}
	q.Search(f.Q, "d.name", "d.description", "d.process")
	return q, nil
}

// After returns the position of a duty in the order of the list.
func (f Filters) After(d DutyItem) []string {
	if f.Sort == "created_at" || f.Sort == "-created_at" {
		return []string{d.ID, d.ID}
	}
	return []string{d.Name, d.ID}
}

// List reads a page of duties, and counts all that the filters select.
func List(ctx context.Context, tx *pg.Tx, f Filters, page pg.Page) (items []DutyItem, total int64, err error) {
	q, err := f.Query()
	if err != nil {
		return nil, 0, err
	}
	if items, total, err = listing.Fetch[DutyItem](ctx, tx, q, page); err != nil {
		return nil, 0, err
	}
	facts := map[string]*DutyFacts{}
	for i := range items {
		facts[items[i].ID] = &items[i].DutyFacts
	}
	return items, total, describe(ctx, tx, facts)
}

// Find reads a duty, with the names of its members and what there is of them. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Duty, error) {
	found, err := Locked(ctx, tx, id, "")
	if err != nil {
		return found, err
	}
	if err := describe(ctx, tx, map[string]*DutyFacts{found.ID: &found.DutyFacts}); err != nil {
		return found, err
	}
	return found, found.describeMembers(ctx, tx)
}

// Locked reads a duty as it is stored. locking is a locking clause of the table d, such as " for update of d", or
// empty. Its fault is of kind NotFound.
func Locked(ctx context.Context, tx *pg.Tx, id, locking string) (Duty, error) {
	missing := fault.New(fault.NotFound, "Duty %s was not found.", id)
	if !listing.IsID(id) {
		return Duty{}, missing
	}
	found, err := pg.One[Duty](ctx, tx, "find duty",
		`select `+columns+` from duty d where d.id = $1 and d.deleted_at is null`+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return Duty{}, missing
	}
	return found, err
}

// describe adds to duties how many entitlements they have, and whether they are blind.
func describe(ctx context.Context, tx *pg.Tx, of map[string]*DutyFacts) error {
	const sql = `
		with dark as materialized (select b.duty_id from blind_duties(@ids::text[]::uuid[]) b)
		select i.id, count(distinct x.entitlement_id) filter (where e.removed_at is null),
		       i.id::uuid in (select duty_id from dark)
		  from unnest(@ids::text[]) i (id)
		  left join duty_entitlements(@ids::text[]::uuid[]) x on x.duty_id = i.id::uuid
		  left join entitlement e on e.id = x.entitlement_id
		 group by i.id`
	ids := make([]string, 0, len(of))
	for id := range of {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	var id string
	var n int64
	var dark bool
	if err := pg.Each(ctx, tx, "count entitlements of duties", []any{&id, &n, &dark}, func() error {
		of[id].EntitlementCount, of[id].Blind = n, dark
		return nil
	}, sql, pgx.NamedArgs{"ids": ids}); err != nil {
		return err
	}
	const violations = `
		select u.id::text, count(*)
		  from separation_policy p
		 cross join unnest(p.duty_ids) u (id)
		  join violation v on v.policy_id = p.id and v.state = 'open'
		 where p.deleted_at is null
		   and p.duty_ids && $1::text[]::uuid[]
		   and u.id = any($1::text[]::uuid[])
		 group by u.id`
	return pg.Each(ctx, tx, "count violations of duties", []any{&id, &n}, func() error {
		of[id].OpenViolations = n
		return nil
	}, violations, ids)
}

// describeMembers adds to the members their names, and how many entitlements each has.
func (d *Duty) describeMembers(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with member as materialized (
		    select m.* from duty_member m where m.duty_id = $1
		), named_role as (
		    select m.group_number, m.position, m.role_id from member m where m.kind = 'role'
		     union
		    select m.group_number, m.position, r.id
		      from member m
		      join role r on r.duty_tags @> array[m.duty_tag]
		     where m.kind = 'duty_tag'
		), found as (
		    select m.group_number, m.position, e.id
		      from member m
		      join entitlement e on e.id = m.entitlement_id
		     union
		    select m.group_number, m.position, e.id
		      from member m
		      join entitlement e on e.connector_id = m.connector_id
		                        and (m.kind = 'connector' or e.external_id = m.external_id)
		     union
		    select m.group_number, m.position, e.id
		      from member m
		      join entitlement e on e.duty_tags <> '{}' and e.duty_tags @> array[m.duty_tag]
		     where m.kind = 'duty_tag'
		     union
		    select n.group_number, n.position, x.entitlement_id
		      from named_role n
		      join roles_within(array(select distinct role_id from named_role)) w on w.role_id = n.role_id
		      join role_entitlement x on x.role_id = w.part_id
		)
		select m.group_number, m.position,
		       coalesce(case m.kind
		           when 'entitlement' then coalesce(nullif(min(e.display_name), ''), min(e.name))
		           when 'external' then coalesce(nullif(min(e.display_name), ''), min(e.name))
		           when 'role' then (select r.name from role r where r.id = m.role_id)
		           when 'connector' then (select c.name from connector c where c.id = m.connector_id)
		           else m.duty_tag end, ''),
		       coalesce((select c.name from connector c
		                  where c.id = coalesce(m.connector_id, case m.kind when 'entitlement'
		                                                        then min(e.connector_id::text)::uuid end)), ''),
		       count(e.id) filter (where e.removed_at is null and e.lifecycle <> 'disconnected')
		  from member m
		  left join found f on f.group_number = m.group_number and f.position = m.position
		  left join entitlement e on e.id = f.id
		 group by m.group_number, m.position, m.kind, m.role_id, m.connector_id, m.duty_tag`
	var group, position, n int
	var name, connector string
	return pg.Each(ctx, tx, "name members of duty", []any{&group, &position, &name, &connector, &n}, func() error {
		m := &d.AllOf[group].Members[position]
		m.Name, m.ConnectorName, m.Entitlements = name, connector, new(int)
		*m.Entitlements = n
		return nil
	}, sql, d.ID)
}

// insert writes a new duty and its first version.
func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into duty (tenant_id, id, name, description, process, owner_ids, origin)
		values (current_tenant(), @id, @name, @description, @process, @owner_ids::text[]::uuid[], @origin)`
	args := n.args(id)
	args["origin"] = n.Origin
	if err := pg.Exec(ctx, tx, "insert duty", sql, args); err != nil {
		return n.written(err)
	}
	return n.keep(ctx, tx, id)
}

// update writes the fields, raises the version and keeps it.
func update(ctx context.Context, tx *pg.Tx, id string, f Fields) error {
	const sql = `
		update duty
		   set name = @name, description = @description, process = @process,
		       owner_ids = @owner_ids::text[]::uuid[], updated_at = now(), version = version + 1
		 where id = @id`
	if err := pg.Exec(ctx, tx, "write duty", sql, f.args(id)); err != nil {
		return f.written(err)
	}
	if err := pg.Exec(ctx, tx, "clear members of duty", `delete from duty_member where duty_id = $1`, id); err != nil {
		return err
	}
	return f.keep(ctx, tx, id)
}

// args are the columns of a duty as named arguments.
func (f Fields) args(id string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":          id,
		"name":        f.Name,
		"description": f.Description,
		"process":     f.Process,
		"owner_ids":   f.OwnerIDs,
	}
}

// keep writes the members of a duty, and what it says now as a version.
func (f Fields) keep(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id, role_id, duty_tag,
		                         connector_id, external_id)
		select current_tenant(), @id, g.number - 1, m.number - 1, m.member ->> 'kind',
		       (m.member ->> 'entitlement_id')::uuid, (m.member ->> 'role_id')::uuid, m.member ->> 'duty_tag',
		       (m.member ->> 'connector_id')::uuid, m.member ->> 'external_id'
		  from jsonb_array_elements(@all_of) with ordinality g (content, number),
		       jsonb_array_elements(g.content -> 'members') with ordinality m (member, number)`
	if err := pg.Exec(ctx, tx, "write members of duty", sql,
		pgx.NamedArgs{"id": id, "all_of": f.AllOf}); err != nil {
		return err
	}
	return keepVersion(ctx, tx, id, f)
}
