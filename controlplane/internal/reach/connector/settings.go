package connector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// row is what the payload stores under an id. The defaults of absent members are filled in.
func (n *NewConnector) row(id string) row {
	n.Settings.FillDefaults()
	r := row{Connector: Connector{
		ID:          id,
		BusinessID:  n.BusinessID,
		Name:        strings.TrimSpace(n.Name),
		Description: n.Description,
		Type:        n.Type,
		VendorKey:   connection.OptionalText(n.VendorKey),
		Mode:        n.Mode,
		AgentID:     connection.OptionalText(n.AgentID),
		AgentGroup:  connection.OptionalText(n.AgentGroup),
		Environment: cmp.Or(n.Environment, "production"),
		Purpose: cmp.Or(
			n.Purpose,
			"both",
		),
		AuthorityRank: 100,
		Connection:    connection.Given(n.Connection),
		Labels:        n.Labels,
		Status:        connectorstate.Ready,
	}}
	if n.AuthorityRank != nil {
		r.AuthorityRank = *n.AuthorityRank
	}
	if r.BusinessID == "" {
		r.BusinessID = slug(r.Name, r.key(), id)
	}
	if r.Labels == nil {
		r.Labels = map[string]string{}
	}
	return r
}

// settings are the row's, with its secrets.
func (r row) settings(secrets map[string]any) connection.Settings {
	return connection.Settings{
		Type:        r.Type,
		VendorKey:   connection.TextOf(r.VendorKey),
		Mode:        r.Mode,
		AgentID:     connection.TextOf(r.AgentID),
		AgentGroup:  connection.TextOf(r.AgentGroup),
		Connection:  r.Connection,
		Credentials: secrets,
	}
}

func (p ConnectorPatch) touchesSettings() bool {
	return p.Mode != nil || p.AgentID != nil || p.AgentGroup != nil || len(p.Connection) > 0 || len(p.Credentials) > 0
}

// apply gives what the row becomes, but for its secrets.
func (p ConnectorPatch) apply(r row) (row, error) {
	set(&r.Name, p.Name)
	r.Name = strings.TrimSpace(r.Name)
	set(&r.Description, p.Description)
	set(&r.Environment, p.Environment)
	set(&r.Purpose, p.Purpose)
	set(&r.Mode, p.Mode)
	if p.AuthorityRank != nil {
		r.AuthorityRank = *p.AuthorityRank
	}
	p.applyAgent(&r)
	labels := maps.Clone(r.Labels)
	for name, value := range p.Labels {
		if value == nil {
			delete(labels, name)
		} else {
			labels[name] = *value
		}
	}
	r.Labels = labels
	if len(p.Connection) == 0 {
		return r, nil
	}
	patch, err := json.Marshal(p.Connection)
	if err != nil {
		return r, fmt.Errorf("encode connection: %w", err)
	}
	r.Connection, err = mergepatch.Apply(r.Connection, patch)
	return r, err
}

// applyAgent lets one way of naming agents take the place of the other, and hosted mode that of both.
func (p ConnectorPatch) applyAgent(r *row) {
	switch {
	case connection.TextOf(p.AgentID) != "" && connection.TextOf(p.AgentGroup) != "":
		r.AgentID, r.AgentGroup = p.AgentID, p.AgentGroup // the rules will say that it must be one
	case connection.TextOf(p.AgentID) != "":
		r.AgentID, r.AgentGroup = p.AgentID, nil
	case connection.TextOf(p.AgentGroup) != "":
		r.AgentID, r.AgentGroup = nil, p.AgentGroup
	case r.Mode == dispatch.Hosted:
		r.AgentID, r.AgentGroup = nil, nil
	}
}

func set(member, value *string) {
	if value != nil {
		*member = *value
	}
}

// visible are the members that the audit log compares.
type visible struct {
	Name          string            `json:"name"`
	Description   string            `json:"description"`
	Labels        map[string]string `json:"labels"`
	Environment   string            `json:"environment"`
	Purpose       string            `json:"purpose"`
	AuthorityRank int               `json:"authority_rank"`
	Mode          string            `json:"mode"`
	AgentID       *string           `json:"agent_id"`
	AgentGroup    *string           `json:"agent_group"`
}

func (r row) visible() visible {
	return visible{
		r.Name,
		r.Description,
		r.Labels,
		r.Environment,
		r.Purpose,
		r.AuthorityRank,
		r.Mode,
		r.AgentID,
		r.AgentGroup,
	}
}

// differences lists what a patch changes. Secrets appear by name alone.
func differences(before, after row, secrets map[string]any) ([]audit.Change, error) {
	changes, err := audit.Diff(before.visible(), after.visible())
	if err != nil {
		return nil, err
	}
	settings, err := audit.Diff(before.Connection, after.Connection)
	if err != nil {
		return nil, err
	}
	for _, c := range settings {
		c.Field = "connection." + c.Field
		changes = append(changes, c)
	}
	if before.Status != after.Status {
		changes = append(changes, audit.Change{Field: "status", From: before.Status, To: after.Status})
	}
	for _, key := range connection.SortedKeys(secrets) {
		if _, was := slices.BinarySearch(before.Keys, key); was || secrets[key] != nil {
			changes = append(changes, audit.Change{Field: "credentials." + key})
		}
	}
	return changes, nil
}
