package block

import (
	"math/bits"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
)

// distanceIndex finds values at most n edits away. Of a value that is cut into n+1 parts, one at least stays whole in
// whatever is n edits away, and moves by n places at most (Li, Deng, Wang and Feng, Pass-Join, 2011).
type distanceIndex struct {
	n     int
	at    map[string]*Entry
	words []word
	parts map[part][]holding
	// stamp has the round in which a word was last visited, so that a word with several matching
	// parts is visited once.
	stamp []int32
	round int32
}

// word is a value with its characters.
type word struct {
	entry *Entry
	runes []rune
}

// holding is a word that has a part, with its letters.
type holding struct {
	letters uint64
	word    int32
}

// lettersIn has a bit for each letter of a text. An edit takes one letter away at most, and brings one.
func lettersIn(runes []rune) (set uint64) {
	for _, r := range runes {
		set |= 1 << (uint32(r) & 63)
	}
	return set
}

// part is a piece of a value: how long the value is, which piece it is, and its text.
type part struct {
	length, nth int
	text        string
}

// NewDistanceIndex makes an index that finds values at most n edits away.
func NewDistanceIndex(n int) Index {
	return &distanceIndex{n: n, at: map[string]*Entry{}, parts: map[part][]holding{}}
}

// Add puts a value of an account, by its number, into the index.
func (x *distanceIndex) Add(value string, subject int32) {
	e := x.at[value]
	if e == nil {
		e = entryOf(x.at, value)
		i := int32(len(x.words))
		runes := []rune(value)
		x.words = append(x.words, word{e, runes})
		for nth := range x.pieces(len(runes)) {
			lo, hi := x.piece(len(runes), nth)
			p := part{len(runes), nth, string(runes[lo:hi])}
			x.parts[p] = append(x.parts[p], holding{lettersIn(runes), i})
		}
	}
	e.Subjects = append(e.Subjects, subject)
}

// pieces is into how many parts a value of so many characters is cut. One that is too short for n edits is looked up
// whole.
func (x *distanceIndex) pieces(length int) int {
	if length <= x.n {
		return 1
	}
	return x.n + 1
}

// piece is where the nth piece of a value of some length begins and ends. Pieces differ in length
// by one at most.
func (x *distanceIndex) piece(length, nth int) (lo, hi int) {
	k := x.pieces(length)
	return nth * length / k, (nth + 1) * length / k
}

// Seal makes the index ready to be looked up in.
func (x *distanceIndex) Seal() { x.stamp = make([]int32, len(x.words)) }

// Find visits the entries of values that are near enough.
func (x *distanceIndex) Find(value string, visit func(*Entry)) {
	x.round++
	runes := []rune(value)
	letters := lettersIn(runes)
	for length := max(1, len(runes)-x.n); length <= len(runes)+x.n; length++ {
		for nth := range x.pieces(length) {
			lo, hi := x.piece(length, nth)
			for start := max(0, lo-x.n); start <= lo+x.n && start+hi-lo <= len(runes); start++ {
				x.check(part{length, nth, string(runes[start : start+hi-lo])}, runes, letters, visit)
			}
		}
	}
}

// check visits the words that have a part and lie within the distance. Letters are compared first:
// each edit changes two bits of the sets at most, so that most words are dropped without the full
// comparison.
func (x *distanceIndex) check(p part, runes []rune, letters uint64, visit func(*Entry)) {
	for _, h := range x.parts[p] {
		if bits.OnesCount64(h.letters^letters) > 2*x.n || x.stamp[h.word] == x.round {
			continue
		}
		x.stamp[h.word] = x.round
		if w := &x.words[h.word]; !w.entry.common && match.Within(w.runes, runes, x.n) {
			visit(w.entry)
		}
	}
}

// Each visits all entries.
func (x *distanceIndex) Each(visit func(*Entry)) {
	for _, w := range x.words {
		visit(w.entry)
	}
}
