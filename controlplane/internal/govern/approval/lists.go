package approval

import (
	"slices"
)

// AppendNew appends the texts that are not in the list yet. Empty ones are left out.
func AppendNew(to []string, more ...string) []string {
	for _, m := range more {
		if m != "" && !slices.Contains(to, m) {
			to = append(to, m)
		}
	}
	return to
}

// SortedSet returns ids in order, each once. It is never nil.
func SortedSet(ids []string) []string {
	sorted := append([]string{}, ids...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
