package library

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// The types that have no package of their own, for what they are asked about: object is what everything is.
var (
	objectType = NewType("object", func(value) bool { return true })
	typeType   = NewType("type", func(v value) bool { _, ok := v.(*Type); return ok })
)

func init() {
	NewType("NoneType", func(v value) bool { return v == nil })
	Names["object"], Names["type"] = objectType, typeType
	typeType.New = NewFunc("type", "object/", func(t *thread, a values) value { return TypeOf(a[0]) })
	AddFunction("isinstance", "obj/ class/", func(t *thread, a values) value { return isInstance(t, a[0], a[1]) })
	AddFunction("callable", "obj/", func(t *thread, a values) value { _, ok := a[0].(Callable); return ok })
	AddFunction("hash", "obj/", func(t *thread, a values) value {
		t.Hash(a[0])
		t.TypeError("hash() is not possible here: Python gives texts another one every time")
		return nil
	})
}

func isInstance(t *thread, v, class value) bool {
	t.Steps(1)
	switch c := class.(type) {
	case *Type:
		return c.Is(v)
	case *object.Tuple:
		t.Enter()
		defer t.Leave()
		for _, one := range c.Items {
			if isInstance(t, v, one) {
				return true
			}
		}
		return false
	case nil:
	}
	t.TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")
	return false
}
