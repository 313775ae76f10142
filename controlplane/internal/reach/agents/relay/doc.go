// Package relay passes calls to agents whose sockets another process of the control plane holds.
//
// An agent's socket lives in one process. A test, a discovery, a read or a change that is asked for in another one
// travels as a row of agent_task, request and result sealed. A sync never travels: the process that holds the socket
// claims the run.
//
//	waiting -> running -> done    (read and deleted by the process that asked)
//	   |          |
//	   \----------\----> deleted  (given up: the working process stops the call; or left over after its deadline)
//
// A row that no process claims within five seconds fails its call as agent_offline: the process that held the socket is
// gone. Processes notify each other with the words offered, done and cancelled on agents.TaskChannel, and look for
// themselves every second should one be lost.
//
// Table: agent_task.
//
// Package hub makes a Remote for package dispatch where the agent is connected elsewhere, calls Claim for rows of
// others, and passes notifications on (Claim, Done, Cancel).
//
// Worked example: the connector c runs on berlin-1, whose socket is in process B. A test asked of process A becomes a
// row, which A announces as offered. B claims it, has berlin-1 run it through Local, and writes the answer. A receives
// done, decrypts the answer, and deletes the row.
package relay
