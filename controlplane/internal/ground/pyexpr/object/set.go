package object

// Set is a set or a frozenset, in the order of insertion.
type Set struct {
	Dict
	Immutable bool
}

func (s *Set) has(h any) bool { return s.find(h) >= 0 }

// Include puts an element into a set.
func (t *Thread) Include(s *Set, v Value) {
	h := t.Hash(v)
	t.Alloc(entrySize)
	s.put(h, v, nil)
}

// Includes reports whether v is an element of s.
func (t *Thread) Includes(s *Set, v Value) bool { return s.has(t.setKey(v)) }

// setKey is the hash of v, where a set stands for the frozen one of the same elements.
func (t *Thread) setKey(v Value) any {
	if s, ok := v.(*Set); ok && !s.Immutable {
		return t.Hash(&Set{Dict: s.Dict, Immutable: true})
	}
	return t.Hash(v)
}

// Exclude takes an element out of a set.
func (t *Thread) Exclude(s *Set, v Value) bool {
	i := s.find(t.setKey(v))
	if i >= 0 {
		s.drop(i)
	}
	return i >= 0
}

// Subset reports whether all of a is in b.
func (t *Thread) Subset(a, b *Set) bool {
	t.Steps(a.Len())
	for i := range a.entries {
		if e := &a.entries[i]; !e.gone && !b.has(e.hash) {
			return false
		}
	}
	return true
}

// SetOperation is a | b, a & b, a - b or a ^ b; what comes out is of the kind of a.
func (t *Thread) SetOperation(op string, a, b *Set) *Set {
	r := &Set{Immutable: a.Immutable}
	take := func(s *Set, wanted func(h any) bool) {
		t.Steps(s.Len())
		for i := range s.entries {
			if e := &s.entries[i]; !e.gone && wanted(e.hash) {
				t.Alloc(entrySize)
				r.put(e.hash, e.key, nil)
			}
		}
	}
	outside := func(s *Set) func(any) bool { return func(h any) bool { return !s.has(h) } }
	switch op {
	case "|":
		take(a, func(any) bool { return true })
		take(b, func(any) bool { return true })
	case "&":
		take(a, b.has)
	case "-":
		take(a, outside(b))
	case "^":
		take(a, outside(b))
		take(b, outside(a))
	}
	return r
}
