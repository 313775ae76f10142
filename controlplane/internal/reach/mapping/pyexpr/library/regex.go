package library

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/regex"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/unitext"
)

// pattern is what re.compile gives.
type pattern struct{ *regex.Pattern }

func (p *pattern) TypeName() string { return "re.Pattern" }

func (p *pattern) Repr(t *thread) string { return "re.compile(" + t.Repr(p.Source) + ")" }
func (p *pattern) Str(t *thread) string  { return p.Repr(t) }

var (
	patternType = newType("re.Pattern", func(v value) bool { _, ok := v.(*pattern); return ok })
	reModule    = &object.Module{Name: "re", Attrs: map[string]value{}, Not: map[string]string{
		"template": "there is re.compile", "DEBUG": "it writes to a terminal", "LOCALE": "texts are Unicode", "L": "texts are Unicode",
		"purge": "there is nothing to empty",
	}}
)

func init() {
	Names["re"] = reModule
	for name, flag := range map[string]regex.Flags{
		"IGNORECASE": regex.IgnoreCase, "I": regex.IgnoreCase, "MULTILINE": regex.Multiline, "M": regex.Multiline,
		"DOTALL": regex.DotAll, "S": regex.DotAll, "VERBOSE": regex.Verbose, "X": regex.Verbose, "ASCII": regex.ASCII, "A": regex.ASCII,
		"UNICODE": regex.Unicode, "U": regex.Unicode, "NOFLAG": 0,
	} {
		reModule.Attrs[name] = int64(flag)
	}
	reModule.Attrs["Pattern"], reModule.Attrs["Match"] = patternType, matchType
	module := func(name, params string, fn func(t *thread, a values) value) {
		reModule.Attrs[name] = object.NewFunc(name, params, fn)
	}
	module("compile", "pattern flags?", func(t *thread, a values) value { return compiled(t, a[0], a[1]) })
	module("escape", "pattern", escape)
	for name, mode := range map[string]regex.Mode{"match": regex.Prefix, "search": regex.Search, "fullmatch": regex.Full} {
		module(name, "pattern string flags?", func(t *thread, a values) value {
			return matchOnce(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing, mode)
		})
		method(patternType, name, "string pos? endpos?", func(t *thread, a values) value {
			return matchOnce(t, a[0].(*pattern), a[1], a[2], a[3], mode)
		})
	}
	module("findall", "pattern string flags?", func(t *thread, a values) value {
		return findAll(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing)
	})
	method(patternType, "findall", "string pos? endpos?", func(t *thread, a values) value { return findAll(t, a[0].(*pattern), a[1], a[2], a[3]) })
	module("finditer", "pattern string flags?", func(t *thread, a values) value {
		return findIter(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing)
	})
	method(patternType, "finditer", "string pos? endpos?", func(t *thread, a values) value { return findIter(t, a[0].(*pattern), a[1], a[2], a[3]) })
	module("split", "pattern string maxsplit? flags?", func(t *thread, a values) value {
		return regexSplit(t, compiled(t, a[0], a[3]), a[1], a[2])
	})
	method(patternType, "split", "string maxsplit?", func(t *thread, a values) value { return regexSplit(t, a[0].(*pattern), a[1], a[2]) })
	module("sub", "pattern repl string count? flags?", func(t *thread, a values) value {
		s, _ := substitute(t, compiled(t, a[0], a[4]), a[1], a[2], a[3])
		return s
	})
	method(patternType, "sub", "repl string count?", func(t *thread, a values) value {
		s, _ := substitute(t, a[0].(*pattern), a[1], a[2], a[3])
		return s
	})
	module("subn", "pattern repl string count? flags?", func(t *thread, a values) value {
		s, n := substitute(t, compiled(t, a[0], a[4]), a[1], a[2], a[3])
		return object.NewTuple(s, int64(n))
	})
	method(patternType, "subn", "repl string count?", func(t *thread, a values) value {
		s, n := substitute(t, a[0].(*pattern), a[1], a[2], a[3])
		return object.NewTuple(s, int64(n))
	})
	patternType.Getters["pattern"] = func(_ *thread, v value) value { return v.(*pattern).Source }
	patternType.Getters["flags"] = func(_ *thread, v value) value { return int64(v.(*pattern).Flags) }
	patternType.Getters["groups"] = func(_ *thread, v value) value { return int64(v.(*pattern).Groups) }
	patternType.Getters["groupindex"] = func(t *thread, v value) value {
		d := &object.Dict{}
		for _, name := range v.(*pattern).NamesInOrder() {
			t.Put(d, name, int64(v.(*pattern).Names[name]))
		}
		return d
	}
}

