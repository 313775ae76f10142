// Package library holds what an expression finds by name: the builtin functions and types of Python with their methods,
// the modules re, datetime, math, string and unicodedata, and helpers for what mappings often need.
package library

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)

// Names are what an expression may use by name.
var Names = map[string]object.Value{}

// types are the types by name.
var types = map[string]*object.Type{}

// newType makes a type that names its values by name.
func newType(name string, is func(v value) bool) *object.Type {
	y := &object.Type{
		Name:    name,
		Is:      is,
		Methods: map[string]*object.Func{},
		Statics: map[string]value{},
		Getters: map[string]func(*thread, value) value{},
		Not:     map[string]string{},
	}
	types[name] = y
	return y
}

// method adds a method; its parameters follow the value itself.
func method(y *object.Type, name, params string, fn func(t *thread, a values) value) {
	f := object.NewFunc(name, "self/ "+params, fn)
	f.Self, f.Owner = y.Is, y.Name
	y.Methods[name] = f
}

// function adds a function under its name.
func function(name, params string, fn func(t *thread, a values) value) *object.Func {
	f := object.NewFunc(name, params, fn)
	Names[name] = f
	return f
}

// missing reports whether an argument was not given.
func missing(v value) bool { return v == object.Missing }

// TypeOf is type(v).
func TypeOf(v value) *object.Type {
	switch v := v.(type) {
	case string:
		return strType
	case *object.Dict:
		return dictType
	case *object.List:
		return listType
	case int64, *big.Int:
		return intType
	case *object.Iter:
		return iterType
	default:
		if y := types[object.TypeName(v)]; y != nil {
			return y
		}
	}
	return objectType
}

// MethodsOf are the names of the methods of a type, in order; none where there is no such type.
func MethodsOf(name string) []string {
	y := types[name]
	if y == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(y.Methods))
}

// Method finds a method of a value, for calling it at once.
func Method(v value, name string) *object.Func {
	switch v.(type) {
	case *object.Type, *object.Module:
		return nil
	}
	return TypeOf(v).Methods[name]
}

// Attr is v.name.
func Attr(t *thread, v value, name string) value {
	switch x := v.(type) {
	case *object.Module:
		if a, ok := x.Attrs[name]; ok {
			return a
		}
		if why := x.Not[name]; why != "" {
			t.Raise("AttributeError", "%s.%s is not possible here: %s", x.Name, name, why)
		}
		t.Raise("AttributeError", "module '%s' has no attribute '%s'", x.Name, name)
	case *object.Type:
		if a, ok := x.Statics[name]; ok {
			return a
		}
		if m := x.Methods[name]; m != nil {
			return m
		}
		if why := x.Not[name]; why != "" {
			t.Raise("AttributeError", "%s.%s is not possible here: %s", x.Name, name, why)
		}
		t.Raise("AttributeError", "type object '%s' has no attribute '%s'", x.Name, name)
	}
	y := TypeOf(v)
	if g := y.Getters[name]; g != nil {
		return g(t, v)
	}
	if m := y.Methods[name]; m != nil {
		t.Alloc(32)
		return &object.Bound{Self: v, Func: m}
	}
	if a, ok := y.Statics[name]; ok {
		return a
	}
	if why := y.Not[name]; why != "" {
		t.Raise("AttributeError", "%s.%s is not possible here: %s", y.Name, name, why)
	}
	if strings.HasPrefix(name, "_") {
		t.Raise("AttributeError", "%s: names that begin with _ are not reachable here", name)
	}
	t.Raise("AttributeError", "'%s' object has no attribute '%s'", object.TypeName(v), name)
	return nil
}

// text is an argument that has to be a str.
func text(t *thread, v value, of string) string {
	s, ok := v.(string)
	if !ok {
		t.TypeError("%s must be str, not %s", of, object.TypeName(v))
	}
	return s
}

// number is an argument that counts something; otherwise stands for one that was not given.
func number(t *thread, v value, otherwise int) int {
	if missing(v) {
		return otherwise
	}
	return t.Count(v)
}

// orNone is an argument, or None when it was not given.
func orNone(v value) value {
	if missing(v) {
		return nil
	}
	return v
}

// result charges a new text.
func result(t *thread, s string) value {
	t.Alloc(len(s) + 16)
	return s
}

// list makes a list of texts, charging it.
func list(t *thread, parts []string) *object.List {
	t.Items(2*len(parts) + 2)
	l := &object.List{Items: make(values, len(parts))}
	for i, p := range parts {
		l.Items[i] = p
	}
	return l
}
