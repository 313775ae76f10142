package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Columns are the columns of state.Flow, of a table chain c.
const Columns = `
	c.item_id::text, c.request_id::text, c.number, c.subject, c.plan, c.shown, c.state, c.stage, c.starts_at, c.ends_at,
	c.expires_at, c.look_at, c.turned, c.left_tasks, c.closed_at`

// Lock locks the chains of items until the transaction ends, in the order of their ids so that two who lock many never
// wait for each other, and reads them whole. Items without a chain are left out.
func Lock(ctx context.Context, tx *pg.Tx, itemIDs []string) ([]*state.Flow, error) {
	const sql = `select ` + Columns + `
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = any(@items::text[]::uuid[])
		 order by c.item_id
		   for update`
	return Read(ctx, tx, sql, pgx.NamedArgs{"items": itemIDs})
}

// LockFree is Lock of one chain that nobody else has locked; nil: somebody has.
func LockFree(ctx context.Context, tx *pg.Tx, itemID string) (*state.Flow, error) {
	const sql = `select ` + Columns + `
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = @item
		   for update skip locked`
	flows, err := Read(ctx, tx, sql, pgx.NamedArgs{"item": itemID})
	if err != nil || len(flows) == 0 {
		return nil, err
	}
	return flows[0], nil
}

// Read reads the chains that a query of Columns gives, with their stages and slots.
func Read(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]*state.Flow, error) {
	flows, err := pg.AllBy(ctx, tx, "read chains", pgx.RowToAddrOfStructByName[state.Flow], sql, args)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(flows))
	byItem := map[string]*state.Flow{}
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
			f.Stages = append(f.Stages, s)
		}
	}
	return flows, nil
}

// readSteps reads the stages of items with their slots, in the order of the stages.
func readSteps(ctx context.Context, tx *pg.Tx, itemIDs []string) ([]*state.Stage, error) {
	const sql = `
		select s.item_id::text, s.stage, s.state, s.needed, s.wait_since, s.wait_until, s.wait_task::text, s.waited,
		       s.opened_at, s.due_at, s.closed_at, s.remind_at, s.reminded, s.escalate_at, s.escalated, s.escalations
		  from chain_stage s
		 where s.tenant_id = current_tenant()
		   and s.item_id = any(@items::text[]::uuid[])
		 order by s.item_id, s.stage`
	steps, err := pg.AllBy(
		ctx,
		tx,
		"read stages",
		pgx.RowToAddrOfStructByName[state.Stage],
		sql,
		pgx.NamedArgs{"items": itemIDs},
	)
	if err != nil {
		return nil, err
	}
	type place struct {
		item  string
		stage int
	}
	at := map[place]*state.Stage{}
	for _, s := range steps {
		was := *s
		s.Was, at[place{s.ItemID, s.Stage}] = &was, s
	}
	slots, err := readSlots(ctx, tx, itemIDs)
	if err != nil {
		return nil, err
	}
	for _, each := range slots {
		was := *each
		each.Was = &was
		s := at[place{each.ItemID, each.Stage}]
		s.Slots = append(s.Slots, each)
	}
	return steps, nil
}

func readSlots(ctx context.Context, tx *pg.Tx, itemIDs []string) ([]*state.Slot, error) {
	const sql = `
		select s.id::text, s.item_id::text, s.stage, s.group_index, s.identity_id::text, s.role, s.display, s.via,
		       s.acting_for::text, s.because, s.task_id::text, s.state, s.decided_at, s.decided_by, s.comment
		  from chain_slot s
		 where s.tenant_id = current_tenant()
		   and s.item_id = any(@items::text[]::uuid[])
		 order by s.item_id, s.stage, s.group_index, s.id`
	return pg.AllBy(
		ctx,
		tx,
		"read slots",
		pgx.RowToAddrOfStructByName[state.Slot],
		sql,
		pgx.NamedArgs{"items": itemIDs},
	)
}
