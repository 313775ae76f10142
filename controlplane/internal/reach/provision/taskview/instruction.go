package taskview

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/manual"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

// Instruction is a task for the person who has to do something about it.
type Instruction struct {
	Task
	Payload TaskPayload // what is written
	ByHand  string      // what a person would do in the target, in words
}

// Tell reads tasks for the people who have to do something about them.
func Tell(ctx context.Context, tx *pg.Tx, ids []string) ([]Instruction, error) {
	tasks, err := pg.All[Task](
		ctx,
		tx,
		"read tasks",
		`select `+taskColumns+` from `+shown(tx, true)+aroundTask+` where t.id = any(@ids::text[]::uuid[])`,
		pgx.NamedArgs{"ids": ids},
	)
	if err != nil {
		return nil, err
	}
	payloads, err := payloadsOf(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	drafts, connectors := make([]task.Draft, len(tasks)), make([]string, len(tasks))
	for i, t := range tasks {
		connectors[i] = t.ConnectorID
		drafts[i] = task.Draft{
			Operation:     t.Operation,
			IdentityID:    task.TextOf(t.IdentityID),
			AccountID:     task.TextOf(t.AccountID),
			EntitlementID: task.TextOf(t.EntitlementID),
			Payload:       payloads[t.ID],
			Mode:          task.ModeManual,
		}
	}
	names, err := manual.ReadNames(ctx, tx, drafts)
	if err != nil {
		return nil, err
	}
	can, err := ability.Read(ctx, tx, connectors)
	if err != nil {
		return nil, err
	}
	told := make([]Instruction, len(tasks))
	for i, t := range tasks {
		told[i] = Instruction{
			Task:    t,
			Payload: shownPayload(payloads[t.ID]),
			ByHand:  manual.Instructions(drafts[i], can[t.ConnectorID], names),
		}
	}
	return told, nil
}

// payloadsOf reads the payloads of tasks, by ID. Tasks that the viewer cannot see are not in it.
func payloadsOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string]task.Payload, error) {
	rows, err := tx.Query(
		ctx,
		`select id::text, payload from provisioning_task where id = any(@ids::text[]::uuid[])`,
		pgx.NamedArgs{"ids": ids},
	)
	if err != nil {
		return nil, fmt.Errorf("read what tasks write: %w", err)
	}
	found := map[string]task.Payload{}
	var id string
	for rows.Next() {
		var p task.Payload
		if err := rows.Scan(&id, &p); err != nil {
			rows.Close()
			return nil, fmt.Errorf("read what tasks write: %w", err)
		}
		found[id] = p
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read what tasks write: %w", err)
	}
	return found, nil
}
