package admission

import (
	"net/netip"
	"sync"
)

// tally counts what networks have at once.
type tally struct {
	mu sync.Mutex
	by map[netip.Prefix]int
}

// take counts one more of a network, unless it has the most.
func (t *tally) take(from netip.Prefix, most int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[from] >= most {
		return false
	}
	if t.by == nil {
		t.by = map[netip.Prefix]int{}
	}
	t.by[from]++
	return true
}

// give counts one less. What was not counted stays so.
func (t *tally) give(from netip.Prefix) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, counted := t.by[from]; counted && n > 1 {
		t.by[from]--
	} else {
		delete(t.by, from)
	}
}
