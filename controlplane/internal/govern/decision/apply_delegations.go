package decision

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// place is an assignee of an open task.
type place struct {
	Task, Kind   string
	Person, Name string
	ActingFor    *string
	Path         []string
	NotFor       []string
	People       []string // all who decide it
	Since        time.Time
}

// ApplyDelegations adds delegates to open tasks whose assignees have delegated them. The delegators stay assignees.
func ApplyDelegations(ctx context.Context, tx *pg.Tx, tasks []string) error {
	places, err := places(ctx, tx, tasks)
	if err != nil || len(places) == 0 {
		return err
	}
	var people []string
	for _, p := range places {
		people = append(people, p.Person)
	}
	slices.Sort(people)
	var at time.Time
	if err := tx.QueryRow(ctx, `select now()`).Scan(&at); err != nil {
		return fmt.Errorf("tell the time: %w", err)
	}
	known, err := delegate.Load(ctx, tx, slices.Compact(people), at)
	if err != nil || len(known) == 0 {
		return err
	}
	concerns, err := delegate.Tasks(ctx, tx, known, tasks, at)
	if err != nil {
		return err
	}
	var add []delegated
	for _, p := range places {
		t, read := concerns[p.Task]
		if !read {
			t = delegate.Task{Kind: p.Kind}
		}
		add = append(add, p.delegates(known, t)...)
	}
	return enterDelegates(ctx, tx, add)
}

// places reads who decides open tasks that may be delegated.
func places(ctx context.Context, tx *pg.Tx, tasks []string) ([]place, error) {
	const sql = `
		select t.id::text as task, t.kind, a.identity_id::text as person, coalesce(i.display_name, '') as name,
		       a.acting_for::text, a.path::text[], t.not_for::text[],
		       array(select o.identity_id::text from decision_assignee o where o.tenant_id = t.tenant_id
		           and o.task_id = t.id and o.dropped_at is null) as people, a.added_at as since
		  from decision_task t
		  join decision_assignee a on a.tenant_id = t.tenant_id and a.task_id = t.id
		  left join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
		 where t.tenant_id = current_tenant()
		   and t.id = any(@tasks::text[]::uuid[])
		   and t.state in ('open', 'claimed')
		   and t.delegable
		   and a.dropped_at is null`
	return pg.All[place](ctx, tx, "find who decides", sql, pgx.NamedArgs{"tasks": tasks})
}

// delegated is a delegate who is to be added to a task.
type delegated struct {
	task, delegate, actingFor, detail string
	path                              []string
}

// delegates is who decides the task beside the person: no one if they have not delegated it, or if the delegate is
// there already.
func (p place) delegates(list delegate.Known, t delegate.Task) []delegated {
	actingFor := p.Person
	if p.ActingFor != nil {
		actingFor = *p.ActingFor
	}
	path := list.Chain(
		t,
		p.Person,
		p.Since,
		func(identity string) bool { return !slices.Contains(p.NotFor, identity) && identity != actingFor },
	)
	if len(path) == 0 {
		return nil
	}
	end := path[len(path)-1]
	if slices.Contains(p.People, end.Delegate) {
		return nil
	}
	ids := slices.Clone(p.Path)
	for _, d := range path {
		ids = append(ids, d.ID)
	}
	return []delegated{
		{
			task:      p.Task,
			delegate:  end.Delegate,
			actingFor: actingFor,
			path:      ids,
			detail:    end.Name + " decides for " + p.Name,
		},
	}
}

// enterDelegates makes delegates assignees.
func enterDelegates(ctx context.Context, tx *pg.Tx, add []delegated) error {
	const sql = `
		insert into decision_assignee as a (tenant_id, task_id, identity_id, via, acting_for, path)
		select distinct on (u.task_id, u.delegate) current_tenant(), u.task_id, u.delegate, 'delegate', u.acting_for,
		    string_to_array(u.path, ',')::uuid[]
		  from unnest(@tasks::text[]::uuid[], @delegates::text[]::uuid[], @acting_for::text[]::uuid[],
		      @paths::text[]) u (task_id, delegate, acting_for, path)
		 order by u.task_id, u.delegate, u.acting_for
		    on conflict (tenant_id, task_id, identity_id)
		    do update
		   set via = excluded.via, acting_for = excluded.acting_for, path = excluded.path, open = true,
		       added_at = now(), dropped_at = null
		 where a.dropped_at is not null`
	if len(add) == 0 {
		return nil
	}
	var tasks, delegates, actingFor, paths []string
	var events []HistoryEntry
	for _, d := range add {
		tasks, delegates, actingFor = append(
			tasks,
			d.task,
		), append(
			delegates,
			d.delegate,
		), append(
			actingFor,
			d.actingFor,
		)
		paths = append(paths, strings.Join(d.path, ","))
		events = append(events, HistoryEntry{TaskID: d.task, Event: "delegated", Detail: d.detail})
	}
	args := pgx.NamedArgs{"tasks": tasks, "delegates": delegates, "acting_for": actingFor, "paths": paths}
	if err := pg.Exec(ctx, tx, "add delegates", sql, args); err != nil {
		return err
	}
	return AddHistory(ctx, tx, events)
}
