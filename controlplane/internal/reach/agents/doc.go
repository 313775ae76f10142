// Package agents keeps the agents on customers' sites: who they are, whether they are there, and the calls they run.
//
// A Registry holds their registrations and gives out their tokens. A Hub holds the sockets that are connected to this
// process and lends the dispatcher a proxy connector for each call. An agent's socket lives in one process; a test or a
// discovery asked for in another one travels as a row of agent_task, sealed. A sync never travels: whoever holds the
// socket claims the run.
//
//	pending -> registered <-> online, degraded, draining, offline   (shown: follows from agent_session)
//	registered <-> disabled                                         (by an administrator)
//	registered -> quarantined                                       (the same identity was seen twice; cleared, or enrolled anew)
//	   any -> revoked                                               (for good)
//
// Who comes and goes is recorded as agent.online and agent.offline, at most one pair in five minutes for an agent; one
// that does so more often is flapping. A planned stop with a return within two minutes is no event.
//
// Tables: agent, agent_enrollment, agent_session, agent_task. Channels of NOTIFY: agent_presence, agent_task.
package agents
