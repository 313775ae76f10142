package library

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// The types that TypeOf finds without looking for their names, since most methods are theirs.
var (
	Str      = NewType("str", func(v value) bool { _, ok := v.(string); return ok })
	Dict     = NewType("dict", func(v value) bool { _, ok := v.(*object.Dict); return ok })
	List     = NewType("list", func(v value) bool { _, ok := v.(*object.List); return ok })
	Int      = NewType("int", object.IsInt)
	Iterator = NewType("iterator", func(v value) bool { _, ok := v.(*object.Iter); return ok })
)

// NewType declares a type under the name that object.TypeName gives for its values; is reports whether a value is
// one. Packages declare types while they are initialized.
func NewType(name string, is func(v value) bool) *Type {
	y := &Type{
		Name:    name,
		Is:      is,
		Methods: map[string]*Func{},
		Statics: map[string]value{},
		Getters: map[string]func(*thread, value) value{},
		Not:     map[string]string{},
	}
	types[name] = y
	return y
}

// AddMethod adds a method to a type. params are as in NewFunc and follow the value itself, which is a[0].
func AddMethod(y *Type, name, params string, fn func(t *thread, a values) value) {
	f := NewFunc(name, "self/ "+params, fn)
	f.Self, f.Owner = y.Is, y.Name
	y.Methods[name] = f
}

// Type is a type: what calls make of it, what isinstance asks, and its methods.
type Type struct {
	Name    string
	New     *Func // nil where nothing is made by calling it
	Is      func(v object.Value) bool
	Methods map[string]*Func
	Statics map[string]object.Value // class methods and constants
	Getters map[string]func(t *object.Thread, v object.Value) object.Value
	Not     map[string]string // what there is not here, and why
}

// TypeName is type.
func (y *Type) TypeName() string { return "type" }

// Repr is how the type is written.
func (y *Type) Repr(*object.Thread) string { return "<class '" + y.Name + "'>" }

// Str is the same as Repr.
func (y *Type) Str(t *object.Thread) string { return y.Repr(t) }

// Call makes a value of the type.
func (y *Type) Call(t *object.Thread, args []object.Value, named []Keyword) object.Value {
	if y.New == nil {
		t.TypeError("cannot create '%s' instances", y.Name)
	}
	return y.New.Call(t, args, named)
}

// Module is a module: names with values.
type Module struct {
	Name  string
	Attrs map[string]object.Value
	Not   map[string]string // what there is not here, and why
}

// TypeName is module.
func (m *Module) TypeName() string { return "module" }
