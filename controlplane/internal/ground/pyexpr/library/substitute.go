package library

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

func regexSplit(t *thread, p *pattern, subj, maxsplit value) value {
	s, most := subject(t, subj), number(t, maxsplit, 0)
	next := each(t, p, s, 0, len(s))
	l := &object.List{}
	last := 0
	for n := 0; most == 0 || n < most; n++ {
		spans := next()
		if spans == nil {
			break
		}
		t.Items(4)
		l.Items = append(l.Items, s[last:spans[0]])
		m := &match{p, s, spans}
		for i := 1; i <= p.Groups; i++ {
			t.Items(2)
			l.Items = append(l.Items, m.group(t, i, nil))
		}
		last = spans[1]
	}
	l.Items = append(l.Items, s[last:])
	return l
}

func substitute(t *thread, p *pattern, repl, subj, count value) (string, int) {
	s, most := subject(t, subj), number(t, count, 0)
	with := replacement(t, p, repl)
	next := each(t, p, s, 0, len(s))
	var b strings.Builder
	last, n := 0, 0
	for ; most == 0 || n < most; n++ {
		spans := next()
		if spans == nil {
			break
		}
		r := with(&match{p, s, spans})
		t.Alloc(spans[0] - last + len(r))
		b.WriteString(s[last:spans[0]])
		b.WriteString(r)
		last = spans[1]
	}
	t.Alloc(len(s) - last + 16)
	b.WriteString(s[last:])
	return b.String(), n
}

// replacement is what a match is replaced by: what a function gives, or a template filled in.
func replacement(t *thread, p *pattern, repl value) func(m *match) string {
	s, ok := repl.(string)
	if !ok {
		if _, callable := repl.(object.Callable); !callable {
			t.TypeError("decoding to str: need a bytes-like object, %s found", object.TypeName(repl))
		}
		return func(m *match) string {
			v := t.CallValue(repl, m)
			if v == nil {
				return ""
			}
			return text(t, v, "what the function of sub() gives")
		}
	}
	if strings.IndexByte(s, '\\') < 0 {
		return func(*match) string { return s }
	}
	parts := template(t, p, s)
	return func(m *match) string { return m.fill(t, parts) }
}

// part of a template: a text, or a group when text is empty.
type part struct {
	text  string
	group int
}

func template(t *thread, p *pattern, s string) (parts []part) {
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
func groupOf(t *thread, p *pattern, name string) int {
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
