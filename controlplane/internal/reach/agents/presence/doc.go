// Package presence keeps in the database which agents are connected, and records who comes and goes.
//
// Every process writes when the agents on its sockets were heard last (Flush, Leave), and cuts off the connections that
// may not stay: of agents that were revoked, disabled, quarantined, enrolled again or deleted, those that were replaced
// in another process, and those of a tenant that is suspended (Check). Any process records departures and returns of
// any agent (Watch), as the events and audit entries agent.online and agent.offline.
//
//	online -> offline    (nothing heard for 90 s; 10 s after its socket was closed; at once after a goodbye)
//	offline -> online    (a connection was admitted)
//
// At most one departure in five minutes is recorded for an agent, and every recorded departure is followed by a
// recorded return; one that comes and goes more often is flapping. A planned stop with a return within two minutes is
// no event, and neither is an absence that began with an outage of the control plane.
//
// Tables: agent_session (one row for each connected agent; presence moves last_seen_at and draining) and agent (what
// the last heartbeat said, and what was recorded last: seen_online, told_online, flapping_since).
//
// Package hub runs the loops of a Service, and calls Leave for each connection that has ended.
//
// Worked example: berlin-1 loses power at 12:00:00. Nothing is heard of it; its session is cut off after the read
// timeout, and Leave lets it count as online for ten more seconds. Watch then finds it offline and publishes
// agent.offline with the cause "silent". It is back at 12:03:00: agent.online. It loses power again at 12:04:00, which
// is within five minutes: nothing is published, and the agent is shown as flapping.
package presence
