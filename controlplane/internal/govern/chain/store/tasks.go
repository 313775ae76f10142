package store

import (
	"context"
	"fmt"

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
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"tasks": taskIDs})
	if err != nil {
		return nil, nil, fmt.Errorf("find chains of tasks: %w", err)
	}
	var task, item string
	seen := map[string]bool{}
	_, err = pgx.ForEachRow(rows, []any{&task, &item}, func() error {
		byTask[task] = item
		if !seen[item] {
			seen[item] = true
			items = append(items, item)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find chains of tasks: %w", err)
	}
	return items, byTask, nil
}
