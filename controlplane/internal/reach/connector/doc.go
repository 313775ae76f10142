// Package connector keeps connector instances: which target systems a tenant is connected to, where each is reached
// from, and with which settings and secrets. Reading them is the work of package syncrun.
//
// Secrets go in and never come out: they are sealed as one JSON object (package seal), opened only for a call to the
// target, and shown as set or not.
//
//	callable        a connector that is ready to be called
//	connection      settings, and the rules that they must meet
//	tryout          tests, discovery and samples
//	connectorstate  the status after syncs
//	deletion        what a deletion takes out of use
//	summary         what a list shows beside connectors
//
// The package owns the table connector, but for the columns of its parts. Service creates, changes, opens, tries out
// and deletes connectors; syncs, provisioning and the wizard open them through it.
//
//	opened, err := service.Open(ctx, tx, connectorID)
//	// a fault of kind Conflict when it is a draft that lacks settings
package connector
