// Package connectors opens the connectors of this build. The catalog describes connector types; this package
// is the one place that knows their implementations, so that a package that only needs a description does not
// import them.
//
// Callers are the agent and the control plane's composition root, which keep one connector for each type:
//
//	for _, t := range catalog.Types() {
//		opened[t], err = connectors.Open(env, t)
//	}
package connectors

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/remote"
	"github.com/grantwright/grantwright/connectorkit/rest"
	"github.com/grantwright/grantwright/connectorkit/scim"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var constructors = map[string]func(connectorkit.Env) connectorkit.Connector{
	catalog.SCIM2:  scim.New,
	catalog.LDAP:   ldap.New,
	catalog.REST:   rest.New,
	catalog.Custom: remote.New,
}

// Open makes the connector of a type. It takes settings under all their names. Keep one value for each type
// and Env for the life of the process: it holds OAuth2 tokens and rate budgets. The error is a
// *v1.ErrorDetail of class config and code unknown_connector_type, for a type that is not in catalog.Types.
func Open(env connectorkit.Env, connectorType string) (connectorkit.Connector, error) {
	construct, ok := constructors[connectorType]
	if !ok {
		return nil, &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "unknown_connector_type",
			Message: fmt.Sprintf("there is no connector type %q here", connectorType),
			Hint:    "An agent that is older than the control plane may not know a new type yet.",
		}
	}
	return catalog.WithAliases(construct(env), connectorType), nil
}
