package evaluation

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

// Assigner binds a value to the target of a for: a name, or several that it is unpacked into.
type Assigner func(f *Frame, v object.Value)

// Clause is one for of a comprehension with its conditions. The iterable of the first is evaluated in the frame
// around it, those of the others in its own.
type Clause struct {
	Iter   Node
	Assign Assigner
	Ifs    []Node
	At     int
}

// Comprehension is a compiled comprehension: of a dict when Value is set, where Elt is the key. Size is how many
// names its frame has.
type Comprehension struct {
	Clauses    []Clause
	Elt, Value Node
	Size       int
}

// walk goes through a comprehension: each call binds the next values, until it gives false.
func (k *Comprehension) walk(f *Frame) (*Frame, func() bool) {
	t := f.Thread
	first := k.Clauses[0].Iter(f)
	t.Steps(1)
	t.Alloc(96 + 16*k.Size)
	inner := &Frame{Thread: t, Slots: make([]object.Value, k.Size), Up: f}
	for i := range inner.Slots {
		inner.Slots[i] = object.Missing
	}
	iters := make([]func() (object.Value, bool), len(k.Clauses))
	t.At = k.Clauses[0].At
	iters[0] = t.Iterate(first)
	d, last := 0, len(k.Clauses)-1
	return inner, func() bool {
		for d >= 0 {
			cl := &k.Clauses[d]
			v, ok := iters[d]()
			t.Steps(1)
			if !ok {
				d--
				continue
			}
			t.At = cl.At
			cl.Assign(inner, v)
			if !all(inner, cl.Ifs) {
				continue
			}
			if d == last {
				return true
			}
			d++
			it := k.Clauses[d].Iter(inner)
			t.At = k.Clauses[d].At
			iters[d] = t.Iterate(it)
		}
		return false
	}
}

func all(f *Frame, tests []Node) bool {
	for _, test := range tests {
		if !operator.Truth(f.Thread, test(f)) {
			return false
		}
	}
	return true
}

// List is the node of a list comprehension.
func (k *Comprehension) List(f *Frame) object.Value {
	l := &object.List{}
	inner, next := k.walk(f)
	for next() {
		v := k.Elt(inner)
		f.Thread.Items(2)
		l.Items = append(l.Items, v)
	}
	return l
}

// Set is the node of a set comprehension.
func (k *Comprehension) Set(f *Frame) object.Value {
	s := &object.Set{}
	inner, next := k.walk(f)
	for next() {
		f.Thread.Include(s, k.Elt(inner))
	}
	return s
}

// Dict is the node of a dict comprehension.
func (k *Comprehension) Dict(f *Frame) object.Value {
	d := &object.Dict{}
	inner, next := k.walk(f)
	for next() {
		key := k.Elt(inner)
		f.Thread.Put(d, key, k.Value(inner))
	}
	return d
}

// Generator is the node of a generator expression: the first iterable is evaluated now, everything else as it is
// read.
func (k *Comprehension) Generator(f *Frame) object.Value {
	inner, next := k.walk(f)
	return f.Thread.NewIter("generator", func() (object.Value, bool) {
		if !next() {
			return nil, false
		}
		return k.Elt(inner), true
	})
}
