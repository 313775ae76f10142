// Package ability says what may be changed through a connector, and what keeps tasks from being sent.
//
// Read gives an Ability for each connector: its write mode, the operations that its settings and its target allow, and
// which of them a person has to make by hand. FindWaiting says why nothing is sent at present: the tenant's switch, the
// write mode, the state of the connector, the circuit breaker, or a target that does not answer.
//
// The package reads connector, connector_provisioning, provisioning_lane and provisioning_switch, and writes nothing.
// All packages of provisioning use it.
//
//	can, err := ability.Read(ctx, tx, []string{connectorID})
//	can[connectorID].May(task.Disable)
package ability
