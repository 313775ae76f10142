package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// assigner gives a value to what stands after for.
type assigner func(f *frame, v object.Value)

// clause is one for of a comprehension. The iterable of the first is evaluated outside of it.
type clause struct {
	iter   node
	assign assigner
	ifs    []node
	at     int
}

type comprehension struct {
	clauses    []clause
	elt, value node
	size       int
}

func (c *compiler) comp(x *syntax.Comp) node {
	k := &comprehension{clauses: make([]clause, len(x.Clauses))}
	outer := c.scope
	inner := newScope(outer, true)
	k.clauses[0].iter = c.iterable(x.Clauses[0].Iter)
	c.scope = inner
	for _, cl := range x.Clauses {
		targets(inner, cl.Target)
	}
	for i, cl := range x.Clauses {
		if i > 0 {
			k.clauses[i].iter = c.iterable(cl.Iter)
		}
		k.clauses[i].assign, k.clauses[i].at = c.target(cl.Target), cl.Iter.At()
		k.clauses[i].ifs = c.exprs(cl.Ifs)
	}
	k.elt = c.expr(x.Elt)
	if x.Value != nil {
		k.value = c.expr(x.Value)
	}
	c.scope = outer
	k.size = len(inner.names)
	switch x.Kind {
	case '[':
		return k.list
	case '{':
		return k.set
	case ':':
		return k.dict
	}
	return k.generator
}

// iterable compiles what a for goes through, in which := is not allowed.
func (c *compiler) iterable(x syntax.Expr) node {
	syntax.Walk(x, func(y syntax.Expr) bool {
		if n, ok := y.(*syntax.Named); ok {
			refuse(
				n.At(),
				syntax.Malformed,
				"assignment expression cannot be used in a comprehension iterable expression",
			)
		}
		return true
	})
	return c.expr(x)
}

// targets adds the names that a for assigns to.
func targets(s *scope, x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Name:
		s.add(x.ID)
	case *syntax.Starred:
		targets(s, x.X)
	case *syntax.Sequence:
		for _, y := range x.Items {
			targets(s, y)
		}
	}
}

func (c *compiler) target(x syntax.Expr) assigner {
	switch x := x.(type) {
	case *syntax.Name:
		slot := c.scope.add(x.ID)
		return func(f *frame, v object.Value) { f.slots[slot] = v }
	case *syntax.Sequence:
		return c.unpack(x)
	}
	refuse(x.At(), syntax.NotAllowed, "a for assigns to names only")
	return nil
}

func (c *compiler) unpack(x *syntax.Sequence) assigner {
	star := -1
	all := make([]assigner, len(x.Items))
	for i, y := range x.Items {
		if s, ok := y.(*syntax.Starred); ok {
			star, y = i, s.X
		}
		all[i] = c.target(y)
	}
	return func(f *frame, v object.Value) {
		f.t.Steps(len(all))
		items := taken(f.t, v, len(all), star < 0)
		if star < 0 {
			if len(items) != len(all) {
				wrongUse(f.t, len(all), len(items), false)
			}
			for i, a := range all {
				a(f, items[i])
			}
			return
		}
		rest := len(items) - (len(all) - 1)
		if rest < 0 {
			wrongUse(f.t, len(all)-1, len(items), true)
		}
		f.t.Items(rest + 1)
		for i, a := range all {
			switch {
			case i < star:
				a(f, items[i])
			case i == star:
				a(f, &object.List{Items: append([]object.Value(nil), items[i:i+rest]...)})
			default:
				a(f, items[i-1+rest])
			}
		}
	}
}

// taken are the items of v; of an iterator no more than one too many where the number is fixed.
func taken(t *object.Thread, v object.Value, n int, fixed bool) []object.Value {
	switch v.(type) {
	case *object.Tuple, *object.List:
		return t.Collect(v)
	}
	if !fixed {
		return t.Collect(v)
	}
	var items []object.Value
	next := t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		if items = append(items, x); len(items) > n {
			break
		}
	}
	return items
}

// walk goes through a comprehension: each call binds the next values, until it gives false.
func (k *comprehension) walk(f *frame) (*frame, func() bool) {
	t := f.t
	first := k.clauses[0].iter(f)
	t.Steps(1)
	t.Alloc(96 + 16*k.size)
	inner := &frame{t: t, slots: make([]object.Value, k.size), up: f}
	for i := range inner.slots {
		inner.slots[i] = object.Missing
	}
	iters := make([]func() (object.Value, bool), len(k.clauses))
	t.At = k.clauses[0].at
	iters[0] = t.Iterate(first)
	d, last := 0, len(k.clauses)-1
	return inner, func() bool {
		for d >= 0 {
			cl := &k.clauses[d]
			v, ok := iters[d]()
			t.Steps(1)
			if !ok {
				d--
				continue
			}
			t.At = cl.at
			cl.assign(inner, v)
			if !all(inner, cl.ifs) {
				continue
			}
			if d == last {
				return true
			}
			d++
			it := k.clauses[d].iter(inner)
			t.At = k.clauses[d].at
			iters[d] = t.Iterate(it)
		}
		return false
	}
}

func all(f *frame, tests []node) bool {
	for _, test := range tests {
		if !f.t.Truth(test(f)) {
			return false
		}
	}
	return true
}

func (k *comprehension) list(f *frame) object.Value {
	l := &object.List{}
	inner, next := k.walk(f)
	for next() {
		v := k.elt(inner)
		f.t.Items(2)
		l.Items = append(l.Items, v)
	}
	return l
}

func (k *comprehension) set(f *frame) object.Value {
	s := &object.Set{}
	inner, next := k.walk(f)
	for next() {
		f.t.Include(s, k.elt(inner))
	}
	return s
}

func (k *comprehension) dict(f *frame) object.Value {
	d := &object.Dict{}
	inner, next := k.walk(f)
	for next() {
		key := k.elt(inner)
		f.t.Put(d, key, k.value(inner))
	}
	return d
}

func (k *comprehension) generator(f *frame) object.Value {
	inner, next := k.walk(f)
	f.t.Alloc(96)
	return object.NewIter("generator", func() (object.Value, bool) {
		if !next() {
			return nil, false
		}
		return k.elt(inner), true
	})
}
