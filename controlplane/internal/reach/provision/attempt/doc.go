// Package attempt sends one task to its target, and judges the answer.
//
// A Job is a task with the records that it is about. A Caller sends jobs of one connector; Send looks first where an
// earlier attempt may have made the change, sends it, and gives an Outcome: the state of the task from now on, whether
// the change may have been made, when it is tried again, and advice for people.
//
//	files: job.go, send.go, shown.go (whether what was read is what was asked for), judge.go (what follows from an
//	answer), outcome.go, target.go (the interfaces of targets)
//
// The package knows no database and owns no table: the package settle writes outcomes. It is called by the package
// lane, by dry runs of the package order, and by the package upkeep, which reads back.
//
//	c := &attempt.Caller{Dispatch: dispatcher, Opened: opened, Log: log, Limit: 30 * time.Second}
//	o := c.Send(ctx, job)
//	// o.State is task.Done, task.Verifying, task.Retrying, task.Failed, task.Manual, task.Simulated or task.Queued
package attempt
