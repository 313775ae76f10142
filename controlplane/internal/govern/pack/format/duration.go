package format

import "strings"

// isNothing reports whether a duration is zero.
func isNothing(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= '1' && r <= '9' }) < 0
}
