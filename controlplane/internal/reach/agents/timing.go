package agents

import (
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
)

// Timing is how often the packages of connected agents act, and how long they wait. The zero value is not usable; see
// DefaultTiming.
type Timing struct {
	Hello      time.Duration // from the handshake to the hello, and from the challenge to the proof
	Ping       time.Duration // between pings
	Silent     time.Duration // nothing heard for so long: the socket is dead
	Heartbeat  time.Duration // no heartbeat for so long: the agent hangs, whatever its socket still answers
	Offline    time.Duration // nothing heard for so long: the agent is shown as offline
	Lapse      time.Duration // a closed socket's calls and presence last so long
	Grace      time.Duration // for a canceled call to end by itself
	Probe      time.Duration // for an old connection to prove that it lives
	Check      time.Duration // between checks whether connections may stay
	Flush      time.Duration // between writes of who was heard
	Poll       time.Duration // between looks for calls, should a notification be lost
	Claim      time.Duration // for another process to claim a call
	Call       time.Duration // for a call through another process, when its caller sets no deadline
	Progress   time.Duration // without a sign of progress: the call is stuck
	Drain      time.Duration // for sockets to close when the process stops
	Watch      time.Duration // between looks who has come and gone
	Return     time.Duration // for an agent that left with notice to be back; for all, after this process has started
	Departures time.Duration // between two recorded departures of one agent
}

// DefaultTiming is the timing of production. What agents see of it is part of the protocol, package wire.
func DefaultTiming() Timing {
	return Timing{
		Hello:      10 * time.Second,
		Ping:       wire.PingInterval,
		Silent:     wire.ReadTimeout,
		Heartbeat:  wire.OfflineAfter,
		Offline:    wire.OfflineAfter,
		Lapse:      wire.LeaseLapse,
		Grace:      wire.CancelGrace,
		Probe:      5 * time.Second,
		Check:      3 * time.Second,
		Flush:      10 * time.Second,
		Poll:       time.Second,
		Claim:      5 * time.Second,
		Call:       2 * time.Minute,
		Progress:   wire.ProgressTimeout,
		Drain:      5 * time.Second,
		Watch:      5 * time.Second,
		Return:     2 * time.Minute,
		Departures: 5 * time.Minute,
	}
}
