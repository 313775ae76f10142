// Package provision makes what people should hold true in the target systems.
//
// A planner takes the people whose access has changed, compares what they should hold with the accounts and grants that
// are there, and writes the differences down as tasks: one change of one target each. Planning twice gives the same
// tasks once. Workers make the changes: one process at a time is at a connector, any number of processes are at work.
// That a change is about to be sent is written down and committed before it is sent, under a key that stays the same; a
// change with an unknown end is looked up in the target before it is sent again. So nothing is lost, and nothing is
// done twice, whenever a process dies.
//
//	task       vocabulary of tasks, and the table of what follows from their states
//	ability    what may be changed through a connector, and what tasks wait for
//	plan       decides what has to change for a person
//	planner    reads people, writes plans
//	taskstore  inserts, cancels and releases tasks
//	order      changes that people and rules ask for
//	attempt    sends one task, and judges the answer
//	lane       the work on one connector
//	settle     what answers and syncs make of tasks, accounts and grants
//	breaker    stops and resumes writing
//	upkeep     what comes with time
//	taskview   lists of tasks, and one task
//	failure    classes of errors, and advice
//	manual     what a person has to do, in words
//
// Service ties them together for a process: it has the routes, the work on the queue, and Run. The package app creates
// it:
//
//	s := &provision.Service{DB: db, Connectors: connectors, Dispatch: dispatcher, Cursors: cursors, Log: log,
//		Now: time.Now}
//	go s.Run(ctx)
package provision
