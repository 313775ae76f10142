package connector

import (
	"context"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Actions in the audit log.
const (
	actionCreated    = "connector.created"
	actionUpdated    = "connector.updated"
	actionReleased   = "connector.credentials_released"
	actionDeleted    = "connector.deleted"
	actionRestored   = "connector.restored"
	actionPurged     = "connector.purged"
	actionTested     = "connector.tested"
	actionDiscovered = "connector.discovered"
	actionSampled    = "connector.sampled"

	actionQuarantined = "connector.quarantined"
)

func recordCreated(ctx context.Context, tx *pg.Tx, c Connector) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionCreated, Subject: subject(c.ID, c.BusinessID), Context: map[string]any{
			"type": c.Type, "mode": c.Mode, "environment": c.Environment, "endpoint": endpoint(c.resolved()),
		}},
	)
}

func recordUpdated(ctx context.Context, tx *pg.Tx, c Connector, changes []audit.Change) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionUpdated, Subject: subject(c.ID, c.BusinessID), Changes: changes},
	)
}

// recordReleased notes that a person let stored secrets go to another place.
func recordReleased(ctx context.Context, tx *pg.Tx, r row, let release) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionReleased, Subject: subject(r.ID, r.BusinessID), Context: map[string]any{
			"changed":     let.moved,
			"credentials": r.Keys,
			"mode":        r.Mode,
			"agent_id":    text(r.AgentID),
			"agent_group": text(r.AgentGroup),
			"endpoint":    endpoint(r.resolved()),
		}},
	)
}

func recordDeleted(ctx context.Context, tx *pg.Tx, c Connector, d Disconnected) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionDeleted, Subject: subject(c.ID, c.BusinessID), Context: d.told()},
	)
}

func recordRestored(ctx context.Context, tx *pg.Tx, c Connector, d Disconnected) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionRestored, Subject: subject(c.ID, c.BusinessID), Context: d.told()},
	)
}

func recordPurged(ctx context.Context, tx *pg.Tx, c Connector) error {
	return audit.Record(ctx, tx, audit.Entry{Action: actionPurged, Subject: subject(c.ID, c.BusinessID)})
}

func (d Disconnected) told() map[string]any {
	return map[string]any{"accounts": d.Accounts, "entitlements": d.Entitlements, "grants": d.Grants}
}

// recordCall notes that a target was called on somebody's behalf, and how it ended. The target's own words stay out.
func recordCall(ctx context.Context, tx *pg.Tx, action string, c call, success bool, failure *v1.ErrorDetail) error {
	about := map[string]any{
		"type":     c.target.Type,
		"mode":     c.target.Mode,
		"endpoint": endpoint(c.auth),
		"saved":    c.saved != nil,
	}
	if failure != nil {
		about["error_class"], about["error_code"] = failure.Class, failure.Code
	}
	outcome := audit.Success
	if !success {
		outcome = audit.Failure
	}
	id := ""
	if c.saved != nil {
		id = c.saved.ID
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: action, Outcome: outcome, Subject: subject(id, c.businessID), Context: about},
	)
}

func subject(id, businessID string) audit.Subject {
	return audit.Subject{Type: "connector", ID: id, Display: businessID}
}

// endpoint says which system settings lead to.
func endpoint(settings map[string]any) string {
	if host, _ := settings["host"].(string); host != "" {
		if port, there := settings["port"]; there {
			return fmt.Sprintf("%s:%v", host, port)
		}
		return host
	}
	return origin(settings["base_url"])
}
