package connector

import (
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/tryout"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// saved is a connection to try out, with the row that it was read from.
type savedConnection struct {
	tryout.Call
	row *row // nil when it is not saved
}

func savedCall(tenant string, r row, secrets map[string]any) tryout.Call {
	o := r.open(tenant, secrets)
	return tryout.Call{
		SavedID:    r.ID,
		Purpose:    r.Purpose,
		BusinessID: r.BusinessID,
		Target:     o.Target,
		Connection: r.Connection,
		Auth:       o.Auth,
		Scrub:      tryout.Scrubber(secrets),
	}
}

// unsavedCall goes under an id of its own, so that nothing which is kept by connector mixes with another's.
func unsavedCall(tenant string, s connection.Settings) tryout.Call {
	secrets := connection.Given(s.Credentials)
	engine, auth := catalog.Resolve(s.Key(), connection.Together(connection.Given(s.Connection), secrets))
	return tryout.Call{
		BusinessID: "unsaved",
		Connection: connection.Given(s.Connection),
		Auth:       auth,
		Scrub:      tryout.Scrubber(secrets),
		Target: dispatch.Target{
			Tenant:      tenant,
			ConnectorID: uuid.NewString(),
			Type:        engine,
			Mode:        s.Mode,
			AgentID:     s.AgentID,
			AgentGroup:  s.AgentGroup,
		},
	}
}
