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

// Shared is what outlives a call: OAuth2 tokens, and for every target its rate budget and whether it fails again and again.
// All are kept apart by a digest of host and credentials, so that nobody gets at the tokens of others. The zero value is ready.
type Shared struct {
	mu      sync.Mutex
	tokens  map[string]*tokenSlot
	targets map[string]*known
}

// known is what is known of one host with one set of credentials.
type known struct {
	budget  budget
	circuit circuit
}

var process Shared

// Process is the Shared of this process. Connectors of different types that speak to one host with the same credentials keep
// its limits together by it.
func Process() *Shared { return &process }

// sharedLimit bounds the tokens and the targets kept; beyond it the oldest knowledge is simply forgotten.
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

func (s *Shared) target(key string) *known {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.targets[key]
	if !ok {
		if s.targets == nil || len(s.targets) >= sharedLimit {
			s.targets = map[string]*known{}
		}
		k = &known{}
		s.targets[key] = k
	}
	return k
}
