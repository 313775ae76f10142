// Package session holds one connection of an agent: its websocket, and what the agent says of itself over it.
//
// A Socket makes a wire.Socket of a websocket. It answers pings, and closes the connection of an agent from which
// nothing is received. A Session is made of a socket once package admission has let its agent in. It takes the agent's
// heartbeats, passes the frames of calls to Calls, and knows which calls the agent can take.
//
//	open -> cut off -> ended
//
// A session is cut off when it may not stay (Uphold, by the row of its agent) or is replaced. What still comes over it
// then does not count, and it takes no calls. It has ended when Serve returns.
//
// The package reads and writes no table. Package presence writes what a Report says to agent and agent_session, package
// call sends offers over a session, package hub keeps one session for each agent that is connected to this process.
//
// Worked example: berlin-1 has been admitted. Serve reads a heartbeat that says "draining": the session answers it and
// no longer Suits any target. An administrator revokes the agent; Uphold finds the state revoked and cuts the session
// off with close code 4403, and Serve returns.
package session
