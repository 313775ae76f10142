package correlate

import (
	"cmp"
	"slices"
)

// gram is three characters in one number.
type gram uint64

// trigramsOf are the distinct trigrams of a text's words, each word with two spaces before and one behind it, as PostgreSQL's
// pg_trgm makes them. They come in order.
func trigramsOf(words string) []gram {
	var grams []gram
	var a, b rune
	start := true
	put := func(r rune) {
		grams = append(grams, gram(a)<<42|gram(b)<<21|gram(r))
		a, b = b, r
	}
	for _, r := range words {
		if r == ' ' {
			put(' ')
			start = true
			continue
		}
		if start {
			a, b, start = ' ', ' ', false
		}
		put(r)
	}
	if !start {
		put(' ')
	}
	slices.Sort(grams)
	return slices.Compact(grams)
}

// similarity is the share of trigrams that two texts have in common, from 0 to 1. Both lists are in order.
func similarity(a, b []gram) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch cmp.Compare(a[i], b[j]) {
		case 0:
			common++
			i++
			j++
		case -1:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// within reports whether a can be made into b by at most n insertions, deletions and replacements of a character. A text of n
// characters or fewer must be the same: it could be made into any other of its length.
func within(a, b string, n int) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	if len(x) <= n || len(y) <= n || len(x)-len(y) > n || len(y)-len(x) > n {
		return false
	}
	// Only the band of cells at most n from the diagonal can hold n or less.
	above, row := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		lo, hi := max(1, i-n), min(len(y), i+n)
		row[lo-1] = n + 1
		if lo == 1 {
			row[0] = i
		}
		best := row[lo-1]
		for j := lo; j <= hi; j++ {
			cost := above[j-1]
			if x[i-1] != y[j-1] {
				cost++
			}
			cost = min(cost, row[j-1]+1)
			if j < i+n {
				cost = min(cost, above[j]+1)
			}
			row[j] = cost
			best = min(best, cost)
		}
		if best > n {
			return false
		}
		above, row = row, above
	}
	return above[len(y)] <= n
}
