package library

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

var (
	listType  = newType("list", func(v value) bool { _, ok := v.(*object.List); return ok })
	tupleType = newType("tuple", func(v value) bool { _, ok := v.(*object.Tuple); return ok })
	rangeType = newType("range", func(v value) bool { _, ok := v.(*object.Range); return ok })
)

func init() {
	listType.New = object.NewFunc("list", "iterable/?", func(t *thread, a values) value {
		if missing(a[0]) {
			return &object.List{}
		}
		return t.NewList(a[0])
	})
	tupleType.New = object.NewFunc("tuple", "iterable/?", func(t *thread, a values) value {
		if missing(a[0]) {
			return &object.Tuple{}
		}
		if tuple, ok := a[0].(*object.Tuple); ok {
			return tuple
		}
		return &object.Tuple{Items: t.NewList(a[0]).Items}
	})
	rangeType.New = object.NewFunc("range", "start/ stop/? step/?", newRange)
	Names["list"], Names["tuple"], Names["range"] = listType, tupleType, rangeType
	method(rangeType, "index", "value/", indexOf)
	for _, y := range []*object.Type{listType, tupleType} {
		method(y, "index", "value/ start/? stop/?", indexOf)
	}
	for _, y := range []*object.Type{listType, tupleType, rangeType} {
		method(y, "count", "value/", func(t *thread, a values) value {
			n := int64(0)
			for _, v := range t.Collect(a[0]) {
				t.Steps(1)
				if object.Same(v, a[1]) || t.Equal(v, a[1]) {
					n++
				}
			}
			return n
		})
	}
	method(listType, "append", "object/", func(t *thread, a values) value {
		l := mine(t, a[0])
		t.Items(2)
		l.Items = append(l.Items, a[1])
		return nil
	})
	method(listType, "extend", "iterable/", func(t *thread, a values) value {
		l := mine(t, a[0])
		more := t.NewList(a[1]).Items
		t.Items(2 * len(more))
		l.Items = append(l.Items, more...)
		return nil
	})
	method(listType, "insert", "index/ object/", func(t *thread, a values) value {
		l := mine(t, a[0])
		i := t.Count(a[1])
		if i < 0 {
			i = max(max(i, -len(l.Items))+len(l.Items), 0)
		}
		t.Steps(len(l.Items) / 4)
		t.Items(2)
		l.Items = slices.Insert(l.Items, min(i, len(l.Items)), a[2])
		return nil
	})
	method(listType, "pop", "index/?", pop)
	method(listType, "remove", "value/", func(t *thread, a values) value {
		l := mine(t, a[0])
		i := indexOf(t, values{a[0], a[1], object.Missing, object.Missing}).(int64)
		l.Items = slices.Delete(l.Items, int(i), int(i)+1)
		return nil
	})
	method(listType, "clear", "", func(t *thread, a values) value { mine(t, a[0]).Items = nil; return nil })
	method(listType, "copy", "", func(t *thread, a values) value { return t.NewList(a[0]) })
	method(listType, "reverse", "", func(t *thread, a values) value {
		l := mine(t, a[0])
		t.Steps(len(l.Items) / 16)
		slices.Reverse(l.Items)
		return nil
	})
	method(listType, "sort", "key?| reverse?|", func(t *thread, a values) value {
		l := mine(t, a[0])
		l.Items = sorted(t, l.Items, orNone(a[1]), a[2])
		return nil
	})
}

// mine is a list that may be changed.
func mine(t *thread, v value) *object.List {
	l := v.(*object.List)
	if l.Frozen {
		t.TypeError("a list of the record is not to be changed here; make a copy of it first, as with list(…)")
	}
	return l
}

func indexOf(t *thread, a values) value {
	for len(a) < 4 {
		a = append(a, object.Missing)
	}
	items := t.Collect(a[0])
	at := func(v value, otherwise int) int {
		i := otherwise
		if !missing(v) {
			i = t.Index(v)
		}
		if i < 0 {
			i = max(max(i, -len(items))+len(items), 0)
		}
		return i
	}
	for i := at(a[2], 0); i < min(at(a[3], len(items)), len(items)); i++ {
		t.Steps(1)
		if object.Same(items[i], a[1]) || t.Equal(items[i], a[1]) {
			return int64(i)
		}
	}
	if _, ok := a[0].(*object.Tuple); ok {
		t.ValueError("tuple.index(x): x not in tuple")
	}
	t.ValueError("%s is not in list", t.Repr(a[1]))
	return nil
}

func pop(t *thread, a values) value {
	l := mine(t, a[0])
	if len(l.Items) == 0 {
		t.Raise("IndexError", "pop from empty list")
	}
	i := number(t, a[1], -1)
	if i < 0 {
		i += len(l.Items)
	}
	if i < 0 || i >= len(l.Items) {
		t.Raise("IndexError", "pop index out of range")
	}
	v := l.Items[i]
	t.Steps((len(l.Items) - i) / 4)
	l.Items = append(l.Items[:i:i], l.Items[i+1:]...)
	if i < len(l.Items) {
		t.Items(len(l.Items))
	}
	return v
}

// sorted is sorted(items, key=key, reverse=reverse): a list of its own.
func sorted(t *thread, items values, key, reverse value) values {
	type keyed struct{ key, value value }
	t.Items(4*len(items) + 2)
	all := make([]keyed, len(items))
	for i, v := range items {
		t.Steps(1)
		all[i] = keyed{v, v}
		if key != nil {
			all[i].key = t.CallValue(key, v)
		}
	}
	backwards := !missing(reverse) && t.Truth(reverse)
	if backwards {
		slices.Reverse(all) // so that equal ones keep their order
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		t.Steps(1)
		switch {
		case t.Less(a.key, b.key):
			return -1
		case t.Less(b.key, a.key):
			return 1
		}
		return 0
	})
	if backwards {
		slices.Reverse(all)
	}
	out := make(values, len(all))
	for i, k := range all {
		out[i] = k.value
	}
	return out
}

func newRange(t *thread, a values) value {
	whole := func(v value) int64 {
		i, b, ok := object.AsInt(v)
		if !ok {
			t.TypeError("'%s' object cannot be interpreted as an integer", object.TypeName(v))
		}
		if b != nil {
			t.Raise("OverflowError", "a range goes no further than 64 bits here")
		}
		return i
	}
	if missing(a[1]) {
		return &object.Range{Stop: whole(a[0]), Step: 1}
	}
	r := &object.Range{Start: whole(a[0]), Stop: whole(a[1]), Step: 1}
	if !missing(a[2]) {
		if r.Step = whole(a[2]); r.Step == 0 {
			t.ValueError("range() arg 3 must not be zero")
		}
	}
	return r
}
