package lexer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// Unescape turns the text of a literal between its quotes into what it stands for. off is where the text begins, for
// errors; bytes is true for a bytes literal, which has ASCII only and no \u.
func Unescape(s string, off int, bytes bool) (string, *syntax.Error) {
	if bytes {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				return "", syntax.ErrorAt(off+i, "bytes can only contain ASCII literal characters")
			}
		}
	}
	if strings.IndexByte(s, '\\') < 0 {
		return strings.ReplaceAll(s, "\r\n", "\n"), nil
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		n, err := escape(&b, s[i:], off+i, bytes)
		if err != nil {
			return "", err
		}
		i += n
	}
	return b.String(), nil
}

var simple = map[byte]string{
	'\n': "",
	'\\': "\\",
	'\'': "'",
	'"':  "\"",
	'a':  "\a",
	'b':  "\b",
	'f':  "\f",
	'n':  "\n",
	'r':  "\r",
	't':  "\t",
	'v':  "\v",
}

// escape writes what the escape at the start of s stands for and returns its length. An escape that is none stays as it
// is.
func escape(b *strings.Builder, s string, off int, bytes bool) (int, *syntax.Error) {
	if to, ok := simple[s[1]]; ok {
		b.WriteString(to)
		return 2, nil
	}
	switch c := s[1]; {
	case c >= '0' && c <= '7':
		n := 2
		for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(s[1:n], 8, 32)
		return n, put(b, code, off, bytes)
	case c == 'x':
		return hex(b, s, 2, off, bytes)
	case c == 'u' && !bytes:
		return hex(b, s, 4, off, false)
	case c == 'U' && !bytes:
		return hex(b, s, 8, off, false)
	case c == 'N' && !bytes:
		return 0, syntax.RefuseAt(off, `\N{...} is not possible here; use \uXXXX`)
	}
	b.WriteByte('\\')
	return 1, nil
}

func hex(b *strings.Builder, s string, digits, off int, bytes bool) (int, *syntax.Error) {
	if len(s) < 2+digits {
		return 0, syntax.ErrorAt(off, `truncated \%cXX escape`, s[1])
	}
	code, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil || s[2] == '+' {
		return 0, syntax.ErrorAt(off, `truncated \%cXX escape`, s[1])
	}
	return 2 + digits, put(b, code, off, bytes)
}

func put(b *strings.Builder, code uint64, off int, bytes bool) *syntax.Error {
	switch {
	case bytes:
		b.WriteByte(byte(code))
	case code > utf8.MaxRune:
		return syntax.ErrorAt(off, "illegal Unicode character")
	case !utf8.ValidRune(rune(code)):
		return syntax.RefuseAt(off, "half of a surrogate pair is no character; write the whole character")
	default:
		b.WriteRune(rune(code))
	}
	return nil
}
