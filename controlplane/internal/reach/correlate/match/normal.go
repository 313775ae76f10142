package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Digits keeps the digits and drops the zeros before them, which spreadsheets lose.
func Digits(s string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
	return strings.TrimLeft(kept, "0")
}

// Letters is a text in lower case without accents, spaces and punctuation: letters and digits alone.
func Letters(s string) string { return strings.ReplaceAll(Words(s), " ", "") }

// Words is lettersOf with one space between words.
func Words(s string) string {
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

// isASCII says whether a text needs no Unicode normalization.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// FirstRunes is the beginning of a text, or empty when the text is shorter.
func FirstRunes(s string, n int) string {
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
