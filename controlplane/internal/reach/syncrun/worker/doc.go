// Package worker works on sync runs: it takes them, reads the connector, has what was read weighed and merged, and
// ends them.
//
// A chunk is the unit of commit: its records are staged in one transaction, with the checkpoint that reaches up to
// them, and only then is it acknowledged. When all is read, package reconcile weighs what would change. What is not
// held is merged part by part, each noted in a ledger (sync_merge) by the transaction that did it; removals follow,
// and in the last transaction the run ends and the connector's position advances. A connector's first load merges
// behind the reading: there is nothing yet that could be changed or removed.
//
// A run whose worker dies is taken over and goes on from what is committed: the checkpoint, the ledger, the
// evaluation. Its counters are the sums over chunks and merged parts, so they come out as if nothing had happened. A
// run in which two processes have died since it last moved on ends with the error process_died, and its connector is
// quarantined: it waits for a person instead of ending one process after the other. Runs in which one has died are
// worked on one at a time, so that the next death is put down to the right one.
//
// The places of a process are shared between tenants: a tenant that has some gets another only while more are free
// than it has. With eight places and one tenant that starts twenty runs, four of them run at once, and a second
// tenant's run begins at once.
//
// Tables: sync_run (by package lease), sync_chunk, sync_merge. Package app runs one Service per process; package
// reconcile wakes it when held changes are released.
package worker
