package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ItemsOf finds the items whose slots tasks ask, and the item of each task.
func ItemsOf(ctx context.Context, tx *pg.Tx, taskIDs []string) (items []string, byTask map[string]string, err error) {
	const sql = `
		select distinct s.task_id::text, s.item_id::text
		  from chain_slot s
		 where s.tenant_id = current_tenant()
		   and s.task_id = any(@tasks::text[]::uuid[])`
	byTask = map[string]string{}
	var task, item string
	seen := map[string]bool{}
	if err := pg.Each(ctx, tx, "find chains of tasks", []any{&task, &item}, func() error {
		byTask[task] = item
		if !seen[item] {
			seen[item] = true
			items = append(items, item)
		}
		return nil
	}, sql, pgx.NamedArgs{"tasks": taskIDs}); err != nil {
		return nil, nil, err
	}
	return items, byTask, nil
}
