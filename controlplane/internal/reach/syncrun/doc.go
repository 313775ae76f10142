// Package syncrun reads target systems into the store: it starts runs, works on them, takes in what connectors emit,
// and tells how they get on.
//
// A run is a row. Whoever works on it holds its lease and counts as its current attempt; every write of the work checks
// both, so that two workers can never mix. A chunk is the unit of commit: its records are staged in one transaction,
// with the checkpoint that reaches up to them, and only then is it acknowledged. When all is read, package reconcile
// weighs what would change. What is not held is merged by set-based statements, part by part, each noted in a ledger by
// the transaction that did it; removals follow, and in the last transaction the run ends and the connector's position
// advances. A connector's first load merges behind the reading: there is nothing yet that could be changed or removed.
//
// A run in which two processes have died since it last moved on ends with the error process_died, and its connector is
// quarantined: it waits for a person instead of ending one process after the other. A process that stops hands its runs
// back, which is no death, and runs in which one has died are worked on one at a time, so that the next death is put
// down to the right one. The places of a process are shared between tenants; see fits.
//
// A run whose worker dies is taken over and goes on from what is committed: the checkpoint, the ledger, the evaluation.
// Its counters are the sums over chunks and merged parts, so they come out as if nothing had happened.
//
//	queued -> running -> evaluating -> applying -> succeeded | partial | failed | cancelled
//	   \-> waiting_agent -> running      |   \-> held -> applying | discarded | expired
//	                                     \-> previewed | held
//
// Tables: sync_run, sync_chunk, sync_merge, sync_position, sync_error, stage_*. It also writes, for the rooms that own
// them, identity, identity_source, account, entitlement, entitlement_edge and access_grant: merging is one statement a
// table, not a call a record.
package syncrun
