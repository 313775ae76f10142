package connector

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
)

// release says whether a change has the stored secrets go along to another place, and which settings make it another.
type release struct {
	moved []string
}

// askAgain refuses to send secrets anywhere else than where they were meant for: when the target's address, the check
// of its certificate or the agent changes, each secret that is set must be given again or cleared, or be released by a
// person.
func askAgain(v viewer.Viewer, before, after row, secrets map[string]any, p ConnectorPatch) (release, error) {
	changed := connection.MovedBy(before.resolved(), after.resolved())
	for i, name := range changed {
		changed[i] = catalog.Feeds(after.key(), name)
	}
	changed = slices.Compact(append(changed, reachedBy(before, after)...))
	var kept []fault.Field
	for _, key := range connection.SortedKeys(secrets) {
		if _, there := p.Credentials[key]; !there {
			kept = append(
				kept,
				fault.Field{
					Pointer: "#/credentials/" + connection.Escape(key),
					Code:    "credentials_required",
					Detail:  "give it again, or null to clear it",
				},
			)
		}
	}
	switch {
	case len(changed) == 0 || len(kept) == 0:
		return release{}, nil
	case p.ReleaseCredentials && v.Kind == viewer.User:
		return release{moved: changed}, nil
	case p.ReleaseCredentials:
		return release{}, fault.New(fault.Forbidden, "A service token cannot release stored credentials; an "+
			"administrator who has signed in can.").
			With(fault.Field{Pointer: "#/release_credentials", Code: "forbidden",
				Detail: "leave it out and give the credentials again"})
	}
	return release{}, fault.Coded(
		fault.Invalid,
		"credentials_required",
		"This changes where the connector's credentials are sent (%s). Give them again, or release the stored ones "+
			"with release_credentials.",
		strings.Join(changed, ", "),
	).With(kept...)
}

// reachedBy names the members by which other hosts than before get the secrets.
func reachedBy(before, after row) (changed []string) {
	if before.Mode != after.Mode {
		changed = append(changed, "mode")
	}
	if connection.TextOf(before.AgentID) != connection.TextOf(after.AgentID) {
		changed = append(changed, "agent_id")
	}
	if connection.TextOf(before.AgentGroup) != connection.TextOf(after.AgentGroup) {
		changed = append(changed, "agent_group")
	}
	return changed
}
