// Package hub holds the sockets of the agents that are connected to this process, and runs calls on them.
//
// It lends the dispatcher a proxy connector for each call. An agent's socket lives in one process; a test, a discovery
// or a change asked for in another one travels as a row of agent_task, sealed. A sync never travels: the process that
// holds the socket claims the run. A call outlives its connection for a while: an agent that reconnects in time goes
// on with it, and each chunk is emitted once.
//
// Who comes and goes is recorded as agent.online and agent.offline, at most one pair in five minutes for an agent; one
// that does so more often is flapping. A planned stop with a return within two minutes is no event.
//
// Tables: agent_session (one row for each connected agent) and agent_task:
//
//	waiting -> running -> done
//
// The connector c runs on berlin-1, whose socket is in process B. A test asked of process A becomes a row; B claims
// it, has the agent run it, and writes the answer, on which A waits.
//
// Package app runs one Hub for each process; package dispatch asks it for connectors, package worker of syncrun
// whether it Serves a target.
package hub
