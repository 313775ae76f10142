package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// dictView is what keys, values and items give.
type dictView struct {
	kind string
	dict *object.Dict
}

func view(kind string) func(t *thread, a values) value {
	return func(t *thread, a values) value {
		t.Alloc(32)
		return &dictView{kind, a[0].(*object.Dict)}
	}
}

func (v *dictView) TypeName() string { return v.kind }

func (v *dictView) Len() int { return v.dict.Len() }

func (v *dictView) Truth() bool { return v.dict.Len() > 0 }

func (v *dictView) Iterate(t *thread) func() (value, bool) {
	switch v.kind {
	case "dict_keys":
		return t.Iterate(v.dict)
	case "dict_values":
		return t.Values(v.dict)
	}
	return t.Pairs(v.dict)
}

func (v *dictView) Repr(t *thread) string {
	return v.kind + "(" + t.Repr(&object.List{Items: t.Collect(v)}) + ")"
}

func (v *dictView) Str(t *thread) string { return v.Repr(t) }

// Binary is an operation of sets; views of keys and of items are like sets.
func (v *dictView) Binary(t *thread, op string, other value, swapped bool) (value, bool) {
	if v.kind == "dict_values" || op != "|" && op != "&" && op != "-" && op != "^" {
		return nil, false
	}
	a, b := newSet(t, v, false), newSet(t, other, false)
	if swapped {
		a, b = b, a
	}
	return t.SetOperation(op, a, b), true
}
