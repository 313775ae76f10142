package config

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// targetsFile is the name of the file.
const targetsFile = "targets.json"

const (
	mostTargets = 20             // remembered, the latest
	rewriteAt   = 24 * time.Hour // a target's time is written again when it is older than this
)

// Target is an address in the site's network that a connector reached.
type Target struct {
	Address string    `json:"address"` // host:port
	At      time.Time `json:"at"`
}

// Targets remembers which addresses connectors reached, so that doctor can look whether they still answer.
type Targets struct {
	Dir Dir
	Now func() time.Time

	mu    sync.Mutex
	known []Target
	// read says that the file was read; known is what it held and what came since.
	read bool
}

// LoadTargets gives the addresses that connectors reached, the latest first.
func (d Dir) LoadTargets() ([]Target, error) {
	var list []Target
	_, err := exists(d.readJSON(targetsFile, &list))
	return list, err
}

// Dial is dial that remembers where it got through to.
func (t *Targets) Dial(
	dial func(ctx context.Context, network, addr string) (net.Conn, error),
) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err == nil {
			t.reached(addr)
		}
		return conn, err
	}
}

// reached notes an address. What cannot be written is only missed by doctor.
func (t *Targets) reached(addr string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.read {
		t.known, _ = t.Dir.LoadTargets()
		t.read = true
	}
	now := t.Now().UTC()
	at := slices.IndexFunc(t.known, func(k Target) bool { return k.Address == addr })
	if at >= 0 && now.Sub(t.known[at].At) < rewriteAt {
		return
	}
	if at >= 0 {
		t.known = slices.Delete(t.known, at, at+1)
	}
	t.known = slices.Insert(t.known, 0, Target{Address: addr, At: now})
	t.known = t.known[:min(len(t.known), mostTargets)]
	_ = t.Dir.writeJSON(targetsFile, t.known, false)
}