// kept is a compiled pattern with what it cost, which is charged every time it is used: an expression costs the same whether
// or not its patterns have been compiled before.
type kept struct {
	pattern      *pattern
	steps, bytes int
}

type patternKey struct {
	source string
	flags  regex.Flags
}

// tally is a Meter that notes down as well.
type tally struct {
	t    *thread
	kept kept
}

func (m *tally) Steps(n int) { m.kept.steps += n; m.t.Steps(n) }
func (m *tally) Alloc(n int) { m.kept.bytes += n; m.t.Alloc(n) }

// maxKept patterns are remembered by one expression.
const maxKept = 32

func compiled(t *thread, source, flags value) *pattern {
	if p, ok := source.(*pattern); ok {
		if !missing(flags) && t.Index(flags) != 0 {
			t.ValueError("cannot process flags argument with a compiled pattern")
		}
		return p
	}
	s, ok := source.(string)
	if !ok {
		t.TypeError("first argument must be string or compiled pattern")
	}
	key := patternKey{s, regex.Flags(number(t, flags, 0))}
	if k, ok := t.Memo[key].(kept); ok {
		t.Steps(k.steps)
		t.Alloc(k.bytes)
		return k.pattern
	}
	m := &tally{t: t}
	p, err := regex.Compile(m, s, key.flags)
	if err != nil {
		var wrong *regex.Error
		if errors.As(err, &wrong) {
			t.Raise("re.error", "%s", wrong.Msg)
		}
		panic(err)
	}
	m.kept.pattern = &pattern{p}
	if len(t.Memo) < maxKept && len(s) < 512 {
		if t.Memo == nil {
			t.Memo = map[any]any{}
		}
		t.Memo[key] = m.kept
	}
	return m.kept.pattern
}

func escape(t *thread, a values) value {
	s := text(t, a[0], "escape() argument")
	t.Alloc(2*len(s) + 16)
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func subject(t *thread, v value) string {
	s, ok := v.(string)
	if !ok {
		t.TypeError("expected string or bytes-like object, got '%s'", object.TypeName(v))
	}
	return s
}

// within are the byte offsets of pos and endpos.
func within(t *thread, s string, pos, endpos value) (from, to int) {
	at := func(v value, otherwise int) int {
		if missing(v) {
			return otherwise
		}
		return object.Offset(s, max(t.Index(v), 0))
	}
	return at(pos, 0), at(endpos, len(s))
}

func matchOnce(t *thread, p *pattern, subj, pos, endpos value, mode regex.Mode) value {
	s := subject(t, subj)
	from, to := within(t, s, pos, endpos)
	if from > to {
		return nil
	}
	spans := p.Match(t, s, from, to, -1, mode)
	if spans == nil {
		return nil
	}
	t.Alloc(64)
	return &match{p, s, spans}
}

// each finds the matches one after the other.
func each(t *thread, p *pattern, s string, from, to int) func() []int {
	notEmpty := -1
	return func() []int {
		if from > to {
			return nil
		}
		t.Steps(1)
		spans := p.Match(t, s, from, to, notEmpty, regex.Search)
		if spans == nil {
			from = to + 1
			return nil
		}
		from, notEmpty = spans[1], -1
		if spans[0] == spans[1] {
			notEmpty = spans[1]
		}
		return spans
	}
}

func findAll(t *thread, p *pattern, subj, pos, endpos value) value {
	s := subject(t, subj)
	from, to := within(t, s, pos, endpos)
	next := each(t, p, s, from, to)
	l := &object.List{}
	for spans := next(); spans != nil; spans = next() {
		t.Items(2)
		m := &match{p, s, spans}
		switch p.Groups {
		case 0:
			l.Items = append(l.Items, m.group(t, 0, ""))
		case 1:
			l.Items = append(l.Items, m.group(t, 1, ""))
		default:
			l.Items = append(l.Items, m.groups(t, ""))
		}
	}
	return l
}

func findIter(t *thread, p *pattern, subj, pos, endpos value) value {
	s := subject(t, subj)
	from, to := within(t, s, pos, endpos)
	next := each(t, p, s, from, to)
	return newIter(t, "callable_iterator", func() (value, bool) {
		spans := next()
		if spans == nil {
			return nil, false
		}
		t.Alloc(64)
		return &match{p, s, spans}, true
	})
}

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
			to, known := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'f': "\f", 'v': "\v", 'b': "\b", '\\': "\\"}[c]
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
