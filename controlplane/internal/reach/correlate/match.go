package correlate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The ways in which two values can agree.
const (
	exact      = "exact"
	ciExact    = "ci_exact"
	normalized = "normalized"
	digits     = "digits"
	prefix     = "prefix"
	trigram    = "trigram"
	distance   = "levenshtein"
)

// match is one of them, parsed: prefix has a number of characters, levenshtein of edits, and trigram a similarity.
type match struct {
	kind  string
	n     int
	least float64
}

// howToMatch tells a writer of rules what there is.
const howToMatch = "use exact, ci_exact, normalized, digits, prefix_<2 to 40>, trigram>=<0.3 to 1> or " +
	"levenshtein<=<1 to 3>"

// parseMatch reads prefix_4, trigram>=0.6, levenshtein<=2 and the names that need no number.
func parseMatch(text string) (match, error) {
	plain := strings.NewReplacer("≥", ">=", "≤", "<=", " ", "").Replace(text)
	unknown := fmt.Errorf("%q is no way to compare: %s", text, howToMatch)
	switch plain {
	case exact, ciExact, normalized, digits:
		return match{kind: plain}, nil
	}
	if number, ok := strings.CutPrefix(plain, "prefix_"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 2 || n > 40 {
			return match{}, unknown
		}
		return match{kind: prefix, n: n}, nil
	}
	if number, ok := strings.CutPrefix(plain, "levenshtein<="); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > 3 {
			return match{}, unknown
		}
		return match{kind: distance, n: n}, nil
	}
	if number, ok := strings.CutPrefix(plain, "trigram>="); ok {
		least, err := strconv.ParseFloat(number, 64)
		if err != nil || !(least >= 0.3 && least <= 1) {
			return match{}, unknown
		}
		return match{kind: trigram, least: least}, nil
	}
	return match{}, unknown
}

// String is the one way in which a match is written.
func (m match) String() string {
	switch m.kind {
	case prefix:
		return "prefix_" + strconv.Itoa(m.n)
	case distance:
		return "levenshtein<=" + strconv.Itoa(m.n)
	case trigram:
		return "trigram>=" + strconv.FormatFloat(m.least, 'f', -1, 64)
	}
	return m.kind
}

// fuzzy ways say that two values are alike, not that they are the same. Alone they give nobody a privileged account.
func (m match) fuzzy() bool { return m.kind == trigram || m.kind == distance || m.kind == prefix }

// equality ways ask whether two normal forms are the same, so that candidates can be looked up by a key.
func (m match) equality() bool { return m.kind != trigram && m.kind != distance }

// normal is the form of a value that is compared. Empty means that there is nothing to compare.
func (m match) normal(s string) string {
	switch m.kind {
	case exact:
		return s
	case ciExact:
		return strings.ToLower(norm.NFC.String(strings.TrimSpace(s)))
	case digits:
		return digitsOf(s)
	case trigram:
		return wordsOf(s)
	case prefix:
		return firstRunes(lettersOf(s), m.n)
	}
	return lettersOf(s)
}

// agree compares two normal forms, neither of them empty.
func (m match) agree(a, b string) bool {
	switch m.kind {
	case trigram:
		return a == b || similarity(trigramsOf(a), trigramsOf(b)) >= m.least-tolerance
	case distance:
		return within([]rune(a), []rune(b), m.n)
	}
	return a == b
}

// tolerance is for sums of floating-point numbers that would be equal on paper.
const tolerance = 1e-9

// digitsOf keeps the digits and drops the zeros before them, which spreadsheets lose.
func digitsOf(s string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
	return strings.TrimLeft(kept, "0")
}

// lettersOf is a text in lower case without accents, spaces and punctuation: letters and digits alone.
func lettersOf(s string) string { return strings.ReplaceAll(wordsOf(s), " ", "") }

// wordsOf is lettersOf with one space between words.
func wordsOf(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	put := func(text string) {
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteString(text)
	}
	if !isASCII(s) {
		s = norm.NFKD.String(s)
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			put(string(r))
		case r >= 'A' && r <= 'Z':
			put(string(r + 'a' - 'A'))
		case r < utf8.RuneSelf:
			gap = true
		case plain[unicode.ToLower(r)] != "":
			put(plain[unicode.ToLower(r)])
		case unicode.IsLetter(r), unicode.IsNumber(r):
			put(string(unicode.ToLower(r)))
		case !unicode.Is(unicode.Mn, r):
			gap = true
		}
	}
	return b.String()
}

// plain are the letters that no decomposition brings to ASCII, and how people write them without their own keyboard.
var plain = map[rune]string{
	'ß': "ss",
	'æ': "ae",
	'œ': "oe",
	'ø': "o",
	'ł': "l",
	'đ': "d",
	'ð': "d",
	'þ': "th",
	'ı': "i",
	'ŋ': "n",
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// firstRunes is the beginning of a text, or empty when the text is shorter.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	if n == 0 {
		return s
	}
	return ""
}

// rounded keeps four digits: enough to tell scores apart, and the same on every machine.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }
