package object

import (
	"unicode/utf8"
)

// Len is len(v).
func (t *Thread) Len(v Value) int {
	switch v := v.(type) {
	case string:
		t.Read(len(v))
		return utf8.RuneCountInString(v)
	case Bytes:
		return len(v)
	case *Tuple:
		return len(v.Items)
	case *List:
		return len(v.Items)
	case *Dict:
		return v.Len()
	case *Set:
		return v.Len()
	case *Range:
		return v.Len()
	case interface{ Len() int }:
		return v.Len()
	}
	t.TypeError("object of type '%s' has no len()", TypeName(v))
	return 0
}

// ascii are the texts of one character, made once.
var ascii = func() (all [utf8.RuneSelf]Value) {
	for i := range all {
		all[i] = string(rune(i))
	}
	return all
}()

// Char is the text of one character.
func Char(r rune) Value {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	return string(r)
}

// Iterable is an Object that can be walked through.
type Iterable interface {
	Iterate(t *Thread) func() (Value, bool)
}

// Iterate walks through v: each call gives the next value, until ok is false.
func (t *Thread) Iterate(v Value) func() (Value, bool) {
	switch v := v.(type) {
	case *List:
		return walk(func() []Value { return v.Items })
	case *Tuple:
		return walk(func() []Value { return v.Items })
	case string:
		return func() (Value, bool) {
			if v == "" {
				return nil, false
			}
			r, n := utf8.DecodeRuneInString(v)
			v = v[n:]
			return Char(r), true
		}
	case *Dict:
		return t.entries(v, "dictionary", func(e entry) Value { return e.key })
	case *Set:
		return t.entries(&v.Dict, "Set", func(e entry) Value { return e.key })
	case *Range:
		return v.iterate()
	case *Iter:
		return func() (Value, bool) {
			t.Enter() // iterators may stand on one another
			x, ok := v.Next()
			t.Leave()
			return x, ok
		}
	case Bytes:
		i := 0
		return func() (Value, bool) {
			if i++; i > len(v) {
				return nil, false
			}
			return int64(v[i-1]), true
		}
	case Iterable:
		return v.Iterate(t)
	}
	t.TypeError("'%s' object is not iterable", TypeName(v))
	return nil
}

// walk follows a sequence that may change on the way.
func walk(items func() []Value) func() (Value, bool) {
	i := 0
	return func() (Value, bool) {
		if all := items(); i < len(all) {
			i++
			return all[i-1], true
		}
		i = 1 << 40 // an iterator that has ended stays so
		return nil, false
	}
}

func (t *Thread) entries(d *Dict, what string, of func(entry) Value) func() (Value, bool) {
	i, n := 0, d.Len()
	return func() (Value, bool) {
		if d.Len() != n {
			t.Raise("RuntimeError", "%s changed size during iteration", what)
		}
		for i < len(d.entries) {
			e := d.entries[i]
			i++
			if !e.gone {
				return of(e), true
			}
		}
		return nil, false
	}
}

// Pairs walks through the entries of a dict.
func (t *Thread) Pairs(d *Dict) func() (Value, bool) {
	return t.entries(d, "dictionary", func(e entry) Value { return NewTuple(e.key, e.value) })
}

// Values walks through the values of a dict.
func (t *Thread) Values(d *Dict) func() (Value, bool) {
	return t.entries(d, "dictionary", func(e entry) Value { return e.value })
}

// Collect is list(v), for reading only: it may be the items of v themselves.
func (t *Thread) Collect(v Value) []Value {
	switch v := v.(type) {
	case *List:
		return v.Items
	case *Tuple:
		return v.Items
	case *Range:
		t.Items(v.Len())
	}
	var out []Value
	next := t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		if _, charged := v.(*Range); !charged {
			t.Alloc(32)
		}
		out = append(out, x)
	}
	return out
}

// NewList is list(v), with items of its own.
func (t *Thread) NewList(v Value) *List {
	items := t.Collect(v)
	switch v.(type) {
	case *List, *Tuple:
		t.Items(len(items) + 1)
		items = append(make([]Value, 0, len(items)), items...)
	}
	return &List{Items: items}
}

// Len counts the numbers of a range.
func (r *Range) Len() int {
	var n uint64
	switch {
	case r.Step > 0 && r.Start < r.Stop:
		n = (uint64(r.Stop)-uint64(r.Start)-1)/uint64(r.Step) + 1
	case r.Step < 0 && r.Start > r.Stop:
		n = (uint64(r.Start)-uint64(r.Stop)-1)/(-uint64(r.Step)) + 1
	}
	return int(min(n, 1<<62))
}

// At is the number at place i, which must be one of the range.
func (r *Range) At(i int) int64 { return r.Start + int64(i)*r.Step }

// Find is the place of a number, or -1.
func (r *Range) Find(x int64) int {
	if r.Len() == 0 || r.Step > 0 && (x < r.Start || x >= r.Stop) || r.Step < 0 && (x > r.Start || x <= r.Stop) {
		return -1
	}
	if r.Step > 0 {
		if d := uint64(x) - uint64(r.Start); d%uint64(r.Step) == 0 {
			return int(d / uint64(r.Step))
		}
	} else if d := uint64(r.Start) - uint64(x); d%(-uint64(r.Step)) == 0 {
		return int(d / (-uint64(r.Step)))
	}
	return -1
}

func (r *Range) iterate() func() (Value, bool) {
	i, n := 0, r.Len()
	return func() (Value, bool) {
		if i >= n {
			return nil, false
		}
		i++
		return r.At(i - 1), true
	}
}

// NewIter makes and charges an iterator of the type kind, such as zip. next gives one value at a time, and false at the
// end; after that it is not called again.
func (t *Thread) NewIter(kind string, next func() (Value, bool)) *Iter {
	t.Alloc(96)
	ended := false
	return &Iter{Type: kind, Next: func() (Value, bool) {
		if ended {
			return nil, false
		}
		v, ok := next()
		ended = !ok
		return v, ok
	}}
}
