package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// newSet is set(v) or frozenset(v).
func newSet(t *thread, v value, immutable bool) *object.Set {
	s := &object.Set{Immutable: immutable}
	if library.Omitted(v) {
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
	setType.New = library.NewFunc(
		"set",
		"iterable/?",
		func(t *thread, a values) value { return newSet(t, a[0], false) },
	)
	frozensetType.New = library.NewFunc(
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
	for _, y := range []*library.Type{setType, frozensetType} {
		for name, op := range operations {
			library.AddMethod(y, name, "*others", func(t *thread, a values) value { return fold(t, op, a) })
		}
		library.AddMethod(
			y,
			"copy",
			"",
			func(t *thread, a values) value {
				return t.SetOperation("|", a[0].(*object.Set), &object.Set{})
			},
		)
		library.AddMethod(
			y,
			"issubset",
			"other/",
			func(t *thread, a values) value {
				return t.Subset(a[0].(*object.Set), newSet(t, a[1], false))
			},
		)
		library.AddMethod(
			y,
			"issuperset",
			"other/",
			func(t *thread, a values) value {
				return t.Subset(newSet(t, a[1], false), a[0].(*object.Set))
			},
		)
		library.AddMethod(y, "isdisjoint", "other/", func(t *thread, a values) value {
			return t.SetOperation("&", a[0].(*object.Set), newSet(t, a[1], false)).Len() == 0
		})
	}
	for name, op := range updates {
		library.AddMethod(setType, name, "*others", func(t *thread, a values) value {
			*a[0].(*object.Set) = *fold(t, op, a)
			return nil
		})
	}
	library.AddMethod(
		setType,
		"add",
		"element/",
		func(t *thread, a values) value {
			t.Include(a[0].(*object.Set), a[1])
			return nil
		},
	)
	library.AddMethod(
		setType,
		"discard",
		"element/",
		func(t *thread, a values) value {
			t.Exclude(a[0].(*object.Set), a[1])
			return nil
		},
	)
	library.AddMethod(setType, "remove", "element/", func(t *thread, a values) value {
		if !t.Exclude(a[0].(*object.Set), a[1]) {
			t.Raise("KeyError", "%s", t.Repr(a[1]))
		}
		return nil
	})
	library.AddMethod(setType, "pop", "", func(t *thread, a values) value {
		s := a[0].(*object.Set)
		for v := range s.All {
			t.Exclude(s, v)
			return v
		}
		t.Raise("KeyError", "'pop from an empty set'")
		return nil
	})
	library.AddMethod(setType, "clear", "", func(t *thread, a values) value { a[0].(*object.Set).Clear(); return nil })
}
