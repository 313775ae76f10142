// Package inbox decides tasks and serves /decision-tasks: claims, decisions at once, in bulk or deferred, undo,
// reassignment, escalation, comments and delegations.
//
// It owns the table decision_leaver (people whose tasks others must decide); the tasks themselves are package
// decision's. A decision takes effect when the Answer of the task's kind accepts it. With a time to undo, the Answer is
// tried and rolled back first, and Run applies the decision when that time has passed.
//
// Run also turns delegations on and off, and replaces assignees who have left or can no longer sign in.
//
// Package app sets Answers; packages that take decisions by paths of their own call Decide.
//
// Example: POST /decision-tasks/{id}/decide with defer_seconds 60 answers at once with apply_at. Within a minute
// .../undo opens the task again; otherwise Run tells the package that asked.
package inbox
