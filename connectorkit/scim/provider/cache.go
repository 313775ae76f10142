package provider

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What a target declares is asked for again after cacheTTL; of more than cacheLimit targets nothing is kept.
const (
	cacheTTL   = 10 * time.Minute
	cacheLimit = 1024
)

// Cache keeps for ten minutes what targets declare and how they behaved, so that thousands of changes need not ask for
// it thousands of times. The zero value is ready for use; its methods may be called concurrently.
type Cache struct {
	mu sync.Mutex
	// known has the entries by a digest of the settings with the credentials (see KeyOf), so that
	// two logins that may see different things share nothing.
	known map[[32]byte]Entry
}

// Entry is what is kept of one target for one login.
type Entry struct {
	provider     Declaration
	readOnly     map[string]bool // attributes of a User that only the target writes, lower case; nil: not asked for
	Filter       FilterTrust     // of groups by a member
	MembersShown bool            // groups tell their members: one without has none
	until        time.Time
}

// FilterTrust is how far a filter for one group by one member can be trusted: id eq "…" and members.value eq "…".
type FilterTrust int

const (
	FilterUntried   FilterTrust = iota
	FilterUseless               // refused, ignored, or wrong
	FilterRespected             // it returns no user for a value that no user has
	FilterProven                // and has returned the user for a value that one has
)

// SetFilter keeps how far filters by a member can be trusted. Without an entry for the key nothing is kept.
func (f *Cache) SetFilter(key [32]byte, t FilterTrust) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.known[key]; ok {
		one.Filter = t
		f.known[key] = one
	}
}

// SetMembersShown keeps that the groups of a target report their members.
func (f *Cache) SetMembersShown(key [32]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.known[key]; ok && !one.MembersShown {
		one.MembersShown = true
		f.known[key] = one
	}
}

// KeyOf returns the key of a target and login, so that an entry never serves another login.
func KeyOf(auth v1.AuthConfig) [32]byte {
	b, _ := json.Marshal(auth) // it came as JSON
	return sha256.Sum256(b)
}

// Get returns the entry of a key. ok is false if there is none or if it has expired.
func (f *Cache) Get(key [32]byte, now time.Time) (Entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, ok := f.known[key]
	return one, ok && now.Before(one.until)
}

// put keeps an entry. A cache that is full is emptied as a whole: that costs each target one
// request, and needs no order of use.
func (f *Cache) put(key [32]byte, one Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= cacheLimit {
		f.known = map[[32]byte]Entry{}
	}
	f.known[key] = one
}

// Declaration returns the declaration of the target, from the cache if it was read in the last ten minutes.
func (f *Cache) Declaration(ctx context.Context, s *Session, auth v1.AuthConfig) (Declaration, error) {
	key := KeyOf(auth)
	if one, ok := f.Get(key, s.Now()); ok {
		return one.provider, nil
	}
	p, err := s.ReadDeclaration(ctx)
	if err == nil {
		f.put(key, Entry{provider: p, until: s.Now().Add(cacheTTL)})
	}
	return p, err
}

// ReadOnly returns the lower-case paths of the User attributes that only the target writes, as far as it declares
// them.
func (f *Cache) ReadOnly(ctx context.Context, s *Session, auth v1.AuthConfig) map[string]bool {
	key := KeyOf(auth)
	one, ok := f.Get(key, s.Now())
	if ok && one.readOnly != nil {
		return one.readOnly
	}
	locked := map[string]bool{}
	if all, _, err := s.Schemas(ctx); err == nil {
		for _, field := range all.Fields("User", resource.UserSchema) {
			if p, err := resource.ParsePath(field.Name); err == nil && !field.Writable {
				locked[p.Key()] = true
			}
		}
	}
	if ok {
		one.readOnly = locked
		f.put(key, one)
	}
	return locked
}
