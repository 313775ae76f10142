package rulebook

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// resolved are duties with the entitlements of their members as numbers.
type resolved struct {
	list         []conflict.NumberedDuty
	entitlements []string
	blind        map[string]bool // IDs of duties that no person can perform at present

	at     map[uuid.UUID]int // position of each duty in list
	number map[uuid.UUID]int32
}

// membersSQL reads the entitlements of each group as one value of 16 bytes for each: there can be millions of members.
// Each kind of member is one aggregation, which does not need nested loops: scans run without them. An entitlement may
// be read twice.
const membersSQL = `
	with named_role as (
	    select m.duty_id, m.group_number, m.role_id
	      from duty_member m
	     where m.role_id is not null
	       and m.duty_id = any(@ids::text[]::uuid[])
	     union
	    select m.duty_id, m.group_number, r.id
	      from duty_member m
	      join role r on r.duty_tags @> array[m.duty_tag]
	     where m.duty_tag is not null
	       and m.duty_id = any(@ids::text[]::uuid[])
	)
	select m.duty_id, m.group_number, string_agg(uuid_send(m.entitlement_id), '')
	  from duty_member m
	 where m.kind = 'entitlement'
	   and m.duty_id = any(@ids::text[]::uuid[])
	 group by m.duty_id, m.group_number
	 union all
	select m.duty_id, m.group_number, string_agg(uuid_send(e.id), '')
	  from duty_member m
	  join entitlement e on e.connector_id = m.connector_id
	 where m.kind = 'connector'
	   and m.connector_id is not null
	   and m.duty_id = any(@ids::text[]::uuid[])
	 group by m.duty_id, m.group_number
	 union all
	select m.duty_id, m.group_number, string_agg(uuid_send(e.id), '')
	  from duty_member m
	  join entitlement e on e.connector_id = m.connector_id and e.external_id = m.external_id
	 where m.kind = 'external'
	   and m.connector_id is not null
	   and m.duty_id = any(@ids::text[]::uuid[])
	 group by m.duty_id, m.group_number
	 union all
	select m.duty_id, m.group_number, string_agg(uuid_send(e.id), '')
	  from duty_member m
	  join entitlement e on e.duty_tags <> '{}' and e.duty_tags @> array[m.duty_tag]
	 where m.duty_tag is not null
	   and m.duty_id = any(@ids::text[]::uuid[])
	 group by m.duty_id, m.group_number
	 union all
	select n.duty_id, n.group_number, string_agg(uuid_send(x.entitlement_id), '')
	  from named_role n
	  join roles_within(array(select distinct r.role_id from named_role r)) w on w.role_id = n.role_id
	  join role_entitlement x on x.role_id = w.part_id
	 group by n.duty_id, n.group_number`

// resolve reads the duties in the book with the entitlements of their members, and notes their names.
func (b *Book) resolve(ctx context.Context, tx *pg.Tx) (*resolved, error) {
	r := &resolved{blind: map[string]bool{}, at: map[uuid.UUID]int{}, number: map[uuid.UUID]int32{}}
	args := pgx.NamedArgs{"ids": slices.Collect(maps.Keys(b.Duties))}
	if err := r.readGroups(ctx, tx, b.Duties, args); err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(b.Duties)), batch) {
		if err := r.readMembers(ctx, tx, ids); err != nil {
			return nil, err
		}
	}
	dark, err := pg.All[string](ctx, tx, "find blind duties",
		`select b.duty_id::text from blind_duties(@ids::text[]::uuid[]) b`, args)
	for _, id := range dark {
		r.blind[id] = true
	}
	return r, err
}

// batch is how many duties one statement reads, so that it stays below the time limit of statements in requests: a duty
// has up to 2,000 members.
const batch = 500

// readMembers reads the members of duties.
func (r *resolved) readMembers(ctx context.Context, tx *pg.Tx, ids []string) error {
	var duty uuid.UUID
	var group int
	var members pgtype.DriverBytes
	return pg.Each(ctx, tx, "resolve duties", []any{&duty, &group, &members}, func() error {
		r.add(duty, group, members)
		return nil
	}, membersSQL, pgx.NamedArgs{"ids": ids})
}

// readGroups reads the duties with their numbers of groups, and their names.
func (r *resolved) readGroups(ctx context.Context, tx *pg.Tx, names map[string]string, args pgx.NamedArgs) error {
	const sql = `
		select d.id, d.name,
		       coalesce((select m.group_number + 1
		                   from duty_member m
		                  where m.duty_id = d.id
		                  order by m.group_number desc
		                  limit 1), 0)
		  from duty d
		 where d.id = any(@ids::text[]::uuid[])`
	var id uuid.UUID
	var name string
	var groups int
	return pg.Each(ctx, tx, "read duties", []any{&id, &name, &groups}, func() error {
		r.at[id] = len(r.list)
		r.list = append(r.list, conflict.NumberedDuty{ID: id.String(), Groups: make([][]int32, groups)})
		names[id.String()] = name
		return nil
	}, sql, args)
}

// add adds entitlements, of 16 bytes each, to a group of a duty.
func (r *resolved) add(duty uuid.UUID, group int, ids []byte) {
	at, known := r.at[duty]
	if !known {
		return
	}
	to := &r.list[at].Groups[group]
	*to = slices.Grow(*to, len(ids)/16)
	for ; len(ids) >= 16; ids = ids[16:] {
		id := uuid.UUID(ids[:16])
		n, known := r.number[id]
		if !known {
			n = int32(len(r.entitlements))
			r.number[id], r.entitlements = n, append(r.entitlements, id.String())
		}
		*to = append(*to, n)
	}
}
