// Package registry keeps the registrations of agents: invitations, keys, tokens, and the states that administrators
// set.
//
// It owns the tables agent and agent_enrollment, the paths under /settings/agents, and those by which agents register
// and renew their tokens. An enrollment token is for one key and ends after a while. A token is bound to the agent's
// identity key and renewed by proof of it; each renewal counts a counter up, so that a copy of an agent is found out
// by a counter that was seen before.
//
//	POST /settings/agents {"name": "berlin-1"}   the invitation, with its token, is shown once
//	POST /agent/register, by the agent           it is registered, and has a token
//
// Package app serves its routes and authenticates agents by it; package hub takes connections of registered agents
// alone.
package registry
