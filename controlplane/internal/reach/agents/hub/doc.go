// Package hub holds the sockets of the agents that are connected to this process, and lends the dispatcher a connector
// for each call.
//
// It puts the packages of connected agents together: admission lets an agent in, session is its connection, call runs a
// call over it, presence keeps the database up to date, relay passes calls on between processes. The hub itself keeps
// one session for each agent and its calls, and chooses the agent for a target.
//
//	connected -> away     (its socket is gone; its calls wait for it to come back)
//	away -> connected     (it has reconnected in time, and goes on with its calls)
//	away -> forgotten     (when its last call has ended)
//
// A newer connection of an agent closes the older one. When the process stops, every agent is asked to connect again,
// to whichever process it then meets.
//
// The package writes no table; it reads agent, agent_session and, for the agent that ended a connector's last sync
// well, sync_run.
//
// Package app runs one Hub for each process; package dispatch asks it for connectors, package worker of syncrun whether
// it Serves a target.
//
// Worked example: two agents of the group dc are connected. A sync of the connector c goes to the less busy one, say
// berlin-1. Its next sync goes to berlin-1 again, since positions in a directory may belong to one of its servers. When
// berlin-1 drains, the other agent gets it.
package hub
