package app_test

import (
	implementations "github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/controlplane/internal/app"
)

// testConfig is the configuration that the program begins with.
func testConfig() app.Config {
	c := app.DefaultConfig()
	c.OpenConnector = implementations.Open
	return c
}
