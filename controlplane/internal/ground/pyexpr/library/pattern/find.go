package pattern

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

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
		if library.Omitted(v) {
			return otherwise
		}
		return object.Offset(s, max(t.Index(v), 0))
	}
	return at(pos, 0), at(endpos, len(s))
}

func matchOnce(t *thread, p pattern, subj, pos, endpos value, mode regex.Mode) value {
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
func each(t *thread, p pattern, s string, from, to int) func() []int {
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

func findAll(t *thread, p pattern, subj, pos, endpos value) value {
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

func findIter(t *thread, p pattern, subj, pos, endpos value) value {
	s := subject(t, subj)
	from, to := within(t, s, pos, endpos)
	next := each(t, p, s, from, to)
	return t.NewIter("callable_iterator", func() (value, bool) {
		spans := next()
		if spans == nil {
			return nil, false
		}
		t.Alloc(64)
		return &match{p, s, spans}, true
	})
}
