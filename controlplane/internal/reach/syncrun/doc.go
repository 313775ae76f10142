// Package syncrun reads target systems into the store: it starts runs, works on them, takes in what connectors emit, and tells
// how they get on.
//
// A run is a row. Whoever works on it holds its lease and counts as its current attempt; every write of the work checks both,
// so that two workers can never mix. A chunk is the unit of commit: its records are staged in one transaction, and only then
// is it acknowledged. What is staged becomes true by set-based merges, behind the reading on the first load of a connector and
// after it otherwise. A run that dies is taken over by the next process and reads again; what was merged is simply found
// unchanged.
//
//	queued -> running -> applying -> succeeded | partial | failed | cancelled
//	   \-> waiting_agent -> running
//
// Tables: sync_run, sync_chunk, sync_error, stage_*. It also writes, for the rooms that own them, identity, identity_source,
// account, entitlement, entitlement_edge and access_grant: merging is one statement a table, not a call a record.
package syncrun
