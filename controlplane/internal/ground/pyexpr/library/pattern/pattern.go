package pattern

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

// pattern is what re.compile gives. Two are the same when they share the compiled pattern.
type pattern struct{ *regex.Pattern }

func (p pattern) TypeName() string { return "re.Pattern" }

func (p pattern) Repr(t *thread) string { return "re.compile(" + t.Repr(p.Source) + ")" }

func (p pattern) Str(t *thread) string { return p.Repr(t) }

// compiled is the pattern that the argument source is, or that it is the text of; flags may be left out. A wrong text
// raises re.error.
func compiled(t *thread, source, flags value) pattern {
	if p, ok := source.(pattern); ok {
		if !library.Omitted(flags) && t.Index(flags) != 0 {
			t.ValueError("cannot process flags argument with a compiled pattern")
		}
		return p
	}
	s, ok := source.(string)
	if !ok {
		t.TypeError("first argument must be string or compiled pattern")
	}
	p, err := regex.CompileCached(t, &t.Memo, s, regex.Flags(library.CountOr(t, flags, 0)))
	if err != nil {
		t.Raise("re.error", "%s", err)
	}
	return pattern{p}
}

func escape(t *thread, a values) value {
	s := library.TextArg(t, a[0], "escape() argument")
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
