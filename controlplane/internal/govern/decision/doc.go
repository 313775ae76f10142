// Package decision has the decision tasks of the inbox: every decision that the product needs from a person is a task
// of one shape, whichever package asks.
//
// It owns the tables decision_task, decision_assignee and decision_event. A task is open or claimed until it is
// decided, expired, cancelled or superseded:
//
//	open ⇄ claimed → decided → (undone: open)
//	open, claimed → expired, cancelled, superseded
//
// A package that needs a decision calls Ask in its own transaction, and Close when none is needed any more. It gives
// inbox.Service an Answer for its kinds of task, which is called in the transaction that decides. The package that asks
// rules what may be answered; this package rules who may answer (permission.go): assignees, roles, delegates, and never
// a person about their own access.
//
// Packages beside it: inbox decides, reassigns and applies, and serves /decision-tasks; tasklist reads; delegation
// keeps who decides for whom, and delegate answers that for an instant; colleague finds people to hand a task to.
//
// Example: a chain calls Ask with the kind request_approval and a manager as the assignee. The manager has delegated
// to a deputy, so the task has both. The deputy approves; the Answer of the kind is called with the decision, and the
// task is decided.
//
// A function that takes a transaction joins it.
package decision
