package handover

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// HandedOn returns who decides a task since it was reassigned, and who no longer does.
type HandedOn struct {
	To   []Receiver
	From map[string]bool // the people who were asked before, by their ids
	All  bool            // no one who was asked before decides it any more, roles included
}

// Receiver is a person to whom a task was given.
type Receiver struct{ IdentityID, Display string }

// HandedOnTasks are those of tasks that were given to others, by their ids.
func HandedOnTasks(ctx context.Context, tx *pg.Tx, tasks []string) (map[string]*HandedOn, error) {
	found := map[string]*HandedOn{}
	if len(tasks) == 0 {
		return found, nil
	}
	const sql = `
		select t.id::text, t.handed_on, a.identity_id::text, i.display_name, a.dropped_at is not null
		  from decision_task t
		  join decision_assignee a on a.tenant_id = t.tenant_id and a.task_id = t.id
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
		 where t.tenant_id = current_tenant()
		   and t.id = any(@tasks::text[]::uuid[])
		   and (a.dropped_at is not null or a.via = 'reassigned')
		 order by t.id, i.display_name, i.id`
	var task string
	var all, dropped bool
	var who Receiver
	if err := pg.Each(
		ctx,
		tx,
		"find who was given tasks",
		[]any{&task, &all, &who.IdentityID, &who.Display, &dropped},
		func() error {
			h := found[task]
			if h == nil {
				h = &HandedOn{From: map[string]bool{}}
				found[task] = h
			}
			h.All = all
			if dropped {
				h.From[who.IdentityID] = true
			} else {
				h.To = append(h.To, who)
			}
			return nil
		},
		sql,
		pgx.NamedArgs{"tasks": tasks},
	); err != nil {
		return nil, err
	}
	return found, nil
}
