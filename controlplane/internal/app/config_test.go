package app_test

import (
	implementations "github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
)

// testConfig is the configuration that the program begins with.
func testConfig() config.Config {
	c := config.DefaultConfig()
	c.OpenConnector = implementations.Open
	return c
}
