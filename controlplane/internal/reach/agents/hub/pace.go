package hub

import (
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
)

// pace is how fast the hub moves. The zero value is not usable; see normal.
type pace struct {
	hello    time.Duration // from the handshake to the hello
	ping     time.Duration
	silent   time.Duration // nothing heard for so long: the socket is dead
	beats    time.Duration // no heartbeat for so long: the agent hangs, whatever its socket still answers
	offline  time.Duration // nothing heard for so long: the agent is shown as offline
	lapse    time.Duration // a closed socket's calls and presence last so long
	grace    time.Duration // for a cancelled call to end by itself
	probe    time.Duration // for an old connection to prove that it lives
	check    time.Duration // between looks whether sockets may stay
	flush    time.Duration // between writes of who was heard
	poll     time.Duration // between looks for calls, should a notification be lost
	claim    time.Duration // for another process to take up a call
	call     time.Duration // for a call through another process, when its caller sets no deadline
	progress time.Duration // without a sign of progress: the call is stuck
	drain    time.Duration // for sockets to close when the process stops
	look     time.Duration // between looks who has come and gone
	back     time.Duration // for an agent that left with notice, and for all after this process has started, to be back
	pair     time.Duration // between two recorded departures of one agent
}

func normal() pace {
	return pace{
		hello:    10 * time.Second,
		ping:     wire.PingInterval,
		silent:   wire.ReadTimeout,
		beats:    wire.OfflineAfter,
		offline:  wire.OfflineAfter,
		lapse:    wire.LeaseLapse,
		grace:    wire.CancelGrace,
		probe:    5 * time.Second,
		check:    3 * time.Second,
		flush:    10 * time.Second,
		poll:     time.Second,
		claim:    5 * time.Second,
		call:     2 * time.Minute,
		progress: wire.ProgressTimeout,
		drain:    5 * time.Second,
		look:     5 * time.Second,
		back:     2 * time.Minute,
		pair:     5 * time.Minute,
	}
}
