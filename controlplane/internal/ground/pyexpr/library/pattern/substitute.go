package pattern

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

func regexSplit(t *thread, p pattern, subj, maxsplit value) value {
	s, most := subject(t, subj), library.CountOr(t, maxsplit, 0)
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

func substitute(t *thread, p pattern, repl, subj, count value) (string, int) {
	s, most := subject(t, subj), library.CountOr(t, count, 0)
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
func replacement(t *thread, p pattern, repl value) func(m *match) string {
	s, ok := repl.(string)
	if !ok {
		if _, callable := repl.(library.Callable); !callable {
			t.TypeError("decoding to str: need a bytes-like object, %s found", object.TypeName(repl))
		}
		return func(m *match) string {
			v := library.Call(t, repl, m)
			if v == nil {
				return ""
			}
			return library.TextArg(t, v, "what the function of sub() gives")
		}
	}
	if strings.IndexByte(s, '\\') < 0 {
		return func(*match) string { return s }
	}
	parts := template(t, p, s)
	return func(m *match) string { return m.fill(t, parts) }
}
