package limit

import (
	"net/netip"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/limit/network"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// each keeps a rate for each key, for this process alone. Keys that were not seen for the longest time are forgotten.
type each[K comparable] struct {
	rate viewer.Rate
	now  func() time.Time

	mu   sync.Mutex
	full *recent[K, time.Time]
}

func newEach[K comparable](rate viewer.Rate, now func() time.Time) each[K] {
	return each[K]{rate: rate, now: now, full: newRecent[K, time.Time](most)}
}

func (e *each[K]) take(key K) Verdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	full := e.full.get(key, func() time.Time { return time.Time{} })
	var v Verdict
	*full, v = judge(e.rate, *full, e.now())
	return v
}

// Addresses keeps a rate for each network address: an IPv4 address, or the /64 that an IPv6 address lies in, which is
// what one household or machine has.
type Addresses struct{ each[netip.Prefix] }

// NewAddresses lets each address through at a rate.
func NewAddresses(rate viewer.Rate, now func() time.Time) *Addresses {
	return &Addresses{newEach[netip.Prefix](rate, now)}
}

// Take judges one request from an address. What is no address shares one rate with everything else that is none.
func (a *Addresses) Take(address string) Verdict { return a.take(network.Of(address)) }

// Tenants keeps a rate for each tenant, for requests that come before anybody is signed in. Callers count only tenants
// that exist, so that it cannot be filled with names.
type Tenants struct{ each[string] }

// NewTenants lets each tenant through at a rate.
func NewTenants(rate viewer.Rate, now func() time.Time) *Tenants {
	return &Tenants{newEach[string](rate, now)}
}

// Take judges one request to the tenant of the ID.
func (t *Tenants) Take(tenant string) Verdict { return t.take(tenant) }
