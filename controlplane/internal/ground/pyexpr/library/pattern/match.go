package pattern

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// match is a match of a pattern; spans are the bounds of its groups in bytes.
type match struct {
	p     pattern
	s     string
	spans []int
}

func (m *match) TypeName() string { return "re.Match" }

func (m *match) Repr(t *thread) string {
	span := t.Repr(m.span(t, 0))
	return "<re.Match object; span=" + span + ", match=" + t.Repr(m.group(t, 0, nil)) + ">"
}

func (m *match) Str(t *thread) string { return m.Repr(t) }

// Index is m[group].
func (m *match) Index(t *thread, key value) value {
	return m.group(t, m.number(t, key), nil)
}

var matchType = library.NewType("re.Match", func(v value) bool { _, ok := v.(*match); return ok })

func init() {
	library.AddMethod(matchType, "group", "*groups", func(t *thread, a values) value {
		m, groups := a[0].(*match), a[1].(*object.Tuple).Items
		switch len(groups) {
		case 0:
			return m.group(t, 0, nil)
		case 1:
			return m.group(t, m.number(t, groups[0]), nil)
		}
		t.Items(len(groups) + 1)
		out := &object.Tuple{}
		for _, g := range groups {
			out.Items = append(out.Items, m.group(t, m.number(t, g), nil))
		}
		return out
	})
	library.AddMethod(
		matchType,
		"groups",
		"default?",
		func(t *thread, a values) value {
			return a[0].(*match).groups(t, library.OrNone(a[1]))
		},
	)
	library.AddMethod(matchType, "groupdict", "default?", func(t *thread, a values) value {
		m, d := a[0].(*match), &object.Dict{}
		for _, name := range m.p.NamesInOrder() {
			t.Put(d, name, m.group(t, m.p.Names[name], library.OrNone(a[1])))
		}
		return d
	})
	library.AddMethod(matchType, "expand", "template", func(t *thread, a values) value {
		m := a[0].(*match)
		return m.fill(t, template(t, m.p, library.TextArg(t, a[1], "expand() argument")))
	})
	which := func(t *thread, a values) (*match, int) {
		m := a[0].(*match)
		if library.Omitted(a[1]) {
			return m, 0
		}
		return m, m.number(t, a[1])
	}
	library.AddMethod(
		matchType,
		"span",
		"group/?",
		func(t *thread, a values) value { m, n := which(t, a); return m.span(t, n) },
	)
	library.AddMethod(
		matchType,
		"start",
		"group/?",
		func(t *thread, a values) value {
			m, n := which(t, a)
			return m.span(t, n).Items[0]
		},
	)
	library.AddMethod(
		matchType,
		"end",
		"group/?",
		func(t *thread, a values) value {
			m, n := which(t, a)
			return m.span(t, n).Items[1]
		},
	)
	matchType.Getters["string"] = func(_ *thread, v value) value { return v.(*match).s }
	matchType.Getters["re"] = func(_ *thread, v value) value { return v.(*match).p }
	matchType.Getters["lastindex"] = func(_ *thread, v value) value {
		if n := v.(*match).spans[2*v.(*match).p.Groups+2]; n > 0 {
			return int64(n)
		}
		return nil
	}
}

// number is the number of a group that is given by number or name.
func (m *match) number(t *thread, v value) int {
	if s, ok := v.(string); ok {
		if n, known := m.p.Names[s]; known {
			return n
		}
		t.Raise("IndexError", "no such group")
	}
	if !object.IsInt(v) {
		t.Raise("IndexError", "no such group")
	}
	n := t.Index(v)
	if n < 0 || n > m.p.Groups {
		t.Raise("IndexError", "no such group")
	}
	return n
}

func (m *match) group(t *thread, n int, otherwise value) value {
	if m.spans[2*n] < 0 || m.spans[2*n+1] < 0 {
		return otherwise
	}
	t.Alloc(16)
	return m.s[m.spans[2*n]:m.spans[2*n+1]]
}

func (m *match) groups(t *thread, otherwise value) *object.Tuple {
	t.Items(m.p.Groups + 1)
	out := &object.Tuple{}
	for i := 1; i <= m.p.Groups; i++ {
		out.Items = append(out.Items, m.group(t, i, otherwise))
	}
	return out
}

func (m *match) span(t *thread, n int) *object.Tuple {
	t.Read(len(m.s))
	t.Items(4)
	from, to := m.spans[2*n], m.spans[2*n+1]
	if from < 0 || to < 0 {
		return object.NewTuple(int64(-1), int64(-1))
	}
	return object.NewTuple(int64(utf8.RuneCountInString(m.s[:from])), int64(utf8.RuneCountInString(m.s[:to])))
}

// fill fills a template in.
func (m *match) fill(t *thread, parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		s := p.text
		if s == "" {
			s, _ = m.group(t, p.group, "").(string)
		}
		t.Alloc(len(s))
		b.WriteString(s)
	}
	return b.String()
}
