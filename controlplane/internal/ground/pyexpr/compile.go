package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

func (c *compiler) expr(x syntax.Expr) node {
	switch x := x.(type) {
	case *syntax.Const:
		return constant(x)
	case *syntax.Name:
		return c.name(x)
	case *syntax.Named:
		return c.named(x)
	case *syntax.Unary:
		return c.unary(x)
	case *syntax.Binary:
		return c.binary(x)
	case *syntax.Logic:
		return c.logic(x)
	case *syntax.Compare:
		return c.compare(x)
	case *syntax.Cond:
		return c.cond(x)
	case *syntax.Lambda:
		return c.lambda(x)
	case *syntax.Call:
		return c.call(x)
	case *syntax.Attribute:
		return c.attribute(x)
	case *syntax.Subscript:
		return c.subscript(x)
	case *syntax.Slice:
		return c.slice(x)
	case *syntax.Sequence:
		return c.sequence(x)
	case *syntax.Dict:
		return c.dict(x)
	case *syntax.Comp:
		return c.comp(x)
	case *syntax.FString:
		return c.fstring(x)
	}
	refuse(x.At(), syntax.NotAllowed, "a %T is not possible here", x)
	return nil
}

func constant(x *syntax.Const) node {
	v := x.Value
	if b, ok := v.(syntax.Bytes); ok {
		v = object.Bytes(b)
	}
	return func(*frame) object.Value { return v }
}

func (c *compiler) exprs(xs []syntax.Expr) []node {
	all := make([]node, len(xs))
	for i, x := range xs {
		if x != nil {
			all[i] = c.expr(x)
		}
	}
	return all
}

func (c *compiler) unary(x *syntax.Unary) node {
	operand, at := c.expr(x.X), x.At()
	var op func(t *object.Thread, v object.Value) object.Value
	switch x.Op {
	case "not":
		op = func(t *object.Thread, v object.Value) object.Value { return !t.Truth(v) }
	case "-":
		op = (*object.Thread).Neg
	case "+":
		op = (*object.Thread).Pos
	default:
		op = (*object.Thread).Invert
	}
	return func(f *frame) object.Value {
		v := operand(f)
		f.t.Steps(1)
		f.t.At = at
		return op(f.t, v)
	}
}

func (c *compiler) binary(x *syntax.Binary) node {
	l, r, at, op := c.expr(x.L), c.expr(x.R), x.At(), x.Op
	if op == "+" {
		return func(f *frame) object.Value {
			a, b := l(f), r(f)
			f.t.Steps(1)
			f.t.At = at
			return f.t.Add(a, b)
		}
	}
	return func(f *frame) object.Value {
		a, b := l(f), r(f)
		f.t.Steps(1)
		f.t.At = at
		return f.t.Binary(op, a, b)
	}
}

func (c *compiler) logic(x *syntax.Logic) node {
	all, and := c.exprs(x.Xs), x.And
	return func(f *frame) object.Value {
		var v object.Value
		for i, n := range all {
			f.t.Steps(1)
			v = n(f)
			if i < len(all)-1 && f.t.Truth(v) != and {
				break
			}
		}
		return v
	}
}

func (c *compiler) compare(x *syntax.Compare) node {
	first, rest, ops, at := c.expr(x.First), c.exprs(x.Rest), x.Ops, x.At()
	if len(ops) == 1 {
		op, second := ops[0], rest[0]
		return func(f *frame) object.Value {
			a, b := first(f), second(f)
			f.t.Steps(1)
			f.t.At = at
			return f.t.Compare(op, a, b)
		}
	}
	return func(f *frame) object.Value {
		a := first(f)
		for i, n := range rest {
			b := n(f)
			f.t.Steps(1)
			f.t.At = at
			if !f.t.Compare(ops[i], a, b) {
				return false
			}
			a = b
		}
		return true
	}
}

func (c *compiler) cond(x *syntax.Cond) node {
	test, then, otherwise := c.expr(x.Test), c.expr(x.Then), c.expr(x.Else)
	return func(f *frame) object.Value {
		f.t.Steps(1)
		if f.t.Truth(test(f)) {
			return then(f)
		}
		return otherwise(f)
	}
}

// mutators are the methods that change what they are called on.
var mutators = map[string]bool{
	"append":     true,
	"extend":     true,
	"insert":     true,
	"pop":        true,
	"remove":     true,
	"clear":      true,
	"reverse":    true,
	"sort":       true,
	"popitem":    true,
	"setdefault": true,
	"update":     true,
	"add":        true,
	"discard":    true,
}

func (c *compiler) attribute(x *syntax.Attribute) node {
	if member := c.read(x); member != nil {
		return member
	}
	of, at, name := c.expr(x.X), x.At(), x.Name
	return func(f *frame) object.Value {
		v := of(f)
		f.t.Steps(1)
		f.t.At = at
		return library.Attr(f.t, v, name)
	}
}

func (c *compiler) subscript(x *syntax.Subscript) node {
	if member := c.read(x); member != nil {
		return member
	}
	if name, ok := c.fieldName(x.X, x.Index); ok {
		at := x.At()
		return func(f *frame) object.Value {
			f.t.Steps(1)
			f.t.At = at
			v, found := f.t.Extra.(*Record).field(name)
			if !found {
				f.t.Raise("KeyError", "%s", f.t.Repr(name))
			}
			return v
		}
	}
	of, index, at := c.expr(x.X), c.expr(x.Index), x.At()
	return func(f *frame) object.Value {
		v, key := of(f), index(f)
		f.t.Steps(1)
		f.t.At = at
		return f.t.Subscript(v, key)
	}
}

func (c *compiler) slice(x *syntax.Slice) node {
	parts := c.exprs([]syntax.Expr{x.Lo, x.Hi, x.Step})
	return func(f *frame) object.Value {
		s := &object.Slice{}
		for i, to := range []*object.Value{&s.Lo, &s.Hi, &s.Step} {
			if parts[i] != nil {
				*to = parts[i](f)
			}
		}
		return s
	}
}
