// Package agents has what the packages of agents share: the agent, its identity, and how both are stored.
//
// An agent runs connectors on a customer's site. Package registry registers agents, gives out their tokens, and lets
// administrators change them. Of the agents that are connected, package admission lets them in, session is a connection
// and call a call over it, presence says who is there, and relay passes calls on between processes; package hub puts
// these together and lends the dispatcher a connector for each call.
//
//	pending -> registered <-> online, degraded, draining, offline   (shown: follows from agent_session)
//	registered <-> disabled                                         (by an administrator)
//	registered -> quarantined   (the same identity was seen twice; cleared, or enrolled anew)
//	   any -> revoked                                               (for good)
//
// Tables: agent, agent_enrollment, agent_session, agent_task. Channels of NOTIFY: agent_presence, agent_task.
//
// An administrator invites the agent berlin-1 (pending); its host registers with the token and a key of its own
// (registered), connects (online), and is copied to a second host, whose connection shows the same identity: the agent
// is quarantined.
package agents
