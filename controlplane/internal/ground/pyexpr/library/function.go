package library

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Keyword is an argument given by name.
type Keyword struct {
	Name  string
	Value object.Value
}

// Callable is a value that can be called. It does not keep args, which belong to the caller.
type Callable interface {
	Call(t *object.Thread, args []object.Value, named []Keyword) object.Value
}

type param struct {
	name     string
	required bool
	named    bool // may be given by name
	only     bool // only by name
	star     int
}

func (f *Func) positional(t *object.Thread, slots, args []object.Value) {
	for i, p := range f.params {
		switch {
		case p.star == 1:
			t.Items(len(args) + 1)
			slots[i] = &object.Tuple{Items: append([]object.Value(nil), args...)}
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

func (f *Func) tooMany(t *object.Thread) {
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

func (f *Func) keyword(t *object.Thread, slots []object.Value, k Keyword) {
	for i, p := range f.params {
		switch {
		case p.star == 2:
			d, ok := slots[i].(*object.Dict)
			if !ok {
				d = &object.Dict{}
				slots[i] = d
			}
			t.Put(d, k.Name, k.Value)
			return
		case p.named && p.star == 0 && p.name == k.Name:
			if slots[i] != object.Missing {
				t.TypeError("%s() got multiple values for argument '%s'", f.Name, k.Name)
			}
			slots[i] = k.Value
			return
		}
	}
	t.TypeError("%s() got an unexpected keyword argument '%s'", f.Name, k.Name)
}

// Func is a function of ours. Its arguments are in the order of its parameters: Missing where one was not given, a
// *Tuple for *args and a *Dict for **named.
type Func struct {
	Name   string
	Fn     func(t *object.Thread, a []object.Value) object.Value
	Self   func(v object.Value) bool // of a method: what its first argument must be
	Owner  string                    // the type of a method
	params []param
	plain  bool // there are neither * nor keyword-only parameters
}

// NewFunc makes a function. params names its parameters with spaces between them: a leading * or ** takes the rest, a
// trailing ? may be left out, a trailing / may not be given by name, a trailing | only by name.
func NewFunc(name, params string, fn func(t *object.Thread, a []object.Value) object.Value) *Func {
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
func (f *Func) Call(t *object.Thread, args []object.Value, named []Keyword) object.Value {
	t.Steps(1)
	if f.Self != nil && (len(args) == 0 || !f.Self(args[0])) {
		if len(args) == 0 {
			t.TypeError("unbound method %s.%s() needs an argument", f.Owner, f.Name)
		}
		t.TypeError(
			"descriptor '%s' for '%s' objects doesn't apply to a '%s' object",
			f.Name,
			f.Owner,
			object.TypeName(args[0]),
		)
	}
	return f.Invoke(t, args, named)
}

// Invoke is Call for a method whose first argument is known to be right.
func (f *Func) Invoke(t *object.Thread, args []object.Value, named []Keyword) object.Value {
	if f.plain && len(named) == 0 && len(args) == len(f.params) {
		return f.Fn(t, args)
	}
	base := len(t.Stack)
	for range f.params {
		t.Stack = append(t.Stack, object.Missing)
	}
	slots := t.Stack[base:]
	f.positional(t, slots, args)
	for _, k := range named {
		f.keyword(t, slots, k)
	}
	for i, p := range f.params {
		if slots[i] != object.Missing {
			continue
		}
		switch {
		case p.star == 1:
			slots[i] = &object.Tuple{}
		case p.star == 2:
			slots[i] = &object.Dict{}
		case p.required:
			t.TypeError("%s() missing required argument '%s' (pos %d)", f.Name, p.name, i+1)
		}
	}
	v := f.Fn(t, slots)
	t.Stack = t.Stack[:base]
	return v
}

// Bound is a method with the value that it is a method of.
type Bound struct {
	Self object.Value
	Func *Func
}

// TypeName is what Python calls methods written in C.
func (b *Bound) TypeName() string { return "builtin_function_or_method" }

// Call calls the method.
func (b *Bound) Call(t *object.Thread, args []object.Value, named []Keyword) object.Value {
	t.Steps(1)
	base := len(t.Stack)
	t.Stack = append(append(t.Stack, b.Self), args...)
	v := b.Func.Invoke(t, t.Stack[base:], named)
	t.Stack = t.Stack[:base]
	return v
}

// Call calls a value with arguments by position. One that cannot be called raises a TypeError.
func Call(t *object.Thread, f object.Value, args ...object.Value) object.Value {
	c, ok := f.(Callable)
	if !ok {
		t.TypeError("'%s' object is not callable", object.TypeName(f))
	}
	return c.Call(t, args, nil)
}
