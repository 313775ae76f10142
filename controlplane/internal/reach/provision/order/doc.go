// Package order places changes that people and rules ask for, and carries out what people do with tasks.
//
// An Order is one change of one account. Place checks it against the state of the account and the abilities of the
// connector, takes the place of opposite tasks that were not sent, and writes its task. Retry, Cancel and
// Service.Complete act upon tasks that are there.
//
//	files: order.go (Place), subject.go (what the account allows), conflict.go (open tasks), new_account.go, accept.go
//	(orders of people, dry runs), bulk_disable.go, task_actions.go, retry.go, cancel.go, complete.go, http.go
//
// The package writes tasks through the package taskstore, and new accounts through the package planner. It is called by
// its routes, by decision tasks, and by the comparison of accounts with their template.
//
//	id, err := order.Place(ctx, tx, order.Order{Operation: task.Disable, AccountID: accountID, Note: "lost laptop"})
//	// a fault with the code account_protected, invalid_transition, writes_off or task_open says why not
package order
