// Package upkeep plans and checks provisioning tasks that are due because of time or changed settings.
//
// Keep goes through the tenants every 15 seconds: reasons that begin and end, connectors that write in another way now,
// accounts whose time to be deleted has come, what syncs have shown, leavers whose accounts can still be used, and once
// a day everyone. ReadBack reads the records of changes that were made and not seen, one by one.
//
//	files: keep.go (the steps), mode.go (settings of connectors), overdue.go, visible.go, escalate.go, round.go,
//	readback.go
//
// The package owns provisioning_round. It puts people on the work queue, and changes tasks through the packages settle,
// taskstore and planner. It is called by the package provision in each process; of several, one looks after a tenant at
// a time.
//
//	err := (&upkeep.Service{DB: db, Planner: planner, Now: time.Now}).Keep(ctx)
package upkeep
