package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

func init() {
	library.AddFunction("len", "obj/", func(t *thread, a values) value { return int64(t.Len(a[0])) })
	library.AddFunction("all", "iterable/", func(t *thread, a values) value { return anyIs(t, a[0], false) == nil })
	library.AddFunction("any", "iterable/", func(t *thread, a values) value { return anyIs(t, a[0], true) != nil })
	library.AddFunction("sum", "iterable/ start?", sum)
	library.AddFunction("min", "*args key?| default?|", func(t *thread, a values) value { return extreme(t, "min", a) })
	library.AddFunction("max", "*args key?| default?|", func(t *thread, a values) value { return extreme(t, "max", a) })
	library.AddFunction("sorted", "iterable/ key?| reverse?|", func(t *thread, a values) value {
		return &object.List{Items: sorted(t, t.Collect(a[0]), library.OrNone(a[1]), a[2])}
	})
}

// anyIs finds a value of v that is as true as wanted; it gives nil where there is none.
func anyIs(t *thread, v value, wanted bool) value {
	next := t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		if operator.Truth(t, x) == wanted {
			return true
		}
	}
	return nil
}

func sum(t *thread, a values) value {
	var total value = int64(0)
	if !library.Omitted(a[1]) {
		total = a[1]
		if _, ok := total.(string); ok {
			t.TypeError("sum() can't sum strings [use ''.join(seq) instead]")
		}
	}
	next := t.Iterate(a[0])
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		total = operator.Add(t, total, x)
	}
	return total
}

func extreme(t *thread, name string, a values) value {
	args := a[0].(*object.Tuple).Items
	if len(args) == 0 {
		t.TypeError("%s expected at least 1 argument, got 0", name)
	}
	from := args[0]
	if len(args) > 1 {
		if !library.Omitted(a[2]) {
			t.TypeError("Cannot specify a default for %s() with multiple positional arguments", name)
		}
		from = a[0]
	}
	key := library.OrNone(a[1])
	var best, bestKey value
	found := false
	next := t.Iterate(from)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		k := x
		if key != nil {
			k = library.Call(t, key, x)
		}
		op := "<"
		if name == "max" {
			op = ">"
		}
		if !found || operator.Compare(t, op, k, bestKey) {
			best, bestKey, found = x, k, true
		}
	}
	switch {
	case found:
		return best
	case library.Omitted(a[2]):
		t.ValueError("%s() arg is an empty sequence", name)
	}
	return a[2]
}
