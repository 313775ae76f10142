package library

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

var (
	dictType      = newType("dict", func(v value) bool { _, ok := v.(*object.Dict); return ok })
	setType       = newType("set", func(v value) bool { s, ok := v.(*object.Set); return ok && !s.Immutable })
	frozensetType = newType("frozenset", func(v value) bool { s, ok := v.(*object.Set); return ok && s.Immutable })
)

func init() {
	dictType.New = object.NewFunc("dict", "mapping/? **named", func(t *thread, a values) value {
		d := &object.Dict{}
		if !missing(a[0]) {
			update(t, d, a[0])
		}
		t.Update(d, a[1].(*object.Dict))
		return d
	})
	Names["dict"], Names["set"], Names["frozenset"] = dictType, setType, frozensetType
	dictType.Statics["fromkeys"] = object.NewFunc("fromkeys", "iterable/ value/?", func(t *thread, a values) value {
		d := &object.Dict{}
		for _, k := range t.Collect(a[0]) {
			t.Put(d, k, orNone(a[1]))
		}
		return d
	})
	method(dictType, "get", "key/ default/?", func(t *thread, a values) value {
		if v, ok := t.Get(a[0].(*object.Dict), a[1]); ok {
			return v
		}
		return orNone(a[2])
	})
	method(dictType, "keys", "", view("dict_keys"))
	method(dictType, "values", "", view("dict_values"))
	method(dictType, "items", "", view("dict_items"))
	method(dictType, "copy", "", func(t *thread, a values) value { return t.CopyDict(a[0].(*object.Dict)) })
	method(dictType, "pop", "key/ default/?", func(t *thread, a values) value {
		if v, ok := t.Pop(changeable(t, a[0]), a[1]); ok {
			return v
		}
		if missing(a[2]) {
			t.Raise("KeyError", "%s", t.Repr(a[1]))
		}
		return a[2]
	})
	method(dictType, "popitem", "", func(t *thread, a values) value {
		k, v, ok := t.PopLast(changeable(t, a[0]))
		if !ok {
			t.Raise("KeyError", "'popitem(): dictionary is empty'")
		}
		return object.NewTuple(k, v)
	})
	method(dictType, "setdefault", "key/ default/?", func(t *thread, a values) value {
		d := changeable(t, a[0])
		if v, ok := t.Get(d, a[1]); ok {
			return v
		}
		t.Put(d, a[1], orNone(a[2]))
		return orNone(a[2])
	})
	method(dictType, "update", "mapping/? **named", func(t *thread, a values) value {
		d := changeable(t, a[0])
		if !missing(a[1]) {
			update(t, d, a[1])
		}
		t.Update(d, a[2].(*object.Dict))
		return nil
	})
	method(dictType, "clear", "", func(t *thread, a values) value { changeable(t, a[0]).Clear(); return nil })
	sets()
}

// changeable is a dict that may be changed.
func changeable(t *thread, v value) *object.Dict {
	d := v.(*object.Dict)
	if d.Frozen {
		t.TypeError("the record is not to be changed here; make a copy of it first, as with dict(record)")
	}
	return d
}

// update is d.update(from), where from is a dict or pairs.
func update(t *thread, d *object.Dict, from value) {
	if other, ok := from.(*object.Dict); ok {
		t.Update(d, other)
		return
	}
	for i, pair := range t.Collect(from) {
		items := t.Collect(pair)
		if len(items) != 2 {
			t.ValueError("dictionary update sequence element #%d has length %d; 2 is required", i, len(items))
		}
		t.Put(d, items[0], items[1])
	}
}

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
func (v *dictView) Len() int         { return v.dict.Len() }
func (v *dictView) Truth() bool      { return v.dict.Len() > 0 }

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

// newSet is set(v) or frozenset(v).
func newSet(t *thread, v value, immutable bool) *object.Set {
	s := &object.Set{Immutable: immutable}
	if missing(v) {
		return s
	}
	next := t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		t.Include(s, x)
	}
	return s
}

func sets() {
	setType.New = object.NewFunc("set", "iterable/?", func(t *thread, a values) value { return newSet(t, a[0], false) })
	frozensetType.New = object.NewFunc(
		"frozenset",
		"iterable/?",
		func(t *thread, a values) value { return newSet(t, a[0], true) },
	)
	operations := map[string]string{"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}
	updates := map[string]string{
		"update":                      "|",
		"intersection_update":         "&",
		"difference_update":           "-",
		"symmetric_difference_update": "^",
	}
	fold := func(t *thread, op string, a values) *object.Set {
		s := a[0].(*object.Set)
		r := t.SetOperation("|", s, &object.Set{})
		for _, other := range a[1].(*object.Tuple).Items {
			r = t.SetOperation(op, r, newSet(t, other, false))
		}
		return r
	}
	for _, y := range []*object.Type{setType, frozensetType} {
		for name, op := range operations {
			method(y, name, "*others", func(t *thread, a values) value { return fold(t, op, a) })
		}
		method(
			y,
			"copy",
			"",
			func(t *thread, a values) value { return t.SetOperation("|", a[0].(*object.Set), &object.Set{}) },
		)
		method(
			y,
			"issubset",
			"other/",
			func(t *thread, a values) value { return t.Subset(a[0].(*object.Set), newSet(t, a[1], false)) },
		)
		method(
			y,
			"issuperset",
			"other/",
			func(t *thread, a values) value { return t.Subset(newSet(t, a[1], false), a[0].(*object.Set)) },
		)
		method(y, "isdisjoint", "other/", func(t *thread, a values) value {
			return t.SetOperation("&", a[0].(*object.Set), newSet(t, a[1], false)).Len() == 0
		})
	}
	for name, op := range updates {
		method(setType, name, "*others", func(t *thread, a values) value {
			*a[0].(*object.Set) = *fold(t, op, a)
			return nil
		})
	}
	method(
		setType,
		"add",
		"element/",
		func(t *thread, a values) value { t.Include(a[0].(*object.Set), a[1]); return nil },
	)
	method(
		setType,
		"discard",
		"element/",
		func(t *thread, a values) value { t.Exclude(a[0].(*object.Set), a[1]); return nil },
	)
	method(setType, "remove", "element/", func(t *thread, a values) value {
		if !t.Exclude(a[0].(*object.Set), a[1]) {
			t.Raise("KeyError", "%s", t.Repr(a[1]))
		}
		return nil
	})
	method(setType, "pop", "", func(t *thread, a values) value {
		s := a[0].(*object.Set)
		for v := range s.All {
			t.Exclude(s, v)
			return v
		}
		t.Raise("KeyError", "'pop from an empty set'")
		return nil
	})
	method(setType, "clear", "", func(t *thread, a values) value { a[0].(*object.Set).Clear(); return nil })
}
