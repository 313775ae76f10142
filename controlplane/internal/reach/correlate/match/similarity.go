package match

import (
	"cmp"
	"slices"
)

// Gram is three characters in one number.
type Gram uint64

// Trigrams are the distinct trigrams of a text's words, each word with two spaces before and one behind it, as
// PostgreSQL's pg_trgm makes them. They come in order.
func Trigrams(words string) []Gram {
	var grams []Gram
	var a, b rune
	start := true
	put := func(r rune) {
		grams = append(grams, Gram(a)<<42|Gram(b)<<21|Gram(r))
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

// Similarity is the share of trigrams that two texts have in common, from 0 to 1. Both lists are in order.
func Similarity(a, b []Gram) float64 {
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

// Within reports whether a can be made into b by at most n insertions, deletions and replacements of a character. A
// text of n characters or fewer must be the same: it could be made into any other of its length.
func Within(a, b []rune, n int) bool {
	short := len(a) <= n || len(b) <= n
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	// What is left differs at both ends, so that one edit mends nothing longer than a character.
	switch longer, shorter := max(len(a), len(b)), min(len(a), len(b)); {
	case longer == 0:
		return true
	case short || longer-shorter > n:
		return false
	case shorter == 0 || longer == 1:
		return true
	case n == 1:
		return false
	}
	return inBand(a, b, n)
}

// inBand counts edits cell by cell, but only in the band of cells at most n from the diagonal, which alone can hold n
// or less.
func inBand(a, b []rune, n int) bool {
	var space [2][48]int
	above, row := space[0][:], space[1][:]
	if len(b) >= len(above) {
		above, row = make([]int, len(b)+1), make([]int, len(b)+1)
	}
	for j := range len(b) + 1 {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		lo, hi := max(1, i-n), min(len(b), i+n)
		row[lo-1] = n + 1
		if lo == 1 {
			row[0] = i
		}
		best := row[lo-1]
		for j := lo; j <= hi; j++ {
			cost := above[j-1]
			if a[i-1] != b[j-1] {
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
	return above[len(b)] <= n
}
