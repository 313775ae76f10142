package admission

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit/network"
)

// How many requests one process works on at once.
const (
	usualPlaces = 512 // unless the configuration has another number
	keptPlaces  = 64  // more, for what must work while everything else is too much
	freePlaces  = 128 // of requests without a token
	freeFromOne = 64  // of these, for one network
)

// Places counts the requests that a process works on, and refuses those beyond their number, so that the others are
// answered in time. Requests without a token have places of their own: a flood of sign-ins does not slow the API down,
// and load on the API does not keep users from signing in. Requests that wait for target systems or agents are counted
// separately.
type Places struct {
	Most int // requests worked on at once, and requests that wait; 0: 512 of each

	known, unknown, waiting atomic.Int64
	fromOne                 tally        // of the unknown ones, by network
	shedAt                  atomic.Int64 // when a request was last turned away, in nanoseconds
}

// Enter gives a request with a token a place, or the fault for which there is none. leave gives the place up; more than
// once is harmless. It is never nil.
func (p *Places) Enter() (leave func(), err error) {
	return p.take(&p.known, p.most(), netip.Prefix{})
}

// EnterUrgent is Enter for what must work while everything else is too much.
func (p *Places) EnterUrgent() (leave func(), err error) {
	return p.take(&p.known, p.most()+keptPlaces, netip.Prefix{})
}

// EnterUnknown is Enter for a request without a token, from a network address.
func (p *Places) EnterUnknown(address string) (leave func(), err error) {
	from := network.Of(address)
	if !p.fromOne.take(from, freeFromOne) {
		return func() {}, overloaded(
			"too many requests without a token come from your network at once; try again in a moment",
		)
	}
	return p.take(&p.unknown, freePlaces, from)
}

func (p *Places) take(taken *atomic.Int64, may int64, from netip.Prefix) (leave func(), err error) {
	if taken.Add(1) > may {
		taken.Add(-1)
		p.fromOne.give(from)
		p.shedAt.Store(time.Now().UnixNano())
		return func() {}, overloaded("too much is asked at once; try again in a moment")
	}
	return sync.OnceFunc(func() { taken.Add(-1); p.fromOne.give(from) }), nil
}

// Wait counts a request that waits for a target system or an agent, or refuses it when too many do. leave must be
// called once, whatever err is.
func (p *Places) Wait() (leave func(), err error) {
	if p.waiting.Add(1) > p.most() {
		err = overloaded("too many requests wait for targets and agents; try again in a moment")
	}
	return func() { p.waiting.Add(-1) }, err
}

// Shedding reports whether Enter, EnterUrgent or EnterUnknown has refused a request for lack of a place within the
// last five seconds.
func (p *Places) Shedding() bool {
	return time.Since(time.Unix(0, p.shedAt.Load())) < 5*time.Second
}

func (p *Places) most() int64 {
	if p.Most > 0 {
		return int64(p.Most)
	}
	return usualPlaces
}

// overloaded sends requests away for a moment, each for another one, so that they do not come back together.
func overloaded(why string) error {
	f := fault.Coded(fault.Unavailable, "temporarily_overloaded", "%s", why)
	f.RetryAfter = time.Duration(1+rand.IntN(5)) * time.Second
	return f
}
