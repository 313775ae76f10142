// Package call runs calls on the agents whose sockets this process holds: a test, a discovery, a sync, or a change of a
// target system.
//
// A Call has two sides that run in different goroutines. The reader of the agent's connection gives it every frame
// (Take) and never waits: chunks, progress and the result go into a queue with room for all that credit allows. The
// caller's side, an Execution, takes them out, emits each chunk once and in order, and acknowledges it when it is
// stored.
//
//	offered -> running -> ended      (by the agent's result)
//	              |   -> failed      (by the agent's refusal, a restart of it, a newer attempt, silence)
//	              v
//	            lost -> running      (the same agent process has come back in time: Resume)
//	                 -> failed       (it has not, or has said goodbye)
//
// A call of which the agent shows no progress for wire.ProgressTimeout is stuck, unless it waits for its target's rate
// limit. A call that is given up is canceled on the agent too, which has a grace period to end it.
//
// The package has no table. Package hub keeps the calls of each agent (Table) and makes them for package dispatch.
//
// Worked example: a sync of two chunks runs on berlin-1. Chunk 1 is taken, emitted and acknowledged. The connection
// breaks while chunk 2 is stored: Lose. Berlin-1 is back within ten seconds and asks to resume; it is asked to go on
// with chunk 2, which is then a duplicate and is acknowledged without being emitted again. The result counts two
// chunks, as many as were taken, and Do returns it.
package call
