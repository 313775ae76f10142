// Package admission decides whether an agent that connects is let in, and under which session.
//
// It takes a connection from its first frame: the agent says hello, signs a fresh nonce with its identity key, and the
// connection is entered in agent_session. A token alone admits no agent, since tokens can be copied.
//
//	greeted -> proven -> admitted
//	   |         |  \-> quarantined  (the same identity is in use by another process of an agent)
//	   \---------\----> refused      (too old, unknown, disabled, revoked, without its key, another agent's token)
//
// A newer connection of the same start of an agent on the same machine replaces the older one at once. Any other one
// does so only when the older connection no longer answers a ping, in whichever process its socket is: that process
// receives the word probe on agents.PresenceChannel, and its AnswerProbe writes down that the connection lives.
//
// Tables: agent_session (written: one row for each connected agent, with an epoch that grows with each connection) and
// agent (read for the key and the state; written: version, host, connector types, clock skew).
//
// Package hub runs a Service on every websocket of GET /api/v1/agent.
//
// Worked example: berlin-1 is copied with its state to a second machine while it runs. The copy connects with the same
// token and key. Its boot id differs from that of the session in agent_session, and the connection of that session
// answers a ping. The agent is quarantined, agent.clone_detected is recorded with both hosts, and both connections are
// closed with 4410.
package admission
