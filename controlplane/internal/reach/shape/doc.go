// Package shape says how a connector writes: what becomes of a person when they get an account in a target system,
// under which name, and within which bounds changes are made. Templates are Python expressions over what is known of
// the person; making an account of one is a pure function, so that it can be shown before it is done.
//
//	writing    the rules apart from the template: write mode, deprovisioning, drift, circuit breaker
//	username   which user names are taken
//	romanize   names in the letters of ASCII
//	container  rules about the containers of directories
//
// The package owns connector_provisioning, but for the breaker's columns. It is called by the planner of provisioning,
// by the comparison of accounts with their template, and by its routes.
//
//	config := configs[connectorID] // of Load
//	account, credential, err := config.Account(facts, names.Taken)
//	// err, an *Unmakable, names every attribute that cannot be made, and why
package shape
