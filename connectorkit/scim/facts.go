package scim

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What a target declares is asked for again after factsLast; of more than factsLimit targets nothing is kept.
const (
	factsLast  = 10 * time.Minute
	factsLimit = 1024
)

// facts keeps what targets declare: thousands of changes need not ask for it thousands of times.
type facts struct {
	mu    sync.Mutex
	known map[[32]byte]fact
}

type fact struct {
	provider provider
	locked   map[string]bool // attributes of a User that only the target writes, lower case; nil: not asked for
	filter   filterTrust     // of groups by a member
	shows    bool            // groups tell their members: one without has none
	until    time.Time
}

// filterTrust is what was found out of the question whether a group has a member: id eq "…" and members.value eq "…".
type filterTrust int

const (
	filterUntried filterTrust = iota
	filterUseless             // refused, ignored, or wrong
	filterHeeded              // it finds nobody who is not there
	filterProven              // and has found somebody who is
)

// trust keeps what was found out of a target's filter.
func (f *facts) trust(key [32]byte, t filterTrust) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.known[key]; ok {
		one.filter = t
		f.known[key] = one
	}
}

// shown keeps that a target's groups tell their members.
func (f *facts) shown(key [32]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.known[key]; ok && !one.shows {
		one.shows = true
		f.known[key] = one
	}
}

// factKey tells targets and logins apart, so that nobody is told what another login was.
func factKey(auth v1.AuthConfig) [32]byte {
	b, _ := json.Marshal(auth) // it came as JSON
	return sha256.Sum256(b)
}

func (f *facts) get(key [32]byte, now time.Time) (fact, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, ok := f.known[key]
	return one, ok && now.Before(one.until)
}

func (f *facts) put(key [32]byte, one fact) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= factsLimit {
		f.known = map[[32]byte]fact{}
	}
	f.known[key] = one
}

// declaredOnce is what the target declares, from memory where it was asked lately.
func (k *Connector) declaredOnce(ctx context.Context, s *session, auth v1.AuthConfig) (provider, error) {
	key := factKey(auth)
	if one, ok := k.facts.get(key, s.now()); ok {
		return one.provider, nil
	}
	p, err := s.declared(ctx)
	if err == nil {
		k.facts.put(key, fact{provider: p, until: s.now().Add(factsLast)})
	}
	return p, err
}

// lockedOnce are the attributes of a User that are not to be sent back, as far as the target declares them.
func (k *Connector) lockedOnce(ctx context.Context, s *session, auth v1.AuthConfig) map[string]bool {
	key := factKey(auth)
	one, ok := k.facts.get(key, s.now())
	if ok && one.locked != nil {
		return one.locked
	}
	locked := map[string]bool{}
	if all, _, err := s.schemas(ctx); err == nil {
		for _, f := range all.fields("User", userSchema) {
			if p, err := parsePath(f.Name); err == nil && !f.Writable {
				locked[p.key()] = true
			}
		}
	}
	if ok {
		one.locked = locked
		k.facts.put(key, one)
	}
	return locked
}
