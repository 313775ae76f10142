package correlate

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// trigramIndex finds values whose trigram similarity is at least a bound. With trigrams in the order of their rarity,
// two such sets share one among the first few of each, and where it stands in both bounds how many more they can share
// (Xiao, Wang, Lin and Yu, Efficient Similarity Joins for Near Duplicate Detection, 2008). So only rare trigrams are
// looked up, and few sets are compared.
type trigramIndex struct {
	least    float64
	at       map[string]*entry
	sets     []gramSet
	ranks    map[gram]int32
	postings [][]posting // by rank
	stamp    []int32
	round    int32
}

// gramSet is a value's trigrams: before seal as they are, then as ranks, the rarest first.
type gramSet struct {
	entry *entry
	grams []gram
	ranks []int32
}

// posting is a set that holds a trigram, where, and how many trigrams the set has.
type posting struct{ set, at, size int32 }

func newTrigramIndex(least float64) *trigramIndex {
	return &trigramIndex{least: least, at: map[string]*entry{}, ranks: map[gram]int32{}}
}

func (x *trigramIndex) add(value string, subject int32) {
	e := x.at[value]
	if e == nil {
		e = entryOf(x.at, value)
		x.sets = append(x.sets, gramSet{entry: e, grams: trigramsOf(value)})
	}
	e.subjects = append(e.subjects, subject)
}

func (x *trigramIndex) seal() {
	often := map[gram]int{}
	for _, s := range x.sets {
		for _, g := range s.grams {
			often[g]++
		}
	}
	for rank, g := range slices.SortedFunc(maps.Keys(often), func(a, b gram) int {
		return cmp.Or(cmp.Compare(often[a], often[b]), cmp.Compare(a, b))
	}) {
		x.ranks[g] = int32(rank)
	}
	x.postings = make([][]posting, len(often))
	for i := range x.sets {
		s := &x.sets[i]
		s.ranks, s.grams = x.ranked(s.grams), nil
		for at, rank := range s.ranks[:x.prefix(len(s.ranks))] {
			x.postings[rank] = append(x.postings[rank], posting{int32(i), int32(at), int32(len(s.ranks))})
		}
	}
	x.stamp = make([]int32, len(x.sets))
}

// ranked gives the ranks of those trigrams that any account has, the rarest first.
func (x *trigramIndex) ranked(grams []gram) []int32 {
	list := make([]int32, 0, len(grams))
	for _, g := range grams {
		if rank, known := x.ranks[g]; known {
			list = append(list, rank)
		}
	}
	slices.Sort(list)
	return list
}

// prefix is of how many rarest trigrams a set that is alike must hold one: all but so many that the rest would be too
// few.
func (x *trigramIndex) prefix(n int) int {
	return n - int(math.Ceil(x.least*float64(n)-tolerance)) + 1
}

func (x *trigramIndex) find(value string, visit func(*entry)) {
	grams := trigramsOf(value)
	if len(grams) == 0 {
		return
	}
	x.round++
	ranks := x.ranked(grams)
	// Trigrams that no account has are the rarest of all: they come first and find nothing.
	unknown := len(grams) - len(ranks)
	for i := 0; i < len(ranks) && unknown+i < x.prefix(len(grams)); i++ {
		for _, p := range x.postings[ranks[i]] {
			// What is left of the two sets tells most of them apart without a look at either.
			if min(int(p.size-p.at), len(ranks)-i) < x.needed(int(p.size)+len(grams)) || x.stamp[p.set] == x.round {
				continue
			}
			x.stamp[p.set] = x.round
			if s := &x.sets[p.set]; !s.entry.common && x.alike(s.ranks[p.at:], len(s.ranks), ranks[i:], len(grams)) {
				visit(s.entry)
			}
		}
	}
}

// needed is how many trigrams two alike sets must share that have so many together.
func (x *trigramIndex) needed(together int) int {
	return int(math.Ceil(x.least/(1+x.least)*float64(together) - tolerance))
}

// alike compares two sets of n and m trigrams of which a and b are left, beginning with the first that they share.
func (x *trigramIndex) alike(a []int32, n int, b []int32, m int) bool {
	needed, common := x.needed(n+m), 0
	for i, j := 0, 0; i < len(a) && j < len(b) && common+min(len(a)-i, len(b)-j) >= needed; {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common)/float64(n+m-common) >= x.least-tolerance
}

func (x *trigramIndex) each(visit func(*entry)) {
	for _, s := range x.sets {
		visit(s.entry)
	}
}

// distanceIndex finds values at most n edits away. Of a value that is cut into n+1 parts, one at least stays whole in
// whatever is n edits away, and moves by n places at most (Li, Deng, Wang and Feng, Pass-Join, 2011).
type distanceIndex struct {
	n     int
	at    map[string]*entry
	words []word
	parts map[part][]holding
	stamp []int32
	round int32
}

type word struct {
	entry *entry
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

func newDistanceIndex(n int) *distanceIndex {
	return &distanceIndex{n: n, at: map[string]*entry{}, parts: map[part][]holding{}}
}

func (x *distanceIndex) add(value string, subject int32) {
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
	e.subjects = append(e.subjects, subject)
}

// pieces is into how many parts a value of so many characters is cut. One that is too short for n edits is looked up
// whole.
func (x *distanceIndex) pieces(length int) int {
	if length <= x.n {
		return 1
	}
	return x.n + 1
}

func (x *distanceIndex) piece(length, nth int) (lo, hi int) {
	k := x.pieces(length)
	return nth * length / k, (nth + 1) * length / k
}

func (x *distanceIndex) seal() { x.stamp = make([]int32, len(x.words)) }

func (x *distanceIndex) find(value string, visit func(*entry)) {
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

func (x *distanceIndex) check(p part, runes []rune, letters uint64, visit func(*entry)) {
	for _, h := range x.parts[p] {
		if bits.OnesCount64(h.letters^letters) > 2*x.n || x.stamp[h.word] == x.round {
			continue
		}
		x.stamp[h.word] = x.round
		if w := &x.words[h.word]; !w.entry.common && within(w.runes, runes, x.n) {
			visit(w.entry)
		}
	}
}

func (x *distanceIndex) each(visit func(*entry)) {
	for _, w := range x.words {
		visit(w.entry)
	}
}
