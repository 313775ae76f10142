// Package connectorstate keeps the status of connectors.
//
// The states of a connector, of which a sync run changes those on the left:
//
//	draft ──> ready ──> active <──> degraded      three runs failed, one succeeded
//	                      └──> quarantined        the target refuses the sign-in
//	paused, disabled, deleted: what a person chose
//
// Synced notes how a run ended. Quarantine leaves a connector alone until a person clears it. Failing is the condition
// on connectors that a person has to look at.
//
//	files: status.go, sync.go, quarantine.go
//
// The package writes the columns status, status_reason, funnel_state and last_run_id of connector. It is called by
// syncs.
//
//	err := connectorstate.Synced(ctx, tx, connectorID, runID, false, "connection refused")
package connectorstate
