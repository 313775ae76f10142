package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// keyword is an argument by name, or a dict of them when the name is empty.
type keyword struct {
	name string
	node node
}

// arguments are those of a call.
type arguments struct {
	items []item
	named []keyword
	plain bool // no starred ones
}

func (c *compiler) arguments(x *syntax.Call) *arguments {
	a := &arguments{}
	a.items, a.plain = c.items(x.Args)
	for _, k := range x.Keywords {
		a.named = append(a.named, keyword{k.Name, c.expr(k.Value)})
	}
	return a
}

// push puts the arguments on the stack and gives those by name.
func (a *arguments) push(f *frame) []object.Keyword {
	t := f.t
	for _, i := range a.items {
		v := i.node(f)
		if !i.starred {
			t.Stack = append(t.Stack, v)
			continue
		}
		t.At = i.at
		more := t.Collect(v)
		t.Items(len(more))
		t.Stack = append(t.Stack, more...)
	}
	if len(a.named) == 0 {
		return nil
	}
	named := make([]object.Keyword, 0, len(a.named))
	for _, k := range a.named {
		v := k.node(f)
		if k.name != "" {
			named = append(named, object.Keyword{Name: k.name, Value: v})
			continue
		}
		named = spread(t, named, v)
	}
	return named
}

// spread adds the entries of a dict that was given with **.
func spread(t *object.Thread, named []object.Keyword, v object.Value) []object.Keyword {
	d, ok := v.(*object.Dict)
	if !ok {
		t.TypeError("argument after ** must be a mapping, not %s", object.TypeName(v))
	}
	t.Items(2 * d.Len())
	for key, value := range d.All {
		name, ok := key.(string)
		if !ok {
			t.TypeError("keywords must be strings")
		}
		for _, k := range named {
			t.Steps(1)
			if k.Name == name {
				t.TypeError("got multiple values for keyword argument '%s'", name)
			}
		}
		named = append(named, object.Keyword{Name: name, Value: value})
	}
	return named
}

func (c *compiler) call(x *syntax.Call) node {
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
	return func(f *frame) object.Value {
		fn := callee(f)
		return apply(f, fn, args, at)
	}
}

func apply(f *frame, fn object.Value, args *arguments, at int) object.Value {
	t := f.t
	base := len(t.Stack)
	named := args.push(f)
	t.Steps(1)
	t.At = at
	callable, ok := fn.(object.Callable)
	if !ok {
		t.TypeError("'%s' object is not callable", object.TypeName(fn))
	}
	v := callable.Call(t, t.Stack[base:len(t.Stack):len(t.Stack)], named)
	t.Stack = t.Stack[:base]
	return v
}

// methodCall calls a method without making an object of it first.
func (c *compiler) methodCall(a *syntax.Attribute, x *syntax.Call) node {
	if n := c.fieldOr(a, x); n != nil {
		return n
	}
	of, args, at, name := c.expr(a.X), c.arguments(x), a.At(), a.Name
	return func(f *frame) object.Value {
		t := f.t
		v := of(f)
		m := library.Method(v, name)
		if m == nil {
			t.At = at
			return apply(f, library.Attr(t, v, name), args, at)
		}
		base := len(t.Stack)
		t.Stack = append(t.Stack, v)
		named := args.push(f)
		t.Steps(2)
		t.At = at
		r := m.Invoke(t, t.Stack[base:len(t.Stack):len(t.Stack)], named)
		t.Stack = t.Stack[:base]
		return r
	}
}

// fieldOr is record.get('name') and record.get('name', otherwise); nil where the call is another.
func (c *compiler) fieldOr(a *syntax.Attribute, x *syntax.Call) node {
	if a.Name != "get" || len(x.Args) < 1 || len(x.Args) > 2 || len(x.Keywords) > 0 {
		return nil
	}
	name, ok := c.fieldName(a.X, x.Args[0])
	if !ok {
		return nil
	}
	otherwise := func(*frame) object.Value { return nil }
	if len(x.Args) == 2 {
		if _, starred := x.Args[1].(*syntax.Starred); starred {
			return nil
		}
		otherwise = c.expr(x.Args[1])
	}
	return func(f *frame) object.Value {
		f.t.Steps(2)
		d := otherwise(f)
		if v, found := f.t.Extra.(*Record).field(name); found {
			return v
		}
		return d
	}
}

// fallback is default(expression, value): the second when the first raises an exception. Limits are not caught.
func (c *compiler) fallback(x *syntax.Call) node {
	if len(x.Args) != 2 || len(x.Keywords) > 0 {
		refuse(x.At(), syntax.NotAllowed, "default() takes an expression and a value: default(int(value), 0)")
	}
	for _, a := range x.Args {
		if s, ok := a.(*syntax.Starred); ok {
			refuse(s.At(), syntax.NotAllowed, "default() takes an expression and a value: default(int(value), 0)")
		}
	}
	try, otherwise := c.expr(x.Args[0]), c.expr(x.Args[1])
	return func(f *frame) object.Value {
		f.t.Steps(4)
		if v, ok := attempt(f, try); ok {
			return v
		}
		return otherwise(f)
	}
}

func attempt(f *frame, try node) (v object.Value, ok bool) {
	mark := f.t.Mark()
	defer func() {
		if r := recover(); r != nil {
			if _, raised := r.(*object.Raised); !raised {
				panic(r)
			}
			f.t.Restore(mark)
			f.t.Steps(50)
			v, ok = nil, false
		}
	}()
	return try(f), true
}
