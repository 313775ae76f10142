package romanize

import (
	"fmt"
	"strings"
	"unicode"
)

// Charset holds characters of ASCII.
type Charset [128]bool

// ParseCharset reads what stands in the brackets of a regular expression: characters and ranges of them. A - at either
// end is itself.
func ParseCharset(text string) (*Charset, error) {
	set := &Charset{}
	for i := 0; i < len(text); i++ {
		from, to := text[i], text[i]
		if i+2 < len(text) && text[i+1] == '-' {
			to = text[i+2]
			i += 2
		}
		switch {
		case from <= ' ' || from > '~' || to > '~':
			return nil, fmt.Errorf("%q is no visible character of ASCII", text[i])
		case to < from:
			return nil, fmt.Errorf("the range %c-%c runs backwards", from, to)
		}
		for c := from; c <= to; c++ {
			set[c] = true
		}
	}
	if !set.Any('a', 'z') && !set.Any('A', 'Z') && !set.Any('0', '9') {
		return nil, fmt.Errorf("there is no letter and no digit among them")
	}
	return set, nil
}

// Any reports whether one of a range of characters is among them.
func (s *Charset) Any(from, to byte) bool {
	for c := from; c <= to; c++ {
		if s[c] {
			return true
		}
	}
	return false
}

// All reports whether all of a range of characters are among them.
func (s *Charset) All(from, to byte) bool {
	for c := from; c <= to; c++ {
		if !s[c] {
			return false
		}
	}
	return true
}

// Has reports whether a character is among them.
func (s *Charset) Has(r rune) bool { return r >= 0 && r < 128 && s[r] }

// Keep gives the text in ASCII with what is allowed of it. A letter that is allowed in the other case alone changes to
// it.
func (s *Charset) Keep(text string) string {
	return strings.Map(func(r rune) rune {
		for _, r := range []rune{r, unicode.ToLower(r), unicode.ToUpper(r)} {
			if s.Has(r) {
				return r
			}
		}
		return -1
	}, text)
}

// punctuation may stand inside a name and not at its ends.
const punctuation = "._-+'@"

// Single leaves one of several characters of punctuation in a row, and none at the ends.
func Single(name string) string {
	out := make([]byte, 0, len(name))
	for i := range len(name) {
		mark := strings.IndexByte(punctuation, name[i]) >= 0
		if mark && (len(out) == 0 || strings.IndexByte(punctuation, out[len(out)-1]) >= 0) {
			continue
		}
		out = append(out, name[i])
	}
	return strings.TrimRight(string(out), punctuation)
}

// Shorten cuts a name to a length, and never ends it in punctuation.
func Shorten(name string, length int) string {
	if len(name) > length {
		name = name[:length]
	}
	return strings.TrimRight(name, punctuation)
}
