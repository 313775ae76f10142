// Package settle writes what became of changes: what targets answered, and what syncs have shown.
//
// Attempts writes the outcomes of attempts into provisioning_task and provisioning_attempt, into the accounts and
// grants that they are about, and lets tasks go on that waited. The other functions draw conclusions from what syncs
// have read: Verify for changes that were not seen yet, Appeared for accounts that were created without an answer,
// Fulfilled for tasks that were done elsewhere, Outdated and Expire for tasks of which nothing can come.
//
//	files: attempt.go (outcomes to tasks), account.go (outcomes to accounts and grants), confirm.go (reading back),
//	evidence.go and outdated.go (syncs), audit.go
//
// It is called by the package lane after each batch of changes, and by the package upkeep every 15 seconds.
//
//	written, err := settle.Attempts(ctx, tx, connectorID, process, now, outcomes)
//	// outcomes of tasks that another process has taken over are not among those written
package settle
