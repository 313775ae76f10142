package queue

import (
	"math/rand/v2"
	"time"
)

// place is a kind of work in a tenant.
type place struct {
	Tenant string
	Kind   string
}

// state is what the agenda knows of a place.
type state struct {
	due     bool
	urgent  bool
	running bool
	served  uint64    // number of the last pass
	wait    time.Time // not before: passes have failed
	fails   int
}

// agenda decides who gets the next pass of this process. It knows no database and no clock.
type agenda struct {
	places map[place]*state
	passes uint64

	// Numbers of each tenant's last pass, of those that prefer urgent work and of the others: a tenant that is often
	// served for its urgent work shall not wait for longer with the rest.
	urgent, even map[string]uint64
}

func newAgenda() *agenda {
	return &agenda{places: map[place]*state{}, urgent: map[string]uint64{}, even: map[string]uint64{}}
}

// due notes the places that have work now, in place of those that were known to. Places where a pass runs stay as they
// are, and so do those of early kinds, whose dates were not read.
func (a *agenda) due(found map[place]bool, early map[string]bool, now time.Time) {
	for p, s := range a.places {
		if _, is := found[p]; is || s.running || early[p.Kind] {
			continue
		}
		s.due = false
		if !now.Before(s.wait) {
			delete(a.places, p)
		}
	}
	for p, urgent := range found {
		s := a.places[p]
		if s == nil {
			s = &state{}
			a.places[p] = s
		}
		s.due, s.urgent = true, urgent
	}
	if len(a.places) == 0 {
		clear(a.urgent)
		clear(a.even)
	}
}

// next gives the place of the next pass. The tenant whose last pass is longest ago is served first, and within it the
// kind whose last pass is longest ago. Two of three passes prefer urgent work.
func (a *agenda) next(now time.Time) (place, bool) {
	var best place
	var found *state
	hurry, tenants := true, a.urgent
	if a.passes%3 == 2 {
		hurry, tenants = false, a.even
	}
	for p, s := range a.places {
		if !s.due || s.running || now.Before(s.wait) {
			continue
		}
		if found == nil || before(p, s, best, found, hurry, tenants) {
			best, found = p, s
		}
	}
	if found == nil {
		return place{}, false
	}
	a.passes++
	found.running, found.due, found.served = true, false, a.passes
	tenants[best.Tenant] = a.passes
	return best, true
}

func before(p place, s *state, q place, t *state, hurry bool, tenants map[string]uint64) bool {
	if hurry && s.urgent != t.urgent {
		return s.urgent
	}
	if x, y := tenants[p.Tenant], tenants[q.Tenant]; x != y {
		return x < y
	}
	return s.served < t.served
}

// done ends a pass. more says that the place has more work. After a pass that failed it waits, for longer each time.
func (a *agenda) done(p place, more, failed bool, now time.Time) {
	s := a.places[p]
	s.running = false
	if !failed {
		s.fails, s.wait = 0, time.Time{}
		s.due = s.due || more
		return
	}
	s.fails = min(s.fails+1, 6)
	d := time.Second << (s.fails - 1)
	s.wait = now.Add(d - d/8 + rand.N(d/4))
	s.due = true
}
