// Package taskstore writes provisioning tasks: it inserts them, cancels them, and lets them go on.
//
// It owns the rows of provisioning_task as far as their life before and after an attempt is concerned. What an attempt
// makes of a task is written by the package settle. The states of a task:
//
//	blocked ──> queued ──> running ──> done
//	              ^           │├─────> verifying ──> done
//	              │           │└─────> failed ──> queued (retry)
//	              └─ retrying <┘
//	manual: a person makes the change; cancelled: it is not made; simulated: nothing was sent
//
// Insert enters rows and announces them on Channel. Release lets tasks go on that waited for others; Withdraw and
// CancelUnsent cancel what was not sent. A task that a worker has sent in the meantime is ErrOvertaken: whoever planned
// looks again.
//
// It is called by the packages planner, order, settle and upkeep.
//
//	draft := task.Draft{ID: task.NewID(), Operation: task.Disable, Mode: task.ModeAuto}
//	rows := []taskstore.Row{taskstore.RowOf(draft, "")}
//	ids, err := taskstore.Insert(ctx, tx, rows)
package taskstore
