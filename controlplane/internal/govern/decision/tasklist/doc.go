// Package tasklist reads decision tasks: the list, one task with its history, and counts. It owns no table and writes
// nothing.
//
// The filter assigned selects mine (by name, by delegation or by a role), delegated (tasks that delegates may decide
// for the viewer) or all that the viewer can see.
//
// Package inbox serves what it reads; the dashboard calls CountWaiting.
//
// Example: Summarize with mine counts 12 open tasks, 2 of them overdue, by kind, by age and by group_key.
package tasklist
