package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

func init() {
	library.AddFunction("iter", "iterable/", func(t *thread, a values) value {
		if it, ok := a[0].(*object.Iter); ok {
			return it
		}
		return t.NewIter("iterator", t.Iterate(a[0]))
	})
	library.AddFunction("next", "iterator/ default/?", func(t *thread, a values) value {
		it, ok := a[0].(*object.Iter)
		if !ok {
			t.TypeError("'%s' object is not an iterator", object.TypeName(a[0]))
		}
		v, more := t.Iterate(it)()
		switch {
		case more:
			return v
		case library.Omitted(a[1]):
			t.Raise("StopIteration", "")
		}
		return a[1]
	})
	library.AddFunction("enumerate", "iterable start?", enumerate)
	library.AddFunction("reversed", "sequence/", reverse)
	library.AddFunction("zip", "*iterables strict?|", zip)
	library.AddFunction("map", "func/ *iterables", mapped)
	library.AddFunction("filter", "func/ iterable/", filter)
}

func enumerate(t *thread, a values) value {
	var i value = int64(0)
	if !library.Omitted(a[1]) {
		t.Index(a[1])
		i = a[1]
	}
	next := t.Iterate(a[0])
	return t.NewIter("enumerate", func() (value, bool) {
		v, ok := next()
		if !ok {
			return nil, false
		}
		t.Items(3)
		pair := object.NewTuple(i, v)
		i = operator.Add(t, i, int64(1))
		return pair, true
	})
}

func reverse(t *thread, a values) value {
	switch v := a[0].(type) {
	case *object.List, *object.Tuple, string, *object.Range, object.Bytes:
		i := t.Len(v)
		if s, ok := v.(string); ok {
			t.Alloc(32 * len(s))
			v = &object.List{Items: t.NewList(s).Items}
		}
		return t.NewIter("reversed", func() (value, bool) {
			if i--; i < 0 || i >= t.Len(v) {
				return nil, false
			}
			return t.Subscript(v, int64(i)), true
		})
	case *object.Dict, *dictView:
		items := t.NewList(v)
		return reverse(t, values{items})
	}
	t.TypeError("'%s' object is not reversible", object.TypeName(a[0]))
	return nil
}

func iterateAll(t *thread, args value) []func() (value, bool) {
	items := args.(*object.Tuple).Items
	t.Items(len(items) * 4)
	all := make([]func() (value, bool), len(items))
	for i, v := range items {
		all[i] = t.Iterate(v)
	}
	return all
}

func zip(t *thread, a values) value {
	all := iterateAll(t, a[0])
	strict := !library.Omitted(a[1]) && operator.Truth(t, a[1])
	return t.NewIter("zip", func() (value, bool) {
		if len(all) == 0 {
			return nil, false
		}
		t.Items(len(all) + 1)
		items := make(values, len(all))
		for i, next := range all {
			v, ok := next()
			if !ok {
				if strict {
					unequal(t, all, i)
				}
				return nil, false
			}
			items[i] = v
		}
		return &object.Tuple{Items: items}, true
	})
}

// unequal raises an error unless all end where the one at i has ended.
func unequal(t *thread, all []func() (value, bool), i int) {
	if i > 0 {
		t.ValueError("zip() argument %d is shorter than argument 1", i+1)
	}
	for j, next := range all[1:] {
		if _, ok := next(); ok {
			t.ValueError("zip() argument %d is longer than argument 1", j+2)
		}
	}
}

func mapped(t *thread, a values) value {
	f, all := a[0], iterateAll(t, a[1])
	if len(all) == 0 {
		t.TypeError("map() must have at least two arguments.")
	}
	return t.NewIter("map", func() (value, bool) {
		base := len(t.Stack)
		for _, next := range all {
			v, ok := next()
			if !ok {
				t.Stack = t.Stack[:base]
				return nil, false
			}
			t.Stack = append(t.Stack, v)
		}
		v := library.Call(t, f, t.Stack[base:]...)
		t.Stack = t.Stack[:base]
		return v, true
	})
}

func filter(t *thread, a values) value {
	f, next := a[0], t.Iterate(a[1])
	return t.NewIter("filter", func() (value, bool) {
		for v, ok := next(); ok; v, ok = next() {
			t.Steps(1)
			keep := v
			if f != nil {
				keep = library.Call(t, f, v)
			}
			if operator.Truth(t, keep) {
				return v, true
			}
		}
		return nil, false
	})
}
