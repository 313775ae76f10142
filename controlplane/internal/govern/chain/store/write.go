package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Log is something that happened in a stage.
type Log struct {
	ItemID string
	Stage  int
	Entry  state.LogEntry
}

func logRows(logs []Log) (rows []map[string]any) {
	for _, l := range logs {
		rows = append(
			rows,
			map[string]any{
				"item_id": l.ItemID,
				"stage":   l.Stage,
				"at":      l.Entry.At,
				"step":    l.Entry.Step,
				"detail":  l.Entry.Detail,
			},
		)
	}
	return rows
}

// Write writes what has changed, by one statement for each table.
func Write(ctx context.Context, tx *pg.Tx, flows []*state.Flow, logs []Log) error {
	var begun, changed, steps, slots []map[string]any
	for _, f := range flows {
		if f.IsNew {
			begun = append(begun, newFlowRow(f))
		} else {
			changed = append(changed, flowRow(f))
		}
		for _, s := range f.Stages {
			if s.Changed() {
				steps = append(steps, stepRow(s))
			}
			for _, each := range s.Slots {
				if each.Changed() {
					slots = append(slots, slotRow(each))
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
		if err := pg.Exec(ctx, tx, "write chains", each.sql, pgx.NamedArgs{"rows": string(rows)}); err != nil {
			return err
		}
	}
	return nil
}
