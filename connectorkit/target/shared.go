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
	mu       sync.Mutex
	tokens   map[string]*tokenSlot
	budgets  map[string]*budget
	circuits map[string]*circuit
}

var process Shared

// Process is the Shared of this process. Connectors of different types that speak to one host with the same credentials keep
// its limits together by it.
func Process() *Shared { return &process }

// sharedLimit bounds what of each is kept; beyond it the oldest knowledge is simply forgotten.
const sharedLimit = 4096

func (s *Shared) token(key string) *tokenSlot {
	return kept(s, &s.tokens, key, func() *tokenSlot { return &tokenSlot{turn: make(chan struct{}, 1)} })
}

func (s *Shared) budget(key string) *budget {
	return kept(s, &s.budgets, key, func() *budget { return &budget{} })
}

func (s *Shared) circuit(key string) *circuit {
	return kept(s, &s.circuits, key, func() *circuit { return &circuit{} })
}

// kept gives what is kept under key, made where there is nothing yet.
func kept[T any](s *Shared, all *map[string]*T, key string, fresh func() *T) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := (*all)[key]
	if !ok {
		if *all == nil || len(*all) >= sharedLimit {
			*all = map[string]*T{}
		}
		one = fresh()
		(*all)[key] = one
	}
	return one
}
