package match

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The ways in which two values can agree.
const (
	Exact      = "exact"
	CiExact    = "ci_exact"
	normalized = "normalized"
	digits     = "digits"
	prefix     = "prefix"
	Trigram    = "trigram"
	distance   = "levenshtein"
)

// Match is a way in which two values can agree, parsed: a prefix has a number of characters, a distance of edits, and
// a trigram similarity a bound.
type Match struct {
	// Kind is the name of the comparison; N and Least are its parameters.
	Kind  string
	N     int
	Least float64
}

// Help describes the matches for authors of rules.
const Help = "use exact, ci_exact, normalized, digits, prefix_<2 to 40>, trigram>=<0.3 to 1> or " +
	"levenshtein<=<1 to 3>"

// Parse reads prefix_4, trigram>=0.6, levenshtein<=2 and the names that need no number.
func Parse(text string) (Match, error) {
	plain := strings.NewReplacer("≥", ">=", "≤", "<=", " ", "").Replace(text)
	unknown := fmt.Errorf("%q is no way to compare: %s", text, Help)
	switch plain {
	case Exact, CiExact, normalized, digits:
		return Match{Kind: plain}, nil
	}
	if number, ok := strings.CutPrefix(plain, "prefix_"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 2 || n > 40 {
			return Match{}, unknown
		}
		return Match{Kind: prefix, N: n}, nil
	}
	if number, ok := strings.CutPrefix(plain, "levenshtein<="); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > 3 {
			return Match{}, unknown
		}
		return Match{Kind: distance, N: n}, nil
	}
	if number, ok := strings.CutPrefix(plain, "trigram>="); ok {
		least, err := strconv.ParseFloat(number, 64)
		if err != nil || !(least >= 0.3 && least <= 1) {
			return Match{}, unknown
		}
		return Match{Kind: Trigram, Least: least}, nil
	}
	return Match{}, unknown
}

// String is the one way in which a match is written.
func (m Match) String() string {
	switch m.Kind {
	case prefix:
		return "prefix_" + strconv.Itoa(m.N)
	case distance:
		return "levenshtein<=" + strconv.Itoa(m.N)
	case Trigram:
		return "trigram>=" + strconv.FormatFloat(m.Least, 'f', -1, 64)
	}
	return m.Kind
}

// Fuzzy reports whether the match says that two values are alike, not that they are the same. Alone such a match gives
// no one a privileged account.
func (m Match) Fuzzy() bool { return m.Kind == Trigram || m.Kind == distance || m.Kind == prefix }

// Equality reports whether the match asks if two normal forms are the same, so that candidates can be looked up by a
// key.
func (m Match) Equality() bool { return m.Kind != Trigram && m.Kind != distance }

// Normal is the form of a value that is compared. Empty means that there is nothing to compare.
func (m Match) Normal(s string) string {
	switch m.Kind {
	case Exact:
		return s
	case CiExact:
		return strings.ToLower(norm.NFC.String(strings.TrimSpace(s)))
	case digits:
		return Digits(s)
	case Trigram:
		return Words(s)
	case prefix:
		return FirstRunes(Letters(s), m.N)
	}
	return Letters(s)
}

// Agree compares two normal forms, neither of them empty.
func (m Match) Agree(a, b string) bool {
	switch m.Kind {
	case Trigram:
		return a == b || Similarity(Trigrams(a), Trigrams(b)) >= m.Least-Tolerance
	case distance:
		return Within([]rune(a), []rune(b), m.N)
	}
	return a == b
}

// Tolerance is for sums of floating-point numbers that would be equal on paper.
const Tolerance = 1e-9

// Round keeps four digits: enough to tell scores apart, and the same on every machine.
func Round(score float64) float64 { return math.Round(score*1e4) / 1e4 }
