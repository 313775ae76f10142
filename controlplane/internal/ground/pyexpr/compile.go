package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/formatting"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

func (c *compiler) expr(x syntax.Expr) evaluation.Node {
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

func constant(x *syntax.Const) evaluation.Node {
	v := x.Value
	if b, ok := v.(syntax.Bytes); ok {
		v = object.Bytes(b)
	}
	return func(*evaluation.Frame) object.Value { return v }
}

func (c *compiler) exprs(xs []syntax.Expr) []evaluation.Node {
	all := make([]evaluation.Node, len(xs))
	for i, x := range xs {
		if x != nil {
			all[i] = c.expr(x)
		}
	}
	return all
}

func (c *compiler) unary(x *syntax.Unary) evaluation.Node {
	operand, at := c.expr(x.X), x.At()
	var op func(t *object.Thread, v object.Value) object.Value
	switch x.Op {
	case "not":
		op = func(t *object.Thread, v object.Value) object.Value { return !operator.Truth(t, v) }
	case "-":
		op = operator.Neg
	case "+":
		op = operator.Pos
	default:
		op = operator.Invert
	}
	return func(f *evaluation.Frame) object.Value {
		v := operand(f)
		f.Thread.Steps(1)
		f.Thread.At = at
		return op(f.Thread, v)
	}
}

func (c *compiler) binary(x *syntax.Binary) evaluation.Node {
	l, r, at, op := c.expr(x.L), c.expr(x.R), x.At(), x.Op
	if op == "+" {
		return func(f *evaluation.Frame) object.Value {
			a, b := l(f), r(f)
			f.Thread.Steps(1)
			f.Thread.At = at
			return operator.Add(f.Thread, a, b)
		}
	}
	return func(f *evaluation.Frame) object.Value {
		a, b := l(f), r(f)
		f.Thread.Steps(1)
		f.Thread.At = at
		if s, ok := a.(string); ok && op == "%" {
			return formatting.Percent(f.Thread, s, b)
		}
		return operator.Binary(f.Thread, op, a, b)
	}
}

func (c *compiler) logic(x *syntax.Logic) evaluation.Node {
	all, and := c.exprs(x.Xs), x.And
	return func(f *evaluation.Frame) object.Value {
		var v object.Value
		for i, n := range all {
			f.Thread.Steps(1)
			v = n(f)
			if i < len(all)-1 && operator.Truth(f.Thread, v) != and {
				break
			}
		}
		return v
	}
}

func (c *compiler) compare(x *syntax.Compare) evaluation.Node {
	first, rest, ops, at := c.expr(x.First), c.exprs(x.Rest), x.Ops, x.At()
	if len(ops) == 1 {
		op, second := ops[0], rest[0]
		return func(f *evaluation.Frame) object.Value {
			a, b := first(f), second(f)
			f.Thread.Steps(1)
			f.Thread.At = at
			return operator.Compare(f.Thread, op, a, b)
		}
	}
	return func(f *evaluation.Frame) object.Value {
		a := first(f)
		for i, n := range rest {
			b := n(f)
			f.Thread.Steps(1)
			f.Thread.At = at
			if !operator.Compare(f.Thread, ops[i], a, b) {
				return false
			}
			a = b
		}
		return true
	}
}

func (c *compiler) cond(x *syntax.Cond) evaluation.Node {
	test, then, otherwise := c.expr(x.Test), c.expr(x.Then), c.expr(x.Else)
	return func(f *evaluation.Frame) object.Value {
		f.Thread.Steps(1)
		if operator.Truth(f.Thread, test(f)) {
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

func (c *compiler) attribute(x *syntax.Attribute) evaluation.Node {
	if member := c.read(x); member != nil {
		return member
	}
	of, at, name := c.expr(x.X), x.At(), x.Name
	return func(f *evaluation.Frame) object.Value {
		v := of(f)
		f.Thread.Steps(1)
		f.Thread.At = at
		return library.Attr(f.Thread, v, name)
	}
}

func (c *compiler) subscript(x *syntax.Subscript) evaluation.Node {
	if member := c.read(x); member != nil {
		return member
	}
	if name, ok := c.fieldName(x.X, x.Index); ok {
		at := x.At()
		return func(f *evaluation.Frame) object.Value {
			f.Thread.Steps(1)
			f.Thread.At = at
			v, found := f.Thread.Extra.(*Record).Field(name)
			if !found {
				f.Thread.Raise("KeyError", "%s", f.Thread.Repr(name))
			}
			return v
		}
	}
	of, index, at := c.expr(x.X), c.expr(x.Index), x.At()
	return func(f *evaluation.Frame) object.Value {
		v, key := of(f), index(f)
		f.Thread.Steps(1)
		f.Thread.At = at
		return f.Thread.Subscript(v, key)
	}
}

func (c *compiler) slice(x *syntax.Slice) evaluation.Node {
	parts := c.exprs([]syntax.Expr{x.Lo, x.Hi, x.Step})
	return func(f *evaluation.Frame) object.Value {
		s := &object.Slice{}
		for i, to := range []*object.Value{&s.Lo, &s.Hi, &s.Step} {
			if parts[i] != nil {
				*to = parts[i](f)
			}
		}
		return s
	}
}
