package correlate

import (
	"cmp"
	"math"
	"slices"
)

// trigramIndex finds values whose trigram similarity is at least a bound. Two such sets share a trigram among the rarest few of
// each ("prefix filtering", as in Bayardo, Ma and Srikant, Scaling Up All Pairs Similarity Search, 2007), so that only rare
// trigrams are indexed and looked up.
type trigramIndex struct {
	least    float64
	at       map[string]*entry
	sets     []gramSet
	rarity   map[gram]int32
	postings map[gram][]int32
	stamp    []int32
	round    int32
}

type gramSet struct {
	entry *entry
	grams []gram // in order
}

func newTrigramIndex(least float64) *trigramIndex {
	return &trigramIndex{least: least, at: map[string]*entry{}, rarity: map[gram]int32{}, postings: map[gram][]int32{}}
}

func (x *trigramIndex) add(value string, subject int32) {
	e := x.at[value]
	if e == nil {
		e = entryOf(x.at, value)
		x.sets = append(x.sets, gramSet{e, trigramsOf(value)})
	}
	e.subjects = append(e.subjects, subject)
}

func (x *trigramIndex) seal() {
	for _, s := range x.sets {
		for _, g := range s.grams {
			x.rarity[g]++
		}
	}
	for i, s := range x.sets {
		for _, g := range x.rarest(s.grams) {
			x.postings[g] = append(x.postings[g], int32(i))
		}
	}
	x.stamp = make([]int32, len(x.sets))
}

// rarest are the trigrams of which a set that is alike must hold one: all but so many that the rest would be too few.
func (x *trigramIndex) rarest(grams []gram) []gram {
	byRarity := slices.Clone(grams)
	slices.SortFunc(byRarity, func(a, b gram) int { return cmp.Or(cmp.Compare(x.rarity[a], x.rarity[b]), cmp.Compare(a, b)) })
	needed := int(math.Ceil(x.least*float64(len(grams)) - tolerance))
	return byRarity[:len(grams)-needed+1]
}

func (x *trigramIndex) find(value string, visit func(*entry)) {
	grams := trigramsOf(value)
	if len(grams) == 0 {
		return
	}
	x.round++
	for _, g := range x.rarest(grams) {
		for _, i := range x.postings[g] {
			s := x.sets[i]
			if x.stamp[i] == x.round {
				continue
			}
			x.stamp[i] = x.round
			if similarity(s.grams, grams) >= x.least-tolerance {
				visit(s.entry)
			}
		}
	}
}

func (x *trigramIndex) each(visit func(*entry)) {
	for _, s := range x.sets {
		visit(s.entry)
	}
}

// distanceIndex finds values at most n edits away. Of a value that is cut into n+1 parts, one at least stays whole in whatever is
// n edits away, and moves by n places at most (Li, Deng, Wang and Feng, Pass-Join, 2011).
type distanceIndex struct {
	n     int
	at    map[string]*entry
	words []word
	parts map[part][]int32
	stamp []int32
	round int32
}

type word struct {
	entry *entry
	text  string
}

// part is a piece of a value: how long the value is, which piece it is, and its text.
type part struct {
	length, nth int
	text        string
}

func newDistanceIndex(n int) *distanceIndex {
	return &distanceIndex{n: n, at: map[string]*entry{}, parts: map[part][]int32{}}
}

func (x *distanceIndex) add(value string, subject int32) {
	e := x.at[value]
	if e == nil {
		e = entryOf(x.at, value)
		i := int32(len(x.words))
		x.words = append(x.words, word{e, value})
		runes := []rune(value)
		for nth := range x.pieces(len(runes)) {
			lo, hi := x.piece(len(runes), nth)
			p := part{len(runes), nth, string(runes[lo:hi])}
			x.parts[p] = append(x.parts[p], i)
		}
	}
	e.subjects = append(e.subjects, subject)
}

// pieces is into how many parts a value of so many characters is cut. One that is too short for n edits is looked up whole.
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
	for length := max(1, len(runes)-x.n); length <= len(runes)+x.n; length++ {
		for nth := range x.pieces(length) {
			lo, hi := x.piece(length, nth)
			for start := max(0, lo-x.n); start <= lo+x.n && start+hi-lo <= len(runes); start++ {
				x.check(part{length, nth, string(runes[start : start+hi-lo])}, value, visit)
			}
		}
	}
}

func (x *distanceIndex) check(p part, value string, visit func(*entry)) {
	for _, i := range x.parts[p] {
		if x.stamp[i] == x.round {
			continue
		}
		x.stamp[i] = x.round
		if within(x.words[i].text, value, x.n) {
			visit(x.words[i].entry)
		}
	}
}

func (x *distanceIndex) each(visit func(*entry)) {
	for _, w := range x.words {
		visit(w.entry)
	}
}
