package order

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

// writes refuses what is not written through a connector at all. What it cannot do a person may be asked for, in
// another mode.
func writes(can ability.Ability, operation string) error {
	if can.Mode == task.ModeOff || can.Ops != nil && !can.May(operation) {
		return fault.Coded(fault.Conflict, "writes_off", "%s", can.Refusal(operation))
	}
	return nil
}

// Refusals says of connectors why no task of an operation is made through them. Those through which it can be made are
// left out.
func Refusals(ctx context.Context, tx *pg.Tx, connectorIDs []string, operation string) (map[string]string, error) {
	can, err := ability.Read(ctx, tx, connectorIDs)
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	for _, id := range connectorIDs {
		a, known := can[id]
		if !known {
			why[id] = "there is no such connector any more"
		} else if err := writes(a, operation); err != nil {
			why[id] = err.Error()
		}
	}
	return why, nil
}
