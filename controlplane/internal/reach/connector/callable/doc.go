// Package callable has the connector that is ready to be called: where its target is reached, and with which settings
// and secrets.
//
// A Connector is opened by connector.Service for one call, and kept no longer. It prints as its name alone, so that no
// log shows its secrets. Able leaves out of what the connector's code can change what its target was not seen to offer.
//
// The package owns no table. Those who call targets depend on it, not on how connectors are stored: provisioning, syncs
// and previews of accounts.
//
//	res, err := dispatcher.Provision(ctx, opened.Target, v1.ProvisionRequest{AuthConfig: opened.Auth})
package callable
