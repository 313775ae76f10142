package connector

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// row is what the payload stores under an id. The defaults of absent members are filled in.
func (n *NewConnector) row(id string) row {
	n.Settings.defaults()
	r := row{Connector: Connector{
		ID:          id,
		BusinessID:  n.BusinessID,
		Name:        strings.TrimSpace(n.Name),
		Description: n.Description,
		Type:        n.Type,
		VendorKey:   optional(n.VendorKey),
		Mode:        n.Mode,
		AgentID:     optional(n.AgentID),
		AgentGroup:  optional(n.AgentGroup),
		Environment: or(n.Environment, "production"),
		Purpose: or(
			n.Purpose,
			"both",
		),
		AuthorityRank: 100,
		Connection:    given(n.Connection),
		Labels:        n.Labels,
		Status:        statusReady,
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

func (s *Settings) defaults() { s.Mode = or(s.Mode, dispatch.Hosted) }

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func optional(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// settings are the row's, with its secrets.
func (r row) settings(secrets map[string]any) Settings {
	return Settings{
		Type:        r.Type,
		VendorKey:   text(r.VendorKey),
		Mode:        r.Mode,
		AgentID:     text(r.AgentID),
		AgentGroup:  text(r.AgentGroup),
		Connection:  r.Connection,
		Credentials: secrets,
	}
}

// given leaves out what is null: in a new object it means the same as absence.
func given(object map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range object {
		if value != nil {
			out[key] = value
		}
	}
	return out
}

// together is the auth_config of the protocol.
func together(connection, credentials map[string]any) v1.AuthConfig {
	auth := v1.AuthConfig{}
	maps.Copy(auth, connection)
	maps.Copy(auth, credentials)
	return auth
}

func sortedKeys[V any](object map[string]V) []string {
	keys := slices.Sorted(maps.Keys(object))
	if keys == nil {
		return []string{}
	}
	return keys
}

// merged is what secrets become: those given replace, null clears, absent ones stay. A secret is replaced whole.
func merged(secrets, patch map[string]any) map[string]any {
	out := maps.Clone(secrets)
	maps.Copy(out, patch)
	return given(out)
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
	case text(p.AgentID) != "" && text(p.AgentGroup) != "":
		r.AgentID, r.AgentGroup = p.AgentID, p.AgentGroup // the rules will say that it must be one
	case text(p.AgentID) != "":
		r.AgentID, r.AgentGroup = p.AgentID, nil
	case text(p.AgentGroup) != "":
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

// differences tells what a patch changes. Secrets appear by name alone.
func differences(before, after row, secrets map[string]any) ([]audit.Change, error) {
	changes, err := mergepatch.Diff(before.visible(), after.visible())
	if err != nil {
		return nil, err
	}
	settings, err := mergepatch.Diff(before.Connection, after.Connection)
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
	for _, key := range sortedKeys(secrets) {
		if _, was := slices.BinarySearch(before.Keys, key); was || secrets[key] != nil {
			changes = append(changes, audit.Change{Field: "credentials." + key})
		}
	}
	return changes, nil
}
