package library

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// types are the types by name.
var types = map[string]*Type{}

// TypeOf is type(v).
func TypeOf(v value) *Type {
	switch v := v.(type) {
	case string:
		return Str
	case *object.Dict:
		return Dict
	case *object.List:
		return List
	case int64, *big.Int:
		return Int
	case *object.Iter:
		return Iterator
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
func Method(v value, name string) *Func {
	switch v.(type) {
	case *Type, *Module:
		return nil
	}
	return TypeOf(v).Methods[name]
}

// Attr is v.name.
func Attr(t *thread, v value, name string) value {
	switch x := v.(type) {
	case *Module:
		if a, ok := x.Attrs[name]; ok {
			return a
		}
		if why := x.Not[name]; why != "" {
			t.Raise("AttributeError", "%s.%s is not possible here: %s", x.Name, name, why)
		}
		t.Raise("AttributeError", "module '%s' has no attribute '%s'", x.Name, name)
	case *Type:
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
		return &Bound{Self: v, Func: m}
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
