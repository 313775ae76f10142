// Package username knows which user names of a connector's accounts are taken: those of all accounts that it has, has
// had, or is to get.
//
// It reads account and provisioning_task, and writes nothing. It is called where accounts are computed from a template:
// by the packages shape, planner and drift.
//
//	names := username.NewNames(ctx, tx, connectorID)
//	names.Taken("jdoe") // asks the database, once for each name; see Err
package username
