package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
)

// A merge publishes the people it changes by one statement, and only if there is a subscriber. What they
// were before is remembered for that: the statement that changes them does not give it back.

// publishedFields are the fields of a person whose changes an event names.
var publishedFields = append([]string{"status"}, staging.PersonFields...)

// wanted reports whether there is a subscriber to events of people.
func wanted(ctx context.Context, tx *pg.Tx) (bool, error) {
	return event.Wanted(ctx, tx, event.IdentityCreated, event.IdentityUpdated, event.IdentityDeactivated)
}

// rememberPeople keeps what the people of m_identity are before the merge changes them.
func rememberPeople(ctx context.Context, tx *pg.Tx) error {
	columns := "id, " + strings.Join(publishedFields, ", ")
	temp := `create temp table if not exists m_before
		on commit delete rows as select ` + columns + ` from identity where false`
	remember := `
		insert into m_before
		select i.` + strings.Join(append([]string{"id"}, publishedFields...), ", i.") + `
		  from m_identity m
		  join identity i
		    on i.tenant_id = m.tenant_id
		   and i.id = m.identity_id
		 where not m.is_new
		   and i.status <> 'archived'
		   for update of i`
	for _, sql := range []string{temp, remember} {
		if err := pg.Exec(ctx, tx, "remember people", sql); err != nil {
			return err
		}
	}
	return nil
}

// publishPeople publishes what the merge made of the people of m_identity.
func publishPeople(ctx context.Context, tx *pg.Tx) error {
	var changed strings.Builder
	for i, f := range publishedFields {
		if i > 0 {
			changed.WriteString(", ")
		}
		fmt.Fprintf(&changed, "case when i.%[1]s is distinct from b.%[1]s then '%[1]s' end", f)
	}
	const data = `jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)`
	sql := `
		select 'identity.created', i.id, i.version, '{}'::text[], ` + data + `
		  from m_identity m
		  join identity i
		    on i.tenant_id = m.tenant_id
		   and i.id = m.identity_id
		 where m.is_new
		 union all
		select case when n.status = 'deactivated' and 'status' = any(n.changed) then 'identity.deactivated'
		       else 'identity.updated' end, n.id, n.version, n.changed, n.data
		  from (select i.id, i.version, i.status,
		      array_remove(array[` + changed.String() + `], null) as changed, ` + data + ` as data
		          from m_before b
		          join identity i
		            on i.tenant_id = current_tenant()
		           and i.id = b.id) n
		 where n.changed <> '{}'`
	_, err := event.PublishEach(ctx, tx, "identity", sql, nil)
	return err
}

// WatchManagers remembers everyone's manager if there is a subscriber to such changes, and gives back what publishes
// the changes. The table that it fills lasts until the transaction ends.
func WatchManagers(ctx context.Context, tx *pg.Tx) (publish func() error, err error) {
	wanted, err := event.Wanted(ctx, tx, event.IdentityUpdated)
	if err != nil || !wanted {
		return func() error { return nil }, err
	}
	for _, sql := range []string{
		`create temp table if not exists m_manager (id uuid, manager_id uuid) on commit delete rows`,
		`insert into m_manager select id, manager_id from identity where tenant_id = current_tenant()
			and status <> 'archived'`,
		`analyze m_manager`,
	} {
		if err := pg.Exec(ctx, tx, "remember managers", sql); err != nil {
			return nil, err
		}
	}
	const changed = `
		select 'identity.updated', i.id, i.version, '{manager_id}'::text[],
		       jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from m_manager b
		  join identity i
		    on i.tenant_id = current_tenant()
		   and i.id = b.id
		 where i.manager_id is distinct from b.manager_id`
	return func() error {
		_, err := event.PublishEach(ctx, tx, "identity", changed, nil)
		return err
	}, nil
}
