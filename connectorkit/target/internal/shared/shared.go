package shared

import (
	"sync"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/internal/pacing"
)

// TokenSlot holds one token. Who has the turn may read and write it; the channel, not a mutex, so that a wait
// ends with ctx.
type TokenSlot struct {
	Turn  chan struct{}
	Value string
	Renew time.Time
}

// State is what outlives a call: OAuth2 tokens, and for every target its rate budget and whether it fails
// again and again. All are kept apart by a digest of host and credentials, so that nobody gets at the tokens
// of others. The zero value is ready.
type State struct {
	mu       sync.Mutex
	tokens   map[string]*TokenSlot
	budgets  map[string]*pacing.Budget
	circuits map[string]*pacing.Circuit
}

var process State

// Process is the Shared of this process. Connectors of different types that speak to one host with the same
// credentials keep its limits together by it.
func Process() *State { return &process }

// maxEntries bounds what of each is kept; beyond it the oldest knowledge is simply forgotten.
const maxEntries = 4096

// Token is the slot for the OAuth2 token of a key.
func (s *State) Token(key string) *TokenSlot {
	return getOrMake(s, &s.tokens, key, func() *TokenSlot { return &TokenSlot{Turn: make(chan struct{}, 1)} })
}

// Budget is the rate budget of a key.
func (s *State) Budget(key string) *pacing.Budget {
	return getOrMake(s, &s.budgets, key, func() *pacing.Budget { return &pacing.Budget{} })
}

// Circuit is the circuit breaker of a key.
func (s *State) Circuit(key string) *pacing.Circuit {
	return getOrMake(s, &s.circuits, key, func() *pacing.Circuit { return &pacing.Circuit{} })
}

// getOrMake gives what is kept under key, made where there is nothing yet.
func getOrMake[T any](s *State, all *map[string]*T, key string, fresh func() *T) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := (*all)[key]
	if !ok {
		if *all == nil || len(*all) >= maxEntries {
			*all = map[string]*T{}
		}
		one = fresh()
		(*all)[key] = one
	}
	return one
}
