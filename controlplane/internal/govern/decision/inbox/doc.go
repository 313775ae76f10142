// Package inbox decides tasks and serves /decision-tasks: claims, decisions at once, in bulk or deferred, undo,
// reassignment, escalation, comments and delegations.
//
// It owns no table: the tasks are package decision's. A decision takes effect when the Answer of the task's kind
// accepts it. With a time to undo, the Answer is tried and rolled back first, and the work queue applies the
// decision when that time has passed.
//
// Kinds are the work of this package on the queue: it applies decisions, begins and ends delegations on their dates,
// and replaces assignees who have left or can no longer sign in. Triggers enqueue those, and the job of Jobs finds
// those whom no trigger could see.
//
// Package app sets Answers; packages that take decisions by paths of their own call Decide.
//
// Example: POST /decision-tasks/{id}/decide with defer_seconds 60 answers at once with apply_at. Within a minute
// .../undo opens the task again; otherwise the work queue calls the package that created the task.
package inbox
