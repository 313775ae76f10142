package container

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
)

// sorted is sorted(items, key=key, reverse=reverse): a list of its own.
func sorted(t *thread, items values, key, reverse value) values {
	type keyed struct{ key, value value }
	t.Items(4*len(items) + 2)
	all := make([]keyed, len(items))
	for i, v := range items {
		t.Steps(1)
		all[i] = keyed{v, v}
		if key != nil {
			all[i].key = library.Call(t, key, v)
		}
	}
	backwards := !library.Omitted(reverse) && operator.Truth(t, reverse)
	if backwards {
		slices.Reverse(all) // so that equal ones keep their order
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		t.Steps(1)
		switch {
		case operator.Less(t, a.key, b.key):
			return -1
		case operator.Less(t, b.key, a.key):
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
