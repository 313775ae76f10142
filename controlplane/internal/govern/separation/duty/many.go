package duty

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Write is a duty to be written together with others. Before is nil if it is to be created. The fields are complete,
// see Complete, and name what exists.
type Write struct {
	ID     string
	Before *Duty
	Fields
	Origin map[string]any
}

// All reads all duties as they are stored, by ID, without their counts. locking is a locking clause of the table d, or
// empty.
func All(ctx context.Context, tx *pg.Tx, locking string) ([]Duty, error) {
	const sql = `
		select d.id, d.name, d.description, d.process, d.owner_ids::text[] as owner_ids, d.origin, d.created_at,
		       d.updated_at, d.version, 0::bigint as member_count, 0::bigint as policy_count,
		       coalesce(m.all_of, '[]') as all_of
		  from duty d
		  left join (
		       select g.duty_id, jsonb_agg(jsonb_build_object('members', g.members) order by g.group_number) as all_of
		         from (select m.duty_id, m.group_number,
		                      jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', m.kind,
		                          'entitlement_id', m.entitlement_id, 'role_id', m.role_id, 'duty_tag', m.duty_tag,
		                          'connector_id', m.connector_id, 'external_id', m.external_id))
		                          order by m.position) as members
		                 from duty_member m
		                group by m.duty_id, m.group_number) g
		        group by g.duty_id) m on m.duty_id = d.id
		 where d.deleted_at is null
		 order by d.id`
	return pg.All[Duty](ctx, tx, "read all duties", sql+locking)
}

// batch is how many objects one statement writes.
const batch = 1000

// WriteAll creates and changes duties, with their versions and the audit entries. The caller has locked those that
// exist. A fault is of kind Conflict if another call has taken a name meanwhile.
func WriteAll(ctx context.Context, tx *pg.Tx, list []Write) error {
	for each := range slices.Chunk(list, batch) {
		if err := writeBatch(ctx, tx, each); err != nil {
			return err
		}
	}
	return nil
}

// row is a duty in the parameter of the statements.
type row struct {
	ID      string         `json:"id"`
	Created bool           `json:"created"`
	Origin  map[string]any `json:"origin"`
	Fields
	Content Fields `json:"content"`
}

func writeBatch(ctx context.Context, tx *pg.Tx, list []Write) error {
	const (
		source = `from jsonb_to_recordset(@list::jsonb) x (id uuid, created boolean, name text, description text,
		               process text, owner_ids uuid[], origin jsonb, all_of jsonb, content jsonb)`
		create = `
			insert into duty (tenant_id, id, name, description, process, owner_ids, origin)
			select current_tenant(), x.id, x.name, x.description, x.process, x.owner_ids, x.origin ` + source + `
			 where x.created`
		change = `
			update duty d
			   set name = x.name, description = x.description, process = x.process, owner_ids = x.owner_ids,
			       updated_at = now(), version = d.version + 1 ` + source + `
			 where not x.created
			   and d.id = x.id`
		clearMembers = `delete from duty_member m where m.duty_id = any(@changed::text[]::uuid[])`
		members      = `
			insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id, role_id,
			                         duty_tag, connector_id, external_id)
			select current_tenant(), x.id, g.number - 1, m.number - 1, m.member ->> 'kind',
			       (m.member ->> 'entitlement_id')::uuid, (m.member ->> 'role_id')::uuid, m.member ->> 'duty_tag',
			       (m.member ->> 'connector_id')::uuid, m.member ->> 'external_id' ` + source + `,
			       jsonb_array_elements(x.all_of) with ordinality g (content, number),
			       jsonb_array_elements(g.content -> 'members') with ordinality m (member, number)`
		keep = `
			insert into duty_version (tenant_id, duty_id, version, content, changed_by)
			select current_tenant(), d.id, d.version, x.content, @by ` + source + `
			  join duty d on d.id = x.id`
	)
	rows, changed := make([]row, len(list)), []string{}
	entries := make([]audit.Entry, 0, len(list))
	for i, w := range list {
		rows[i] = row{ID: w.ID, Created: w.Before == nil, Origin: w.Origin, Fields: w.Fields, Content: w.Fields}
		entry := audit.Entry{
			Action:  "duty.created",
			Subject: audit.Subject{Type: "duty", ID: w.ID, Display: w.Name},
		}
		var err error
		if w.Before == nil {
			entry.Changes, err = audit.Initial(w.Fields)
		} else {
			changed = append(changed, w.ID)
			entry.Action = "duty.updated"
			entry.Changes, err = audit.Diff(w.Before.Fields, w.Fields)
		}
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	args := pgx.NamedArgs{"list": rows, "changed": changed, "by": tx.Viewer.Actor()}
	for _, s := range []struct{ what, sql string }{
		{"insert duties", create}, {"write duties", change}, {"clear members of duties", clearMembers},
		{"write members of duties", members}, {"keep versions of duties", keep},
	} {
		if err := pg.Exec(ctx, tx, s.what, s.sql, args); err != nil {
			return (&Fields{}).written(err)
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}
