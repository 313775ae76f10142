package object

import (
	"strings"
)

// Keyword is an argument given by name.
type Keyword struct {
	Name  string
	Value Value
}

// Callable is a value that can be called. It does not keep args, which belong to the caller.
type Callable interface {
	Call(t *Thread, args []Value, named []Keyword) Value
}

// Func is a function of ours. Its arguments are in the order of its parameters: Missing where one was not given, a
// *Tuple for *args and a *Dict for **named.
type Func struct {
	Name   string
	Fn     func(t *Thread, a []Value) Value
	Self   func(v Value) bool // of a method: what its first argument must be
	Owner  string             // the type of a method
	params []param
	plain  bool // there are neither * nor keyword-only parameters
}

type param struct {
	name     string
	required bool
	named    bool // may be given by name
	only     bool // only by name
	star     int
}

// NewFunc makes a function. params names its parameters with spaces between them: a leading * or ** takes the rest, a
// trailing ? may be left out, a trailing / may not be given by name, a trailing | only by name.
func NewFunc(name, params string, fn func(t *Thread, a []Value) Value) *Func {
	f := &Func{Name: name, Fn: fn, plain: true}
	for _, s := range strings.Fields(params) {
		p := param{required: true, named: true}
		for s != "" && strings.IndexByte("?/|", s[len(s)-1]) >= 0 {
			switch s[len(s)-1] {
			case '?':
				p.required = false
			case '/':
				p.named = false
			case '|':
				p.only = true
			}
			s = s[:len(s)-1]
		}
		p.star = len(s) - len(strings.TrimLeft(s, "*"))
		p.name = s[p.star:]
		f.plain = f.plain && p.star == 0 && !p.only
		f.params = append(f.params, p)
	}
	return f
}

// TypeName is what Python calls functions written in C.
func (f *Func) TypeName() string { return "builtin_function_or_method" }

// Call binds the arguments to the parameters.
func (f *Func) Call(t *Thread, args []Value, named []Keyword) Value {
	t.Steps(1)
	if f.Self != nil && (len(args) == 0 || !f.Self(args[0])) {
		if len(args) == 0 {
			t.TypeError("unbound method %s.%s() needs an argument", f.Owner, f.Name)
		}
		t.TypeError(
			"descriptor '%s' for '%s' objects doesn't apply to a '%s' object",
			f.Name,
			f.Owner,
			TypeName(args[0]),
		)
	}
	return f.Invoke(t, args, named)
}

// Invoke is Call for a method whose first argument is known to be right.
func (f *Func) Invoke(t *Thread, args []Value, named []Keyword) Value {
	if f.plain && len(named) == 0 && len(args) == len(f.params) {
		return f.Fn(t, args)
	}
	base := len(t.Stack)
	for range f.params {
		t.Stack = append(t.Stack, Missing)
	}
	slots := t.Stack[base:]
	f.positional(t, slots, args)
	for _, k := range named {
		f.keyword(t, slots, k)
	}
	for i, p := range f.params {
		if slots[i] != Missing {
			continue
		}
		switch {
		case p.star == 1:
			slots[i] = &Tuple{}
		case p.star == 2:
			slots[i] = &Dict{}
		case p.required:
			t.TypeError("%s() missing required argument '%s' (pos %d)", f.Name, p.name, i+1)
		}
	}
	v := f.Fn(t, slots)
	t.Stack = t.Stack[:base]
	return v
}

func (f *Func) positional(t *Thread, slots, args []Value) {
	for i, p := range f.params {
		switch {
		case p.star == 1:
			t.Items(len(args) + 1)
			slots[i] = &Tuple{Items: append([]Value(nil), args...)}
			return
		case len(args) == 0:
			return
		case p.only || p.star == 2:
			f.tooMany(t)
		}
		slots[i], args = args[0], args[1:]
	}
	if len(args) > 0 {
		f.tooMany(t)
	}
}

func (f *Func) tooMany(t *Thread) {
	most := 0
	for _, p := range f.params {
		if !p.only && p.star == 0 {
			most++
		}
	}
	if f.Self != nil {
		most--
	}
	t.TypeError(
		"%s() takes at most %d argument%s, and more were given",
		f.Name,
		most,
		map[bool]string{false: "s"}[most == 1],
	)
}

func (f *Func) keyword(t *Thread, slots []Value, k Keyword) {
	for i, p := range f.params {
		switch {
		case p.star == 2:
			d, ok := slots[i].(*Dict)
			if !ok {
				d = &Dict{}
				slots[i] = d
			}
			t.Put(d, k.Name, k.Value)
			return
		case p.named && p.star == 0 && p.name == k.Name:
			if slots[i] != Missing {
				t.TypeError("%s() got multiple values for argument '%s'", f.Name, k.Name)
			}
			slots[i] = k.Value
			return
		}
	}
	t.TypeError("%s() got an unexpected keyword argument '%s'", f.Name, k.Name)
}

// Bound is a method with the value that it is a method of.
type Bound struct {
	Self Value
	Func *Func
}

// TypeName is what Python calls methods written in C.
func (b *Bound) TypeName() string { return "builtin_function_or_method" }

// Call calls the method.
func (b *Bound) Call(t *Thread, args []Value, named []Keyword) Value {
	t.Steps(1)
	base := len(t.Stack)
	t.Stack = append(append(t.Stack, b.Self), args...)
	v := b.Func.Invoke(t, t.Stack[base:], named)
	t.Stack = t.Stack[:base]
	return v
}

// CallValue calls a value with positional arguments.
func (t *Thread) CallValue(f Value, args ...Value) Value {
	c, ok := f.(Callable)
	if !ok {
		t.TypeError("'%s' object is not callable", TypeName(f))
	}
	return c.Call(t, args, nil)
}

// Type is a type: what calls make of it, what isinstance asks, and its methods.
type Type struct {
	Name    string
	New     *Func // nil where nothing is made by calling it
	Is      func(v Value) bool
	Methods map[string]*Func
	Statics map[string]Value // class methods and constants
	Getters map[string]func(t *Thread, v Value) Value
	Not     map[string]string // what there is not here, and why
}

// TypeName is type.
func (y *Type) TypeName() string { return "type" }

// Repr is how the type is written.
func (y *Type) Repr(*Thread) string { return "<class '" + y.Name + "'>" }

// Str is the same as Repr.
func (y *Type) Str(t *Thread) string { return y.Repr(t) }

// Call makes a value of the type.
func (y *Type) Call(t *Thread, args []Value, named []Keyword) Value {
	if y.New == nil {
		t.TypeError("cannot create '%s' instances", y.Name)
	}
	return y.New.Call(t, args, named)
}

// Module is a module: names with values.
type Module struct {
	Name  string
	Attrs map[string]Value
	Not   map[string]string // what there is not here, and why
}

// TypeName is module.
func (m *Module) TypeName() string { return "module" }
