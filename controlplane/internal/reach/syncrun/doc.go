// Package syncrun starts and cancels sync runs, and answers for them: the resource, its states, its paths and its
// progress.
//
// A run is one execution of a connector's sync, and a row of sync_run. The packages below do the work, each a step of
// it: worker takes runs and leads them through their states, by package lease; staging stores what the connector
// emits; proof decides what was read to its end; merge writes the staged records into the store; conclusion draws
// removals, managers, owners and inherited grants from them; position remembers where the next reading of changes
// begins; callback reports the progress. Package reconcile weighs what a run would change before it is merged, and
// holds what is too much.
//
//	queued -> running -> evaluating -> applying -> succeeded | partial | failed | cancelled
//	   \-> waiting_agent -> running      |   \-> held -> applying | discarded | expired
//	                                     \-> previewed | held
//
// Tables: sync_run and sync_error are read here; the packages below write them. An administrator's full sync of the
// connector c goes like this: Service.Start inserts a queued run and notifies Channel; the worker of some process
// takes it, so that it is running, and stages three chunks; it is evaluating while its changes are weighed, applying
// while they are merged, and ends as succeeded with, say, 120 identities read and one account missing.
//
// Callers: packages schedule and onboard call Start and Enter, tenants' deletion CancelAll, and the pausing of a
// connector CancelOf.
package syncrun
