// Package task has the vocabulary of provisioning tasks, and the table of what follows from their states.
//
// A task is one change of one target system: its operation, its state, its lane, the mode in which it is done, and
// what it carries (Payload). Draft is a task that is about to be written down, Open one that has not ended. moves.go
// is the one place that says what follows from how a task, a grant or an account stands: GrantFacts.Next and
// AccountFacts.Next give the moves, for example Cancel and Keep for a revocation that was not sent of a grant that is
// wanted again. The planner gathers the facts and carries out the moves; it decides nothing beside them.
//
// The package knows no database and no clock. It owns no table; package provision keeps tasks in provisioning_task.
package task
