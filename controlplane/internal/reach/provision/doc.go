// Package provision makes what people should hold true in the target systems.
//
// A planner takes the people whose access has changed, compares what they should hold with the accounts and grants that
// are there, and writes the differences down as tasks: one change of one target each. Planning twice gives the same
// tasks once. Workers make the changes: one process at a time is at a connector, any number of processes are at work.
// That a change is about to be sent is written down and committed before it is sent, under a key that stays the same; a
// change whose end nobody saw is looked up in the target before it is sent again. So nothing is lost, and nothing is
// done twice, whenever a process dies.
package provision
