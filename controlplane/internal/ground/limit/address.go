package limit

import (
	"net/netip"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Addresses keeps a rate for each network address: an IPv4 address, or the /64 that an IPv6 address lies in, which is
// what one household or machine has. It keeps it for this process alone.
type Addresses struct {
	rate viewer.Rate
	now  func() time.Time

	mu   sync.Mutex
	full *recent[netip.Prefix, time.Time]
}

// NewAddresses lets each address through at a rate.
func NewAddresses(rate viewer.Rate, now func() time.Time) *Addresses {
	return &Addresses{rate: rate, now: now, full: newRecent[netip.Prefix, time.Time](most)}
}

// Take judges one request from an address. What is no address shares one rate with everything else that is none.
func (a *Addresses) Take(address string) Verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	full := a.full.get(Network(address), func() time.Time { return time.Time{} })
	var v Verdict
	*full, v = judge(a.rate, *full, a.now())
	return v
}

// Network is what of an address has one rate: an IPv4 address, or the /64 of an IPv6 address.
func Network(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	p, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}
