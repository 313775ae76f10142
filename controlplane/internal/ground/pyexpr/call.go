package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

func (c *compiler) arguments(x *syntax.Call) *evaluation.Arguments {
	a := &evaluation.Arguments{Items: c.items(x.Args)}
	for _, k := range x.Keywords {
		a.Named = append(a.Named, evaluation.Keyword{Name: k.Name, Node: c.expr(k.Value)})
	}
	return a
}

func (c *compiler) call(x *syntax.Call) evaluation.Node {
	if member := c.read(x); member != nil {
		return member
	}
	if n, ok := x.Func.(*syntax.Name); ok && n.ID == "default" {
		if _, _, shadowed := c.scope.find("default"); !shadowed {
			return c.fallback(x)
		}
	}
	if a, ok := x.Func.(*syntax.Attribute); ok {
		return c.methodCall(a, x)
	}
	callee, args, at := c.expr(x.Func), c.arguments(x), x.At()
	return func(f *evaluation.Frame) object.Value {
		fn := callee(f)
		return evaluation.Apply(f, fn, args, at)
	}
}

// methodCall calls a method without making an object of it first.
func (c *compiler) methodCall(a *syntax.Attribute, x *syntax.Call) evaluation.Node {
	if n := c.fieldOr(a, x); n != nil {
		return n
	}
	of, args, at, name := c.expr(a.X), c.arguments(x), a.At(), a.Name
	return func(f *evaluation.Frame) object.Value {
		t := f.Thread
		v := of(f)
		m := library.Method(v, name)
		if m == nil {
			t.At = at
			return evaluation.Apply(f, library.Attr(t, v, name), args, at)
		}
		base := len(t.Stack)
		t.Stack = append(t.Stack, v)
		named := args.Push(f)
		t.Steps(2)
		t.At = at
		r := m.Invoke(t, t.Stack[base:len(t.Stack):len(t.Stack)], named)
		t.Stack = t.Stack[:base]
		return r
	}
}

// fieldOr is record.get('name') and record.get('name', otherwise); nil where the call is another.
func (c *compiler) fieldOr(a *syntax.Attribute, x *syntax.Call) evaluation.Node {
	if a.Name != "get" || len(x.Args) < 1 || len(x.Args) > 2 || len(x.Keywords) > 0 {
		return nil
	}
	name, ok := c.fieldName(a.X, x.Args[0])
	if !ok {
		return nil
	}
	otherwise := func(*evaluation.Frame) object.Value { return nil }
	if len(x.Args) == 2 {
		if _, starred := x.Args[1].(*syntax.Starred); starred {
			return nil
		}
		otherwise = c.expr(x.Args[1])
	}
	return func(f *evaluation.Frame) object.Value {
		f.Thread.Steps(2)
		d := otherwise(f)
		if v, found := f.Thread.Extra.(*Record).Field(name); found {
			return v
		}
		return d
	}
}

// fallback is default(expression, value): the second when the first raises an exception. Limits are not caught.
func (c *compiler) fallback(x *syntax.Call) evaluation.Node {
	if len(x.Args) != 2 || len(x.Keywords) > 0 {
		refuse(x.At(), syntax.NotAllowed, "default() takes an expression and a value: default(int(value), 0)")
	}
	for _, a := range x.Args {
		if s, ok := a.(*syntax.Starred); ok {
			refuse(s.At(), syntax.NotAllowed, "default() takes an expression and a value: default(int(value), 0)")
		}
	}
	try, otherwise := c.expr(x.Args[0]), c.expr(x.Args[1])
	return func(f *evaluation.Frame) object.Value {
		f.Thread.Steps(4)
		if v, ok := evaluation.Attempt(f, try); ok {
			return v
		}
		return otherwise(f)
	}
}
