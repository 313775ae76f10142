package container

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

func init() {
	library.AddFunction("coalesce", "*values", func(_ *thread, a values) value {
		for _, v := range a[0].(*object.Tuple).Items {
			if v != nil && v != "" {
				return v
			}
		}
		return nil
	})
	library.AddFunction("map_value", "value mapping default?", func(t *thread, a values) value {
		d, ok := a[1].(*object.Dict)
		if !ok {
			t.TypeError("map_value() argument 2 must be dict, not %s", object.TypeName(a[1]))
		}
		if v, found := t.Get(d, a[0]); found {
			return v
		}
		if library.Omitted(a[2]) && a[0] != nil {
			t.Raise("KeyError", "%s", t.Repr(a[0]))
		}
		return library.OrNone(a[2])
	})
	library.AddFunction("first", "values default?", func(t *thread, a values) value {
		switch v := a[0].(type) {
		case nil:
			return library.OrNone(a[1])
		case string:
			return v
		default:
			if x, ok := t.Iterate(v)(); ok {
				return x
			}
			return library.OrNone(a[1])
		}
	})
	library.AddFunction("get", "record path default?", get)
}

// get follows a path of names and numbers with dots between them.
func get(t *thread, a values) value {
	v := a[0]
	if d, ok := v.(*object.Dict); ok {
		if whole, found := d.Lookup(library.TextArg(t, a[1], "get() argument 2")); found {
			return whole
		}
	}
	path := strings.Split(library.TextArg(t, a[1], "get() argument 2"), ".")
	t.Items(2 * len(path))
	for _, name := range path {
		t.Steps(1)
		switch x := v.(type) {
		case *object.Dict:
			next, found := x.Lookup(name)
			if !found {
				return library.OrNone(a[2])
			}
			v = next
		case *object.List:
			i := 0
			for _, c := range name {
				if c < '0' || c > '9' || i > len(x.Items) {
					return library.OrNone(a[2])
				}
				i = i*10 + int(c-'0')
			}
			if name == "" || i >= len(x.Items) {
				return library.OrNone(a[2])
			}
			v = x.Items[i]
		default:
			return library.OrNone(a[2])
		}
	}
	return v
}
