// Package username finds the user names of a connector that are taken: those of its current, deleted and planned
// accounts.
//
// It reads account and provisioning_task, and writes nothing. It is called where accounts are computed from a template:
// by the packages shape, planner and drift.
//
//	names := username.NewNames(ctx, tx, connectorID)
//	names.Taken("jdoe") // asks the database, once for each name; see Err
package username
