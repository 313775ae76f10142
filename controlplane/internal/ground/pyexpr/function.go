package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// definition is what a lambda in the text is compiled to.
type definition struct {
	params   []syntax.Param
	defaults []node // by parameter; nil where there is none
	body     node
	size     int
}

// lambda is a function at work: a definition with the frame it was made in.
type lambda struct {
	def      *definition
	up       *frame
	defaults []object.Value
}

// TypeName is what Python calls it.
func (l *lambda) TypeName() string { return "function" }

func (c *compiler) lambda(x *syntax.Lambda) node {
	def := &definition{params: x.Params, defaults: make([]node, len(x.Params))}
	for i, p := range x.Params {
		if p.Default != nil {
			def.defaults[i] = c.expr(p.Default)
		}
	}
	c.scope = newScope(c.scope, false)
	for _, p := range x.Params {
		c.scope.add(p.Name.ID)
	}
	c.assigned(x.Body)
	def.body = c.expr(x.Body)
	def.size = len(c.scope.names)
	c.scope = c.scope.up
	return func(f *frame) object.Value {
		f.t.Steps(1)
		f.t.Alloc(48 + 16*len(def.params))
		l := &lambda{def: def, up: f, defaults: make([]object.Value, len(def.params))}
		for i, d := range def.defaults {
			l.defaults[i] = object.Missing
			if d != nil {
				l.defaults[i] = d(f)
			}
		}
		return l
	}
}

// Call binds the arguments and runs the body.
func (l *lambda) Call(t *object.Thread, args []object.Value, named []object.Keyword) object.Value {
	t.Call()
	t.Steps(1)
	t.Alloc(48 + 16*l.def.size)
	f := &frame{t: t, slots: make([]object.Value, l.def.size), up: l.up}
	for i := range f.slots {
		f.slots[i] = object.Missing
	}
	l.bind(t, f.slots, args)
	for _, k := range named {
		l.keyword(t, f.slots, k)
	}
	for i, p := range l.def.params {
		if f.slots[i] != object.Missing {
			continue
		}
		switch {
		case p.Star == 1:
			f.slots[i] = &object.Tuple{}
		case p.Star == 2:
			f.slots[i] = &object.Dict{}
		case l.defaults[i] != object.Missing:
			f.slots[i] = l.defaults[i]
		default:
			t.TypeError("<lambda>() missing 1 required argument: '%s'", p.Name.ID)
		}
	}
	v := l.def.body(f)
	t.Return()
	return v
}

func (l *lambda) bind(t *object.Thread, slots, args []object.Value) {
	for i, p := range l.def.params {
		switch {
		case p.Star == 1:
			t.Items(len(args) + 1)
			slots[i] = &object.Tuple{Items: append([]object.Value(nil), args...)}
			return
		case len(args) == 0:
			return
		case p.Star == 2 || p.Only == 'k':
			l.tooMany(t)
		}
		slots[i], args = args[0], args[1:]
	}
	if len(args) > 0 {
		l.tooMany(t)
	}
}

func (l *lambda) tooMany(t *object.Thread) {
	n := 0
	for _, p := range l.def.params {
		if p.Star == 0 && p.Only != 'k' {
			n++
		}
	}
	t.TypeError("<lambda>() takes %d positional arguments, and more were given", n)
}

func (l *lambda) keyword(t *object.Thread, slots []object.Value, k object.Keyword) {
	for i, p := range l.def.params {
		switch {
		case p.Star == 2:
			d, ok := slots[i].(*object.Dict)
			if !ok {
				d = &object.Dict{}
				slots[i] = d
			}
			t.Put(d, k.Name, k.Value)
			return
		case p.Star == 0 && p.Only != 'p' && p.Name.ID == k.Name:
			if slots[i] != object.Missing {
				t.TypeError("<lambda>() got multiple values for argument '%s'", k.Name)
			}
			slots[i] = k.Value
			return
		}
	}
	t.TypeError("<lambda>() got an unexpected keyword argument '%s'", k.Name)
}
