package connector

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/tryout"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Actions in the audit log.
const (
	actionCreated    = "connector.created"
	actionUpdated    = "connector.updated"
	actionReleased   = "connector.credentials_released"
	actionDeleted    = "connector.deleted"
	actionRestored   = "connector.restored"
	actionTested     = "connector.tested"
	actionDiscovered = "connector.discovered"
	actionSampled    = "connector.sampled"
)

func recordCreated(ctx context.Context, tx *pg.Tx, c Connector) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  actionCreated,
			Subject: connectorstate.AuditSubject(c.ID, c.BusinessID),
			Context: map[string]any{
				"type": c.Type, "mode": c.Mode, "environment": c.Environment, "endpoint": endpoint(c.resolved()),
			},
		},
	)
}

func recordUpdated(ctx context.Context, tx *pg.Tx, c Connector, changes []audit.Change) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: actionUpdated, Subject: connectorstate.AuditSubject(c.ID, c.BusinessID), Changes: changes},
	)
}

// recordReleased notes that a person let stored secrets go to another place.
func recordReleased(ctx context.Context, tx *pg.Tx, r row, let release) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  actionReleased,
			Subject: connectorstate.AuditSubject(r.ID, r.BusinessID),
			Context: map[string]any{
				"changed":     let.moved,
				"credentials": r.Keys,
				"mode":        r.Mode,
				"agent_id":    connection.TextOf(r.AgentID),
				"agent_group": connection.TextOf(r.AgentGroup),
				"endpoint":    endpoint(r.resolved()),
			},
		},
	)
}

// recordCall notes that a target was called on behalf of a user, and how it ended. The target's own words stay out.
func recordCall(
	ctx context.Context,
	tx *pg.Tx,
	action string,
	c tryout.Call,
	success bool,
	failure *v1.ErrorDetail,
) error {
	about := map[string]any{
		"type":     c.Target.Type,
		"mode":     c.Target.Mode,
		"endpoint": endpoint(c.Auth),
		"saved":    c.SavedID != "",
	}
	if failure != nil {
		about["error_class"], about["error_code"] = failure.Class, failure.Code
	}
	outcome := audit.Success
	if !success {
		outcome = audit.Failure
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  action,
			Outcome: outcome,
			Subject: connectorstate.AuditSubject(c.SavedID, c.BusinessID),
			Context: about,
		},
	)
}

// endpoint says which system settings lead to.
func endpoint(settings map[string]any) string {
	if host, _ := settings["host"].(string); host != "" {
		if port, there := settings["port"]; there {
			return fmt.Sprintf("%s:%v", host, port)
		}
		return host
	}
	return connection.Origin(settings["base_url"])
}
