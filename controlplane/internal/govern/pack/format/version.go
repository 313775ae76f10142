package format

import (
	"regexp"
	"strconv"
	"strings"
)

// ServiceVersion is what a pack may ask for under requires.service.
const ServiceVersion = "1.0.0"

// versionRange is one condition on a version, such as >=1.0.
var versionRange = regexp.MustCompile(`^(>=|<=|>|<|=)?([0-9]+(?:\.[0-9]+){0,2})$`)

// padded fills a version of one or two numbers up to three.
func padded(v string) string { return v + strings.Repeat(".0", 2-strings.Count(v, ".")) }

// fits says whether a comparison result satisfies an operator.
func fits(op string, order int) bool {
	switch op {
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case "<":
		return order < 0
	}
	return order == 0
}

// Compare orders two semantic versions. One with an addition (1.0.0-rc.1) comes before the one without.
func Compare(a, b string) int {
	aCore, aMore, _ := strings.Cut(a, "-")
	bCore, bMore, _ := strings.Cut(b, "-")
	if c := compareParts(strings.Split(aCore, "."), strings.Split(bCore, ".")); c != 0 {
		return c
	}
	switch {
	case aMore == bMore:
		return 0
	case aMore == "":
		return 1
	case bMore == "":
		return -1
	}
	return compareParts(strings.Split(aMore, "."), strings.Split(bMore, "."))
}

// compareParts compares pre-release identifiers (Semantic Versioning 2.0.0, rule 11).
func compareParts(a, b []string) int {
	for i := range min(len(a), len(b)) {
		x, errX := strconv.Atoi(a[i])
		y, errY := strconv.Atoi(b[i])
		switch {
		case errX == nil && errY == nil && x != y:
			return sign(x - y)
		case errX == nil && errY != nil:
			return -1 // a number comes before a word
		case errX != nil && errY == nil:
			return 1
		case errX != nil && a[i] != b[i]:
			return strings.Compare(a[i], b[i])
		}
	}
	return sign(len(a) - len(b))
}

// sign is -1, 0 or 1.
func sign(n int) int { return max(-1, min(1, n)) }
