package ldap

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
)

type connector struct{ env connectorkit.Env }

// New makes the LDAP connector. It keeps nothing between calls.
func New(env connectorkit.Env) connectorkit.Connector {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Log == nil {
		env.Log = slog.New(slog.DiscardHandler)
	}
	return &connector{env: env}
}
