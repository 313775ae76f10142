package discovery

import (
	"fmt"
	"strings"
	"unicode"
)

// sampleText is a sample value as it is shown: masked where that is asked for, and cut to 120
// characters.
func sampleText(v string, mask bool) string {
	if mask {
		v = maskText(v)
	}
	if r := []rune(v); len(r) > sampleLength {
		return fmt.Sprintf("%s…", string(r[:sampleLength]))
	}
	return v
}

// maskText keeps the shape of a value and hides it: j***@e***.com.
func maskText(v string) string {
	tail := ""
	if dot := strings.LastIndexByte(v, '.'); strings.Contains(v, "@") && dot > 0 && len(v)-dot-1 <= mailTopDomain {
		v, tail = v[:dot], v[dot:]
	}
	var b strings.Builder
	inside := false
	for _, r := range v {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case word && !inside:
			b.WriteRune(r)
			b.WriteString("***")
		case !word:
			b.WriteRune(r)
		}
		inside = word
	}
	return b.String() + tail
}
