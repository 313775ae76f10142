// Package unitext classifies characters and converts case like Python's str: one character becomes several in upper,
// lower or title case where Unicode says so.
package unitext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// IsDecimal reports whether r is a digit of a positional system.
func IsDecimal(r rune) bool { return unicode.Is(unicode.Nd, r) }

// IsDigit reports whether r is a digit, superscripts and circled ones included.
func IsDigit(r rune) bool { return IsDecimal(r) || r > 0x7f && unicode.Is(digits, r) }

// IsNumeric reports whether r stands for a number.
func IsNumeric(r rune) bool { return IsDigit(r) || r > 0x7f && unicode.Is(numerals, r) }

// IsAlpha reports whether r is a letter.
func IsAlpha(r rune) bool { return unicode.IsLetter(r) }

// IsAlnum reports whether r is a letter or stands for a number.
func IsAlnum(r rune) bool { return IsAlpha(r) || IsNumeric(r) }

// IsWord is \w of a regular expression.
func IsWord(r rune) bool { return r == '_' || IsAlnum(r) }

// IsSpace reports whether r is white space.
func IsSpace(r rune) bool {
	switch {
	case r >= 9 && r <= 13, r >= 28 && r <= 32, r == 0x85, r == 0xa0:
		return true
	case r < 0x1680:
		return false
	}
	return r == 0x1680 || r >= 0x2000 && r <= 0x200a || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f ||
		r == 0x3000
}

// IsLower reports whether r is a letter of lower case.
func IsLower(r rune) bool {
	return unicode.IsLower(r) || r > 0x7f && unicode.Is(unicode.Other_Lowercase, r)
}

// IsUpper reports whether r is a letter of upper case.
func IsUpper(r rune) bool {
	return unicode.IsUpper(r) || r > 0x7f && unicode.Is(unicode.Other_Uppercase, r)
}

// IsTitle reports whether r is a letter of title case.
func IsTitle(r rune) bool { return unicode.IsTitle(r) }

// IsCased reports whether r has a case.
func IsCased(r rune) bool { return IsLower(r) || IsUpper(r) || IsTitle(r) }

// IsBreak reports whether splitlines ends a line after r.
func IsBreak(r rune) bool {
	return r >= '\n' && r <= '\r' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

// special reports whether r may become several characters in another case.
func special(r rune) bool {
	return r >= 0xdf &&
		(r == 0xdf || r == 0x130 || r == 0x149 || r == 0x1f0 || r == 0x390 || r == 0x3b0 || r == 0x587 ||
			r >= 0x1e96 && r <= 0x1e9e || r >= 0x1f50 && r <= 0x1ffc || r >= 0xfb00 && r <= 0xfb17)
}

func put(b *strings.Builder, r rune, simple func(rune) rune, full func(language.Tag, ...cases.Option) cases.Caser) {
	if special(r) {
		caser := full(language.Und)
		b.WriteString(caser.String(string(r)))
		return
	}
	b.WriteRune(simple(r))
}

// Upper writes s in upper case.
func Upper(s string) string {
	if plain(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	for _, r := range s {
		put(&b, r, unicode.ToUpper, cases.Upper)
	}
	return b.String()
}

// Fold writes s so that texts which differ in case alone become the same.
func Fold(s string) string {
	if plain(s) {
		return strings.ToLower(s)
	}
	return cases.Fold().String(s)
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Lower writes s in lower case.
func Lower(s string) string {
	if plain(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		lower(&b, s, i, r)
	}
	return b.String()
}

// lower writes the character at i in lower case. A sigma at the end of a word has a form of its own.
func lower(b *strings.Builder, s string, i int, r rune) {
	switch {
	case r == 'Σ' && final(s, i):
		b.WriteRune('ς')
	case r == 'İ':
		b.WriteString("i̇")
	default:
		b.WriteRune(unicode.ToLower(r))
	}
}

// final reports whether a letter stands before i, and none after the character there, passing over marks.
func final(s string, i int) bool {
	before := false
	for rest := s[:i]; rest != ""; {
		r, n := utf8.DecodeLastRuneInString(rest)
		if rest = rest[:len(rest)-n]; !ignorable(r) {
			before = IsCased(r)
			break
		}
	}
	if !before {
		return false
	}
	for _, r := range s[i+len("Σ"):] {
		if !ignorable(r) {
			return !IsCased(r)
		}
	}
	return true
}

// ignorable is the property Case_Ignorable.
func ignorable(r rune) bool {
	switch r {
	case '\'',
		'.',
		':',
		'^',
		'`',
		0xa8,
		0xad,
		0xaf,
		0xb4,
		0xb7,
		0xb8,
		0x2019,
		0x2018,
		0x2024,
		0x2027,
		0xfe13,
		0xfe52,
		0xfe55,
		0xff07,
		0xff0e,
		0xff1a,
		0x387,
		0x55f,
		0x5f4:
		return true
	}
	return r > 0x7f && unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// title writes the first character of a word.
func title(b *strings.Builder, r rune) { put(b, r, unicode.ToTitle, cases.Title) }

// Title writes the first letter of every word in title case and the others in lower case.
func Title(s string) string {
	var b strings.Builder
	cased := false
	for i, r := range s {
		if cased {
			lower(&b, s, i, r)
		} else {
			title(&b, r)
		}
		cased = IsCased(r)
	}
	return b.String()
}

// Capitalize writes the first character in title case and the others in lower case.
func Capitalize(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i == 0 {
			title(&b, r)
		} else {
			lower(&b, s, i, r)
		}
	}
	return b.String()
}

// SwapCase exchanges upper and lower case.
func SwapCase(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case IsUpper(r):
			lower(&b, s, i, r)
		case IsLower(r):
			put(&b, r, unicode.ToUpper, cases.Upper)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
