// Package taskview shows provisioning tasks.
//
// It reads provisioning_task and provisioning_attempt: lists of tasks with their filters, one task with its attempts,
// groups of open tasks by cause, the health of a connector, and tasks in words for the people who decide about them. It
// writes nothing. Managers see the tasks of their people, owners those of their entitlements, administrators and
// auditors all.
//
//	files: task.go (the resource), list.go, groups.go, health.go, told.go (for decision tasks), http.go
//
//	d, err := taskview.Find(ctx, tx, taskID)
//	// d.State, d.Attempts, d.Payload without secrets
package taskview
