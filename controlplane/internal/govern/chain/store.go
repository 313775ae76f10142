package chain

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

const columns = `
	c.item_id::text, c.request_id::text, c.number, c.subject, c.plan, c.shown, c.state, c.stage, c.starts_at, c.ends_at,
	c.expires_at, c.look_at, c.turned, c.left_tasks, c.closed_at`

// load locks the chains of items, in the order of their ids so that two who lock many never wait for each other, and
// reads them whole. What has no chain is left out.
func load(ctx context.Context, tx *pg.Tx, itemIDs []string) ([]*flow, error) {
	const sql = `select ` + columns + `
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = any(@items::text[]::uuid[])
		 order by c.item_id
		   for update`
	return read(ctx, tx, sql, pgx.NamedArgs{"items": itemIDs})
}

// loadFree is load of one chain that nobody else has in hand; nil: somebody has.
func loadFree(ctx context.Context, tx *pg.Tx, itemID string) (*flow, error) {
	const sql = `select ` + columns + `
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = @item
		   for update skip locked`
	flows, err := read(ctx, tx, sql, pgx.NamedArgs{"item": itemID})
	if err != nil || len(flows) == 0 {
		return nil, err
	}
	return flows[0], nil
}

func read(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]*flow, error) {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("read chains: %w", err)
	}
	flows, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[flow])
	if err != nil {
		return nil, fmt.Errorf("read chains: %w", err)
	}
	ids := make([]string, len(flows))
	byItem := map[string]*flow{}
	for i, f := range flows {
		ids[i], byItem[f.ItemID] = f.ItemID, f
	}
	steps, err := readSteps(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		// Rows beyond the plan are of a longer one, before an escalation to another rule.
		if f := byItem[s.ItemID]; s.Stage < len(f.Plan.Stages) {
			f.steps = append(f.steps, s)
		}
	}
	return flows, nil
}

// readSteps reads the stages of items with their slots, in the order of the stages.
func readSteps(ctx context.Context, tx *pg.Tx, itemIDs []string) ([]*step, error) {
	const sql = `
		select s.item_id::text, s.stage, s.state, s.needed, s.wait_since, s.wait_until, s.wait_task::text, s.waited,
		       s.opened_at, s.due_at, s.closed_at, s.remind_at, s.reminded, s.escalate_at, s.escalated, s.escalations
		  from chain_stage s
		 where s.tenant_id = current_tenant()
		   and s.item_id = any(@items::text[]::uuid[])
		 order by s.item_id, s.stage`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"items": itemIDs})
	if err != nil {
		return nil, fmt.Errorf("read stages: %w", err)
	}
	steps, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[step])
	if err != nil {
		return nil, fmt.Errorf("read stages: %w", err)
	}
	type place struct {
		item  string
		stage int
	}
	at := map[place]*step{}
	for _, s := range steps {
		was := *s
		s.was, at[place{s.ItemID, s.Stage}] = &was, s
	}
	slots, err := readSlots(ctx, tx, itemIDs)
	if err != nil {
		return nil, err
	}
	for _, each := range slots {
		was := *each
		each.was = &was
		s := at[place{each.ItemID, each.Stage}]
		s.slots = append(s.slots, each)
	}
	return steps, nil
}

func readSlots(ctx context.Context, tx *pg.Tx, itemIDs []string) ([]*slot, error) {
	const sql = `
		select s.id::text, s.item_id::text, s.stage, s.group_index, s.identity_id::text, s.role, s.display, s.via,
		       s.acting_for::text, s.because, s.task_id::text, s.state, s.decided_at, s.decided_by, s.comment
		  from chain_slot s
		 where s.tenant_id = current_tenant()
		   and s.item_id = any(@items::text[]::uuid[])
		 order by s.item_id, s.stage, s.group_index, s.id`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"items": itemIDs})
	if err != nil {
		return nil, fmt.Errorf("read slots: %w", err)
	}
	slots, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[slot])
	if err != nil {
		return nil, fmt.Errorf("read slots: %w", err)
	}
	return slots, nil
}

// itemsOf finds whose slots tasks ask.
func itemsOf(ctx context.Context, tx *pg.Tx, taskIDs []string) (items []string, byTask map[string]string, err error) {
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

// write brings what has changed into the tables, in a statement for each table.
func write(ctx context.Context, tx *pg.Tx, flows []*flow, logs []logged) error {
	var begun, changed, steps, slots []map[string]any
	for _, f := range flows {
		if f.isNew {
			begun = append(begun, f.whole())
		} else {
			changed = append(changed, f.row())
		}
		for _, s := range f.steps {
			if s.changed() {
				steps = append(steps, s.row())
			}
			for _, each := range s.slots {
				if each.changed() {
					slots = append(slots, each.row())
				}
			}
		}
	}
	for _, each := range []struct {
		sql  string
		rows []map[string]any
	}{{insertChains, begun}, {updateChains, changed}, {upsertSteps, steps}, {upsertSlots, slots},
		{insertLog, logRows(logs)}} {
		if len(each.rows) == 0 {
			continue
		}
		rows, err := json.Marshal(each.rows)
		if err != nil {
			return fmt.Errorf("write chains: %w", err)
		}
		if _, err := tx.Exec(ctx, each.sql, pgx.NamedArgs{"rows": string(rows)}); err != nil {
			return fmt.Errorf("write chains: %w", err)
		}
	}
	return nil
}
