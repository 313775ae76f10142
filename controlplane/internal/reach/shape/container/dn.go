package container

import (
	"slices"
	"strings"
)

// Split takes a DN apart at the commas that are not escaped (RFC 4514).
func Split(dn string) []string {
	var parts []string
	from := 0
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',':
			parts = append(parts, dn[from:i])
			from = i + 1
		}
	}
	return append(parts, dn[from:])
}

// CommonParent is the DN below which most of the entries lie, the first by its letters of several; empty where there
// are none.
func CommonParent(refs []string) string {
	count := map[string]int{}
	for _, ref := range refs {
		if parts := Split(ref); len(parts) > 1 {
			count[strings.Join(parts[1:], ",")]++
		}
	}
	parents := make([]string, 0, len(count))
	for dn := range count {
		parents = append(parents, dn)
	}
	slices.SortFunc(parents, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	if len(parents) == 0 {
		return ""
	}
	return parents[0]
}
