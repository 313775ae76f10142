// Package wire holds the frames that the control plane and an agent exchange over one websocket at GET /api/v1/agent,
// subprotocol grantwright.agent.v1: JSON text frames, one envelope a message.
//
// The specification names the connector envelopes and leaves the carriage open; this package is that carriage. It is
// pure: no socket, no clock of its own, so that both ends share one state machine and its tests need no network.
package wire
