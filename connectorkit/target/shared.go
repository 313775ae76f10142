package target

import (
	"context"
	"sync"
	"time"
)

// Sleep waits for d or until ctx ends, and then gives the cause.
type Sleep func(ctx context.Context, d time.Duration) error

func realSleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Shared is what a connector value keeps between calls: OAuth2 tokens, and the rate budgets of the targets it reads. Both
// are kept apart by a digest of host and credentials, so that nobody gets at the tokens of others. The zero value is ready.
type Shared struct {
	mu     sync.Mutex
	tokens map[string]*tokenSlot
	gates  map[string]*gate
}

// sharedLimit bounds the tokens and the gates kept; beyond it the oldest knowledge is simply forgotten.
const sharedLimit = 4096

func (s *Shared) token(key string) *tokenSlot {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot, ok := s.tokens[key]
	if !ok {
		if s.tokens == nil || len(s.tokens) >= sharedLimit {
			s.tokens = map[string]*tokenSlot{}
		}
		slot = &tokenSlot{turn: make(chan struct{}, 1)}
		s.tokens[key] = slot
	}
	return slot
}

func (s *Shared) gate(key string, rps float64, parallel int) *gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.gates[key]
	if !ok || g.rps != rps || cap(g.slots) != parallel {
		if s.gates == nil || len(s.gates) >= sharedLimit {
			s.gates = map[string]*gate{}
		}
		g = &gate{rps: rps, slots: make(chan struct{}, parallel)}
		s.gates[key] = g
	}
	return g
}

// gate paces the requests to one host with one set of credentials: a token bucket, a bound on requests under way, and a
// common pause once the target asked anybody to wait.
type gate struct {
	rps   float64
	slots chan struct{}

	mu     sync.Mutex
	level  float64 // requests that may go at once
	filled time.Time
	until  time.Time
}

// book takes one request out of the bucket and says how long to wait before sending it.
func (g *gate) book(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	wait := max(g.until.Sub(now), 0)
	if g.rps <= 0 {
		return wait
	}
	burst := max(g.rps, 1)
	if g.filled.IsZero() {
		g.level = burst
	} else {
		g.level = min(burst, g.level+now.Sub(g.filled).Seconds()*g.rps)
	}
	g.filled = now
	g.level--
	if g.level < 0 {
		wait = max(wait, time.Duration(-g.level/g.rps*float64(time.Second)))
	}
	return wait
}

// hold makes everybody wait until t.
func (g *gate) hold(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.After(g.until) {
		g.until = t
	}
}

// enter takes one of the places for requests under way; leave gives it back.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.slots }
