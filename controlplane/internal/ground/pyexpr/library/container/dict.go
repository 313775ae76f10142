package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

var (
	setType       = library.NewType("set", func(v value) bool { s, ok := v.(*object.Set); return ok && !s.Immutable })
	frozensetType = library.NewType(
		"frozenset",
		func(v value) bool { s, ok := v.(*object.Set); return ok && s.Immutable },
	)
)

func init() {
	library.Dict.New = library.NewFunc("dict", "mapping/? **named", func(t *thread, a values) value {
		d := &object.Dict{}
		if !library.Omitted(a[0]) {
			update(t, d, a[0])
		}
		t.Update(d, a[1].(*object.Dict))
		return d
	})
	library.Names["dict"], library.Names["set"], library.Names["frozenset"] = library.Dict, setType, frozensetType
	library.Dict.Statics["fromkeys"] = library.NewFunc(
		"fromkeys",
		"iterable/ value/?",
		func(t *thread, a values) value {
			d := &object.Dict{}
			for _, k := range t.Collect(a[0]) {
				t.Put(d, k, library.OrNone(a[1]))
			}
			return d
		},
	)
	library.AddMethod(library.Dict, "get", "key/ default/?", func(t *thread, a values) value {
		if v, ok := t.Get(a[0].(*object.Dict), a[1]); ok {
			return v
		}
		return library.OrNone(a[2])
	})
	library.AddMethod(library.Dict, "keys", "", view("dict_keys"))
	library.AddMethod(library.Dict, "values", "", view("dict_values"))
	library.AddMethod(library.Dict, "items", "", view("dict_items"))
	library.AddMethod(
		library.Dict,
		"copy",
		"",
		func(t *thread, a values) value { return t.CopyDict(a[0].(*object.Dict)) },
	)
	library.AddMethod(library.Dict, "pop", "key/ default/?", func(t *thread, a values) value {
		if v, ok := t.Pop(changeable(t, a[0]), a[1]); ok {
			return v
		}
		if library.Omitted(a[2]) {
			t.Raise("KeyError", "%s", t.Repr(a[1]))
		}
		return a[2]
	})
	library.AddMethod(library.Dict, "popitem", "", func(t *thread, a values) value {
		k, v, ok := t.PopLast(changeable(t, a[0]))
		if !ok {
			t.Raise("KeyError", "'popitem(): dictionary is empty'")
		}
		return object.NewTuple(k, v)
	})
	library.AddMethod(library.Dict, "setdefault", "key/ default/?", func(t *thread, a values) value {
		d := changeable(t, a[0])
		if v, ok := t.Get(d, a[1]); ok {
			return v
		}
		t.Put(d, a[1], library.OrNone(a[2]))
		return library.OrNone(a[2])
	})
	library.AddMethod(library.Dict, "update", "mapping/? **named", func(t *thread, a values) value {
		d := changeable(t, a[0])
		if !library.Omitted(a[1]) {
			update(t, d, a[1])
		}
		t.Update(d, a[2].(*object.Dict))
		return nil
	})
	library.AddMethod(
		library.Dict,
		"clear",
		"",
		func(t *thread, a values) value { changeable(t, a[0]).Clear(); return nil },
	)
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
