// Package kind has what all decision tasks of package decisionkind have in common: the conditions that need a decision,
// asking and closing tasks about them, and carrying decisions out. It owns the table decision_kept, in which people
// have decided that something stays as it is for a while.
//
// A condition is an SQL query of ids (Needed). Look compares it with the inbox, so that it can be called any number of
// times: what is needed and not asked is asked, what is asked and not needed is closed. EnqueueDifferences finds by the
// same comparison what no trigger has enqueued.
//
// A decision is carried out in a savepoint, on behalf of who made it and with the same checks as the path of its own.
//
// Package decisionkind and the packages beside this one define kinds.
//
// Example: Needed of sync_hold are the runs with the status held. A run is held, so Look asks; an administrator
// releases it by the path of sync runs, so the next Look closes the task with "what was held has been released".
package kind
