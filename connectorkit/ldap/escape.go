package ldap

import (
	"encoding/hex"
	"strings"
)

// escapeFilter writes a value for use in a filter (RFC 4515 section 3). Everything but letters and digits of ASCII, spaces and
// the harmless punctuation of names is escaped, so that no value can change the filter it stands in. Names in a DN are escaped by
// escapeValue; the two are not interchangeable.
func escapeFilter(s string) string {
	if !strings.ContainsFunc(s, needsEscape) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || needsEscape(rune(c)) {
			escapeByte(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func needsEscape(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return false
	}
	return !strings.ContainsRune(" ,=-._@", c)
}

// escapeBytes writes a binary value, such as an objectGUID, for use in a filter.
func escapeBytes(value []byte) string {
	var b strings.Builder
	for _, c := range value {
		escapeByte(&b, c)
	}
	return b.String()
}

func escapeByte(b *strings.Builder, c byte) {
	b.WriteByte('\\')
	b.WriteString(hex.EncodeToString([]byte{c}))
}
