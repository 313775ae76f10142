package delegate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// found is what the database says of a task.
type found struct {
	ID, Kind, Risk  string
	Systems, People []string
}

// Tasks reads decision tasks as the scopes of known delegations see them, by their ids, at an instant. Without a
// limited scope among them, it reads nothing, and the result is nil.
func Tasks(ctx context.Context, tx *pg.Tx, known Known, ids []string, at time.Time) (map[string]Task, error) {
	if !known.Limited() {
		return nil, nil
	}
	// What a task concerns is found through the objects that it names: an account is in a system, a request is for a
	// person.
	const sql = `
		with recursive ref as materialized (
		    select t.id as task, r.of ->> 'type' as type, r.of ->> 'id' as id
		      from decision_task t
		     cross join lateral (select t.subject as of union all select t.source
		                         union all select jsonb_array_elements(t.links)) r
		     where t.tenant_id = current_tenant()
		       and t.id = any(@ids::text[]::uuid[])
		), named as materialized (
		    select task, type, id::uuid
		      from ref
		     where id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
		), item as (
		    select n.task, x.role_id, x.entitlement_id, x.beneficiary_id
		      from named n
		      join access_request_item x on x.id = n.id
		     where n.type = 'access_request_item' and x.tenant_id = current_tenant()
		), content (task, role) as (
		    select task, id from named where type = 'role'
		     union
		    select task, role_id from item where role_id is not null
		     union
		    select c.task, r.child_id
		      from content c
		      join role_child r on r.role_id = c.role
		), entitled as (
		    select task, id from named where type = 'entitlement'
		     union
		    select task, entitlement_id from item
		     union
		    select c.task, r.entitlement_id from content c join role_entitlement r on r.role_id = c.role
		), about (task, system, person) as (
		    select task, id, null::uuid from named where type = 'connector'
		     union
		    select e.task, x.connector_id, null from entitled e join entitlement x on x.id = e.id
		     union
		    select n.task, a.connector_id, a.identity_id from named n join account a on a.id = n.id
		     where n.type = 'account'
		     union
		    select n.task, a.connector_id, a.identity_id from named n join access_grant g on g.id = n.id
		      join account a on a.id = g.account_id where n.type = 'grant'
		     union
		    select n.task, p.connector_id, p.identity_id from named n join provisioning_task p on p.id = n.id
		     where n.type = 'provisioning_task'
		     union
		    select task, null, id from named where type = 'identity'
		       and task not in (select i.task from item i)
		     union
		    select task, null, beneficiary_id from item
		)
		select t.id::text, t.kind, coalesce(t.risk_level, ''), coalesce(a.systems, '{}'), coalesce(a.people, '{}')
		  from decision_task t
		  left join (select task, array_agg(distinct system::text) filter (where system is not null) as systems,
		                    array_agg(distinct person::text) filter (where person is not null) as people
		               from about
		              group by task) a on a.task = t.id
		 where t.tenant_id = current_tenant()
		   and t.id = any(@ids::text[]::uuid[])`
	list, err := pg.AllBy(ctx, tx, "read what tasks concern", pgx.RowToStructByPos[found], sql,
		pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	people, err := known.people(ctx, tx, list, at)
	if err != nil {
		return nil, err
	}
	tasks := make(map[string]Task, len(list))
	for _, f := range list {
		t := Task{Kind: f.Kind, Systems: f.Systems, Risk: f.Risk}
		if len(f.People) == 1 {
			if p, read := people[f.People[0]]; read {
				t.Person = p
			}
		}
		tasks[f.ID] = t
	}
	return tasks, nil
}

// people reads the facts about the people of tasks, as far as conditions ask for them.
func (k Known) people(ctx context.Context, tx *pg.Tx, list []found, at time.Time) (map[string]*fact.Person, error) {
	people := map[string]*fact.Person{}
	if !k.conditional() {
		return people, nil
	}
	set := map[string]bool{}
	for _, f := range list {
		for _, id := range f.People {
			set[id] = true
		}
	}
	ids := slices.Sorted(maps.Keys(set))
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	today, err := time.Parse(time.DateOnly, usual.Today(at))
	if err != nil {
		return nil, fmt.Errorf("the tenant's date: %w", err)
	}
	above, err := fact.ManagersAbove(ctx, tx, ids, k.Needs().Managers)
	if err != nil || len(ids) == 0 {
		return people, err
	}
	err = identity.EachFacts(ctx, tx, ids, func(id string, f identity.Facts) error {
		people[id] = &fact.Person{Identity: f, Managers: above[id], Day: today}
		return nil
	})
	return people, err
}
