package evaluation

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Keyword is an argument that a call gives by name, or with ** a dict of them, when Name is empty.
type Keyword struct {
	Name string
	Node Node
}

// Arguments are the compiled arguments of a call, in the order of the text.
type Arguments struct {
	Items []Item
	Named []Keyword
}

// Push evaluates the arguments: it puts those by position on the stack of the thread and gives those by name. The
// caller takes the stack back after the call.
func (a *Arguments) Push(f *Frame) []library.Keyword {
	t := f.Thread
	for _, i := range a.Items {
		v := i.Node(f)
		if !i.Starred {
			t.Stack = append(t.Stack, v)
			continue
		}
		t.At = i.At
		more := t.Collect(v)
		t.Items(len(more))
		t.Stack = append(t.Stack, more...)
	}
	if len(a.Named) == 0 {
		return nil
	}
	named := make([]library.Keyword, 0, len(a.Named))
	for _, k := range a.Named {
		v := k.Node(f)
		if k.Name != "" {
			named = append(named, library.Keyword{Name: k.Name, Value: v})
			continue
		}
		named = spread(t, named, v)
	}
	return named
}

// spread adds the entries of a dict that was given with **.
func spread(t *object.Thread, named []library.Keyword, v object.Value) []library.Keyword {
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
		named = append(named, library.Keyword{Name: name, Value: value})
	}
	return named
}

// Apply calls fn with the arguments; at is the place of the call in the source. A value that cannot be called raises
// a TypeError, after the arguments have been evaluated, as in CPython.
func Apply(f *Frame, fn object.Value, args *Arguments, at int) object.Value {
	t := f.Thread
	base := len(t.Stack)
	named := args.Push(f)
	t.Steps(1)
	t.At = at
	callable, ok := fn.(library.Callable)
	if !ok {
		t.TypeError("'%s' object is not callable", object.TypeName(fn))
	}
	v := callable.Call(t, t.Stack[base:len(t.Stack):len(t.Stack)], named)
	t.Stack = t.Stack[:base]
	return v
}

// Attempt evaluates a node and gives ok false when it raises an exception of Python. A limit that it exceeds is not
// caught: it ends the whole evaluation.
func Attempt(f *Frame, try Node) (v object.Value, ok bool) {
	mark := f.Thread.Mark()
	defer func() {
		if r := recover(); r != nil {
			if _, raised := r.(*object.Raised); !raised {
				panic(r)
			}
			f.Thread.Restore(mark)
			f.Thread.Steps(50)
			v, ok = nil, false
		}
	}()
	return try(f), true
}
