// Package tasklist reads decision tasks for those who look at them: the list, one task with its history, and counts. It
// owns no table and writes nothing.
//
// Whose tasks are meant is said by assigned: mine (by name, by delegation or by a role), delegated (that others may
// decide for the viewer) or all that the viewer can see.
//
// Package inbox serves what it reads; the dashboard counts by CountWaiting.
//
// Example: Summarize with mine counts 12 open tasks, 2 of them overdue, by kind, by age and by group_key.
package tasklist
