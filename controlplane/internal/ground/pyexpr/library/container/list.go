package container

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

var (
	tupleType = library.NewType("tuple", func(v value) bool { _, ok := v.(*object.Tuple); return ok })
	rangeType = library.NewType("range", func(v value) bool { _, ok := v.(*object.Range); return ok })
)

func init() {
	library.List.New = library.NewFunc("list", "iterable/?", func(t *thread, a values) value {
		if library.Omitted(a[0]) {
			return &object.List{}
		}
		return t.NewList(a[0])
	})
	tupleType.New = library.NewFunc("tuple", "iterable/?", func(t *thread, a values) value {
		if library.Omitted(a[0]) {
			return &object.Tuple{}
		}
		if tuple, ok := a[0].(*object.Tuple); ok {
			return tuple
		}
		return &object.Tuple{Items: t.NewList(a[0]).Items}
	})
	rangeType.New = library.NewFunc("range", "start/ stop/? step/?", newRange)
	library.Names["list"], library.Names["tuple"], library.Names["range"] = library.List, tupleType, rangeType
	library.AddMethod(rangeType, "index", "value/", indexOf)
	for _, y := range []*library.Type{library.List, tupleType} {
		library.AddMethod(y, "index", "value/ start/? stop/?", indexOf)
	}
	for _, y := range []*library.Type{library.List, tupleType, rangeType} {
		library.AddMethod(y, "count", "value/", func(t *thread, a values) value {
			n := int64(0)
			for _, v := range t.Collect(a[0]) {
				t.Steps(1)
				if operator.Same(v, a[1]) || operator.Equal(t, v, a[1]) {
					n++
				}
			}
			return n
		})
	}
	library.AddMethod(library.List, "append", "object/", func(t *thread, a values) value {
		l := mine(t, a[0])
		t.Items(2)
		l.Items = append(l.Items, a[1])
		return nil
	})
	library.AddMethod(library.List, "extend", "iterable/", func(t *thread, a values) value {
		l := mine(t, a[0])
		more := t.NewList(a[1]).Items
		t.Items(2 * len(more))
		l.Items = append(l.Items, more...)
		return nil
	})
	library.AddMethod(library.List, "insert", "index/ object/", func(t *thread, a values) value {
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
	library.AddMethod(library.List, "pop", "index/?", pop)
	library.AddMethod(library.List, "remove", "value/", func(t *thread, a values) value {
		l := mine(t, a[0])
		i := indexOf(t, values{a[0], a[1], object.Missing, object.Missing}).(int64)
		l.Items = slices.Delete(l.Items, int(i), int(i)+1)
		return nil
	})
	library.AddMethod(
		library.List,
		"clear",
		"",
		func(t *thread, a values) value { mine(t, a[0]).Items = nil; return nil },
	)
	library.AddMethod(library.List, "copy", "", func(t *thread, a values) value { return t.NewList(a[0]) })
	library.AddMethod(library.List, "reverse", "", func(t *thread, a values) value {
		l := mine(t, a[0])
		t.Steps(len(l.Items) / 16)
		slices.Reverse(l.Items)
		return nil
	})
	library.AddMethod(library.List, "sort", "key?| reverse?|", func(t *thread, a values) value {
		l := mine(t, a[0])
		l.Items = sorted(t, l.Items, library.OrNone(a[1]), a[2])
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
		if !library.Omitted(v) {
			i = t.Index(v)
		}
		if i < 0 {
			i = max(max(i, -len(items))+len(items), 0)
		}
		return i
	}
	for i := at(a[2], 0); i < min(at(a[3], len(items)), len(items)); i++ {
		t.Steps(1)
		if operator.Same(items[i], a[1]) || operator.Equal(t, items[i], a[1]) {
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
	i := library.CountOr(t, a[1], -1)
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
