package session

import (
	"bytes"
	"hash/maphash"
)

// Guards against a target that never comes to an end.
const (
	maxPages      = 1_000_000
	maxEmptyPages = 1000 // in a row
)

// loopGuard notices pages that repeat. A cookie alone proves nothing: 389 Directory Server sends one and the same for
// every page of a search.
type loopGuard struct {
	seed   maphash.Seed
	cookie []byte
	sum    uint64 // over the DNs of this page
	last   uint64
	empty  int
}

// nextPage begins a new page.
func (g *loopGuard) nextPage() { g.last, g.sum = g.sum, 0 }

// addEntry adds an entry's DN to the sum of the page.
func (g *loopGuard) addEntry(dn []byte) { g.sum = g.sum*31 + maphash.Bytes(g.seed, dn) }

// stuck says whether the search makes no progress: a page equal to the one before, with the same
// cookie and the same entries; too many empty pages in a row; or too many pages at all.
func (g *loopGuard) stuck(cookie []byte, entries, pages int) bool {
	if entries == 0 {
		g.empty++
	} else {
		g.empty = 0
	}
	same := bytes.Equal(g.cookie, cookie) && g.sum == g.last
	g.cookie = append(g.cookie[:0], cookie...)
	return same || g.empty > maxEmptyPages || pages >= maxPages
}
