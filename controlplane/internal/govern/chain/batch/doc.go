// Package batch gathers what one transaction changes of chains and their tasks, and carries it out at the end. It owns
// no table.
//
// A task that somebody decides at this very moment is never waited for, since they wait for the chain: closing it is
// left to the next look at the chain, and changing its assignees fails with ErrBusy.
//
// Package chain embeds a Batch in its work.
//
// Example: an approval ends the tasks of two other approvers and opens the next stage. Commit closes the two, writes
// the chain, asks the new task, and adds to the histories and the audit log.
package batch
