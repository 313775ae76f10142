package agents

import (
	"sync"
	"time"
)

// maxKeys bounds what a limiter remembers, against being fed with ever new keys.
const maxKeys = 100_000

// Limiter counts by the generic cell rate algorithm: burst at once, then one every so often. It guards what costs
// something before anybody is authenticated, and knows this process alone.
type Limiter struct {
	Every time.Duration
	Burst int

	mu  sync.Mutex
	tat map[string]time.Time // the theoretical arrival time of each key
}

// Take counts one attempt of key, or returns how long to wait for the next.
func (l *Limiter) Take(key string, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tat == nil {
		l.tat = map[string]time.Time{}
	}
	at := l.tat[key]
	if at.Before(now) {
		at = now
	}
	if wait := at.Sub(now) - time.Duration(l.Burst-1)*l.Every; wait > 0 {
		return wait
	}
	if len(l.tat) >= maxKeys {
		l.sweep(now)
	}
	l.tat[key] = at.Add(l.Every)
	return 0
}

// sweep forgets keys that have their whole burst again, and everybody when that is not enough.
func (l *Limiter) sweep(now time.Time) {
	for key, at := range l.tat {
		if at.Before(now) {
			delete(l.tat, key)
		}
	}
	if len(l.tat) >= maxKeys {
		clear(l.tat)
	}
}
