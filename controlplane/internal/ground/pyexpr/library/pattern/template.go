package pattern

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

// part of a template: a text, or a group when text is empty.
type part struct {
	text  string
	group int
}

func template(t *thread, p pattern, s string) (parts []part) {
	bad := func(format string, args ...any) { t.Raise("re.error", format, args...) }
	add := func(text string) {
		t.Alloc(len(text) + 32)
		parts = append(parts, part{text: text})
	}
	refer := func(n int) {
		if n > p.Groups {
			bad("invalid group reference %d", n)
		}
		t.Alloc(32)
		parts = append(parts, part{group: n})
	}
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			add(s)
			break
		}
		if i > 0 {
			add(s[:i])
		}
		s = s[i+1:]
		if s == "" {
			bad("bad escape (end of pattern)")
		}
		c := s[0]
		digit := func(j int, last byte) bool { return j < len(s) && s[j] >= '0' && s[j] <= last }
		switch {
		case c == 'g':
			name, rest, closed := strings.Cut(strings.TrimPrefix(s[1:], "<"), ">")
			if !strings.HasPrefix(s[1:], "<") || !closed || name == "" {
				bad("missing group name")
			}
			refer(groupOf(t, p, name))
			s = rest
		case c == '0':
			n, code := 1, 0
			for ; n < 3 && digit(n, '7'); n++ {
				code = code*8 + int(s[n]-'0')
			}
			add(string(rune(code)))
			s = s[n:]
		case c >= '1' && c <= '9':
			if c <= '3' && digit(1, '7') && digit(2, '7') {
				add(string(rune(int(c-'0')*64 + int(s[1]-'0')*8 + int(s[2]-'0'))))
				s = s[3:]
				break
			}
			n := 1
			if digit(1, '9') {
				n = 2
			}
			i := int(c - '0')
			if n == 2 {
				i = i*10 + int(s[1]-'0')
			}
			refer(i)
			s = s[n:]
		default:
			to, known := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'f': "\f", 'v': "\v", 'b': "\b",
				'\\': "\\"}[c]
			if !known && (c|0x20 >= 'a' && c|0x20 <= 'z') {
				bad(`bad escape \%c`, c)
			}
			if known {
				add(to)
			} else {
				_, n := utf8.DecodeRuneInString(s)
				add(`\` + s[:n])
				s = s[n-1:]
			}
			s = s[1:]
		}
	}
	return parts
}

// groupOf is the number of the group that a template names.
func groupOf(t *thread, p pattern, name string) int {
	n := 0
	for i, r := range name {
		if r >= '0' && r <= '9' {
			n = min(n*10+int(r-'0'), 1<<20)
			continue
		}
		if i > 0 && n > 0 || r != '_' && !unitext.IsAlpha(r) {
			t.Raise("re.error", "bad character in group name '%s'", name)
		}
		g, ok := p.Names[name]
		if !ok {
			t.Raise("IndexError", "unknown group name '%s'", name)
		}
		return g
	}
	return n
}
