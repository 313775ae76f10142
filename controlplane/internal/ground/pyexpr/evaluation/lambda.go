package evaluation

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// Definition is what a lambda in the text is compiled to. Size is how many names a frame of it has, the parameters
// first.
type Definition struct {
	Params   []syntax.Param
	Defaults []Node // by parameter; nil where there is none
	Body     Node
	Size     int
}

// lambda is a function at work: a definition with the frame it was made in.
type lambda struct {
	def      *Definition
	up       *Frame
	defaults []object.Value
}

// TypeName is what Python calls it.
func (l *lambda) TypeName() string { return "function" }

// Lambda is the node that makes a function of the definition. Defaults are evaluated now, the body at each call.
func (d *Definition) Lambda(f *Frame) object.Value {
	f.Thread.Steps(1)
	f.Thread.Alloc(48 + 16*len(d.Params))
	l := &lambda{def: d, up: f, defaults: make([]object.Value, len(d.Params))}
	for i, n := range d.Defaults {
		l.defaults[i] = object.Missing
		if n != nil {
			l.defaults[i] = n(f)
		}
	}
	return l
}

// Call binds the arguments and runs the body.
func (l *lambda) Call(t *object.Thread, args []object.Value, named []library.Keyword) object.Value {
	t.Call()
	t.Steps(1)
	t.Alloc(48 + 16*l.def.Size)
	f := &Frame{Thread: t, Slots: make([]object.Value, l.def.Size), Up: l.up}
	for i := range f.Slots {
		f.Slots[i] = object.Missing
	}
	l.bind(t, f.Slots, args)
	for _, k := range named {
		l.keyword(t, f.Slots, k)
	}
	for i, p := range l.def.Params {
		if f.Slots[i] != object.Missing {
			continue
		}
		switch {
		case p.Star == 1:
			f.Slots[i] = &object.Tuple{}
		case p.Star == 2:
			f.Slots[i] = &object.Dict{}
		case l.defaults[i] != object.Missing:
			f.Slots[i] = l.defaults[i]
		default:
			t.TypeError("<lambda>() missing 1 required argument: '%s'", p.Name.ID)
		}
	}
	v := l.def.Body(f)
	t.Return()
	return v
}

func (l *lambda) bind(t *object.Thread, slots, args []object.Value) {
	for i, p := range l.def.Params {
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
	for _, p := range l.def.Params {
		if p.Star == 0 && p.Only != 'k' {
			n++
		}
	}
	t.TypeError("<lambda>() takes %d positional arguments, and more were given", n)
}

func (l *lambda) keyword(t *object.Thread, slots []object.Value, k library.Keyword) {
	for i, p := range l.def.Params {
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
