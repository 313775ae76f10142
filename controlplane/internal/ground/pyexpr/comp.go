package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

func (c *compiler) comp(x *syntax.Comp) evaluation.Node {
	k := &evaluation.Comprehension{Clauses: make([]evaluation.Clause, len(x.Clauses))}
	outer := c.scope
	inner := newScope(outer, true)
	k.Clauses[0].Iter = c.iterable(x.Clauses[0].Iter)
	c.scope = inner
	for _, cl := range x.Clauses {
		targets(inner, cl.Target)
	}
	for i, cl := range x.Clauses {
		if i > 0 {
			k.Clauses[i].Iter = c.iterable(cl.Iter)
		}
		k.Clauses[i].Assign, k.Clauses[i].At = c.target(cl.Target), cl.Iter.At()
		k.Clauses[i].Ifs = c.exprs(cl.Ifs)
	}
	k.Elt = c.expr(x.Elt)
	if x.Value != nil {
		k.Value = c.expr(x.Value)
	}
	c.scope = outer
	k.Size = len(inner.names)
	switch x.Kind {
	case '[':
		return k.List
	case '{':
		return k.Set
	case ':':
		return k.Dict
	}
	return k.Generator
}

// iterable compiles what a for goes through, in which := is not allowed.
func (c *compiler) iterable(x syntax.Expr) evaluation.Node {
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

func (c *compiler) target(x syntax.Expr) evaluation.Assigner {
	switch x := x.(type) {
	case *syntax.Name:
		slot := c.scope.add(x.ID)
		return func(f *evaluation.Frame, v object.Value) { f.Slots[slot] = v }
	case *syntax.Sequence:
		return c.unpack(x)
	}
	refuse(x.At(), syntax.NotAllowed, "a for assigns to names only")
	return nil
}

func (c *compiler) unpack(x *syntax.Sequence) evaluation.Assigner {
	star := -1
	all := make([]evaluation.Assigner, len(x.Items))
	for i, y := range x.Items {
		if s, ok := y.(*syntax.Starred); ok {
			star, y = i, s.X
		}
		all[i] = c.target(y)
	}
	return evaluation.UnpackInto(all, star)
}
