package status

import "slices"

// State is where a message stands.
type State string

// The states of a message.
const (
	Queued     State = "queued"
	Sending    State = "sending"
	Sent       State = "sent"
	Deferred   State = "deferred"
	Bounced    State = "bounced"
	Failed     State = "failed"
	Suppressed State = "suppressed"
)

// States are all states, in the order of a message's life.
var States = []State{Queued, Sending, Deferred, Sent, Bounced, Failed, Suppressed}

// Event is what happens to a message.
type Event string

// The events.
const (
	Claimed  Event = "claimed"  // a process takes the lease; also after another one's has run out
	Accepted Event = "accepted" // the server has taken the message
	Retry    Event = "retry"    // the server is away, or says that it may work later
	Rejected Event = "rejected" // the server rejects the address for good
	Refused  Event = "refused"  // the server rejects the message itself for good
	Expired  Event = "expired"  // the message is too old to be sent
	Resent   Event = "resent"   // an administrator sends it again
)

// table has the state that follows. What is absent does not happen.
var table = map[State]map[Event]State{
	Queued:   {Claimed: Sending, Expired: Failed},
	Deferred: {Claimed: Sending, Expired: Failed, Resent: Queued},
	Sending: {
		Claimed:  Sending,
		Accepted: Sent,
		Retry:    Deferred,
		Rejected: Bounced,
		Refused:  Failed,
		Expired:  Failed,
	},
	Bounced:    {Resent: Queued},
	Failed:     {Resent: Queued},
	Suppressed: {Resent: Queued},
	Sent:       {},
}

// Next is the state after an event, and whether the event is possible.
func (s State) Next(e Event) (State, bool) {
	next, possible := table[s][e]
	return next, possible
}

// From lists the states in which an event is possible, for statements of the database.
func From(e Event) []string {
	var out []string
	for _, s := range States {
		if _, possible := table[s][e]; possible {
			out = append(out, string(s))
		}
	}
	return out
}

// Ended reports whether nothing more happens to a message by itself.
func (s State) Ended() bool { return slices.Contains([]State{Sent, Bounced, Failed, Suppressed}, s) }
