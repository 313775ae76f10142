package library

import (
	"errors"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

// pattern is what re.compile gives.
type pattern struct{ *regex.Pattern }

func (p *pattern) TypeName() string { return "re.Pattern" }

func (p *pattern) Repr(t *thread) string { return "re.compile(" + t.Repr(p.Source) + ")" }

func (p *pattern) Str(t *thread) string { return p.Repr(t) }

var (
	patternType = newType("re.Pattern", func(v value) bool { _, ok := v.(*pattern); return ok })
	reModule    = &object.Module{Name: "re", Attrs: map[string]value{}, Not: map[string]string{
		"template": "there is re.compile",
		"DEBUG":    "it writes to a terminal",
		"LOCALE":   "texts are Unicode",
		"L":        "texts are Unicode",
		"purge":    "there is nothing to empty",
	}}
)

func init() {
	Names["re"] = reModule
	for name, flag := range map[string]regex.Flags{
		"IGNORECASE": regex.IgnoreCase, "I": regex.IgnoreCase, "MULTILINE": regex.Multiline, "M": regex.Multiline,
		"DOTALL": regex.DotAll, "S": regex.DotAll, "VERBOSE": regex.Verbose, "X": regex.Verbose, "ASCII": regex.ASCII,
		"A":       regex.ASCII,
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
	for name, mode := range map[string]regex.Mode{"match": regex.Prefix, "search": regex.Search,
		"fullmatch": regex.Full} {
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
	method(
		patternType,
		"findall",
		"string pos? endpos?",
		func(t *thread, a values) value { return findAll(t, a[0].(*pattern), a[1], a[2], a[3]) },
	)
	module("finditer", "pattern string flags?", func(t *thread, a values) value {
		return findIter(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing)
	})
	method(
		patternType,
		"finditer",
		"string pos? endpos?",
		func(t *thread, a values) value { return findIter(t, a[0].(*pattern), a[1], a[2], a[3]) },
	)
	module("split", "pattern string maxsplit? flags?", func(t *thread, a values) value {
		return regexSplit(t, compiled(t, a[0], a[3]), a[1], a[2])
	})
	method(
		patternType,
		"split",
		"string maxsplit?",
		func(t *thread, a values) value { return regexSplit(t, a[0].(*pattern), a[1], a[2]) },
	)
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

// kept is a compiled pattern with what it cost, which is charged every time it is used: an expression costs the same
// whether or not its patterns have been compiled before.
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

// What an expression remembers of its patterns.
const (
	maxKept      = 32
	maxKeptBytes = 64 << 10 // of one
)

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
	if len(t.Memo) < maxKept && m.kept.bytes < maxKeptBytes {
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
