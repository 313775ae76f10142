package pattern

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

var (
	patternType = library.NewType("re.Pattern", func(v value) bool { _, ok := v.(pattern); return ok })
	reModule    = &library.Module{Name: "re", Attrs: map[string]value{}, Not: map[string]string{
		"template": "there is re.compile",
		"DEBUG":    "it writes to a terminal",
		"LOCALE":   "texts are Unicode",
		"L":        "texts are Unicode",
		"purge":    "there is nothing to empty",
	}}
)

func init() {
	library.Names["re"] = reModule
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
		reModule.Attrs[name] = library.NewFunc(name, params, fn)
	}
	module("compile", "pattern flags?", func(t *thread, a values) value { return compiled(t, a[0], a[1]) })
	module("escape", "pattern", escape)
	for name, mode := range map[string]regex.Mode{"match": regex.Prefix, "search": regex.Search,
		"fullmatch": regex.Full} {
		module(name, "pattern string flags?", func(t *thread, a values) value {
			return matchOnce(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing, mode)
		})
		library.AddMethod(patternType, name, "string pos? endpos?", func(t *thread, a values) value {
			return matchOnce(t, a[0].(pattern), a[1], a[2], a[3], mode)
		})
	}
	module("findall", "pattern string flags?", func(t *thread, a values) value {
		return findAll(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing)
	})
	library.AddMethod(
		patternType,
		"findall",
		"string pos? endpos?",
		func(t *thread, a values) value {
			return findAll(t, a[0].(pattern), a[1], a[2], a[3])
		},
	)
	module("finditer", "pattern string flags?", func(t *thread, a values) value {
		return findIter(t, compiled(t, a[0], a[2]), a[1], object.Missing, object.Missing)
	})
	library.AddMethod(
		patternType,
		"finditer",
		"string pos? endpos?",
		func(t *thread, a values) value {
			return findIter(t, a[0].(pattern), a[1], a[2], a[3])
		},
	)
	module("split", "pattern string maxsplit? flags?", func(t *thread, a values) value {
		return regexSplit(t, compiled(t, a[0], a[3]), a[1], a[2])
	})
	library.AddMethod(
		patternType,
		"split",
		"string maxsplit?",
		func(t *thread, a values) value {
			return regexSplit(t, a[0].(pattern), a[1], a[2])
		},
	)
	module("sub", "pattern repl string count? flags?", func(t *thread, a values) value {
		s, _ := substitute(t, compiled(t, a[0], a[4]), a[1], a[2], a[3])
		return s
	})
	library.AddMethod(patternType, "sub", "repl string count?", func(t *thread, a values) value {
		s, _ := substitute(t, a[0].(pattern), a[1], a[2], a[3])
		return s
	})
	module("subn", "pattern repl string count? flags?", func(t *thread, a values) value {
		s, n := substitute(t, compiled(t, a[0], a[4]), a[1], a[2], a[3])
		return object.NewTuple(s, int64(n))
	})
	library.AddMethod(patternType, "subn", "repl string count?", func(t *thread, a values) value {
		s, n := substitute(t, a[0].(pattern), a[1], a[2], a[3])
		return object.NewTuple(s, int64(n))
	})
	patternType.Getters["pattern"] = func(_ *thread, v value) value { return v.(pattern).Source }
	patternType.Getters["flags"] = func(_ *thread, v value) value { return int64(v.(pattern).Flags) }
	patternType.Getters["groups"] = func(_ *thread, v value) value { return int64(v.(pattern).Groups) }
	patternType.Getters["groupindex"] = func(t *thread, v value) value {
		d := &object.Dict{}
		for _, name := range v.(pattern).NamesInOrder() {
			t.Put(d, name, int64(v.(pattern).Names[name]))
		}
		return d
	}
}
