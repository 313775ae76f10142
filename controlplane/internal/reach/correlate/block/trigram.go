package block

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
)

// trigramIndex finds values whose trigram similarity is at least a bound. With trigrams in the order of their rarity,
// two such sets share one among the first few of each, and where it stands in both bounds how many more they can share
// (Xiao, Wang, Lin and Yu, Efficient Similarity Joins for Near Duplicate Detection, 2008). So only rare trigrams are
// looked up, and few sets are compared.
type trigramIndex struct {
	least float64
	at    map[string]*Entry
	sets  []gramSet
	// ranks has the rank of each trigram, the rarest first.
	ranks    map[match.Gram]int32
	postings [][]posting // by rank
	stamp    []int32
	round    int32
}

// gramSet is a value's trigrams: before seal as they are, then as ranks, the rarest first.
type gramSet struct {
	// entry is what the value stands for.
	entry *Entry
	grams []match.Gram
	ranks []int32
}

// posting is a set that holds a trigram, where, and how many trigrams the set has.
type posting struct{ set, at, size int32 }

// NewTrigramIndex makes an index that finds values whose trigram similarity is at least a bound, from 0 to 1.
func NewTrigramIndex(least float64) Index {
	return &trigramIndex{least: least, at: map[string]*Entry{}, ranks: map[match.Gram]int32{}}
}

// Add puts a value of an account, by its number, into the index.
func (x *trigramIndex) Add(value string, subject int32) {
	e := x.at[value]
	if e == nil {
		e = entryOf(x.at, value)
		x.sets = append(x.sets, gramSet{entry: e, grams: match.Trigrams(value)})
	}
	e.Subjects = append(e.Subjects, subject)
}

// Seal orders trigrams by their rarity, and makes the index ready to be looked up in.
func (x *trigramIndex) Seal() {
	often := map[match.Gram]int{}
	for _, s := range x.sets {
		for _, g := range s.grams {
			often[g]++
		}
	}
	for rank, g := range slices.SortedFunc(maps.Keys(often), func(a, b match.Gram) int {
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
func (x *trigramIndex) ranked(grams []match.Gram) []int32 {
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
	return n - int(math.Ceil(x.least*float64(n)-match.Tolerance)) + 1
}

// Find visits the entries of values that are similar enough.
func (x *trigramIndex) Find(value string, visit func(*Entry)) {
	grams := match.Trigrams(value)
	if len(grams) == 0 {
		return
	}
	x.round++
	ranks := x.ranked(grams)
	// Trigrams that no account has are the rarest of all: they come first and find nothing.
	unknown := len(grams) - len(ranks)
	for i := 0; i < len(ranks) && unknown+i < x.prefix(len(grams)); i++ {
		for _, p := range x.postings[ranks[i]] {
			// What is left of the two sets excludes most of them without a look at either.
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
	return int(math.Ceil(x.least/(1+x.least)*float64(together) - match.Tolerance))
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
	return float64(common)/float64(n+m-common) >= x.least-match.Tolerance
}

// Each visits all entries.
func (x *trigramIndex) Each(visit func(*Entry)) {
	for _, s := range x.sets {
		visit(s.entry)
	}
}
