package evaluation

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// UnpackInto binds the items of a value to all, one each. The assigner at star takes a list of the items that are
// left over; star is -1 where there is none. Another number of items raises a ValueError.
func UnpackInto(all []Assigner, star int) Assigner {
	return func(f *Frame, v object.Value) {
		f.Thread.Steps(len(all))
		items := taken(f.Thread, v, len(all), star < 0)
		if star < 0 {
			if len(items) != len(all) {
				wrongUse(f.Thread, len(all), len(items), false)
			}
			for i, a := range all {
				a(f, items[i])
			}
			return
		}
		rest := len(items) - (len(all) - 1)
		if rest < 0 {
			wrongUse(f.Thread, len(all)-1, len(items), true)
		}
		f.Thread.Items(rest + 1)
		for i, a := range all {
			switch {
			case i < star:
				a(f, items[i])
			case i == star:
				a(f, &object.List{Items: append([]object.Value(nil), items[i:i+rest]...)})
			default:
				a(f, items[i-1+rest])
			}
		}
	}
}

// taken are the items of v; of an iterator no more than one too many where the number is fixed.
func taken(t *object.Thread, v object.Value, n int, fixed bool) []object.Value {
	switch v.(type) {
	case *object.Tuple, *object.List:
		return t.Collect(v)
	}
	if !fixed {
		return t.Collect(v)
	}
	var items []object.Value
	next := t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		if items = append(items, x); len(items) > n {
			break
		}
	}
	return items
}

// wrongUse raises what unpacking into a number of names raises.
func wrongUse(t *object.Thread, want, got int, star bool) {
	switch {
	case star:
		t.ValueError("not enough values to unpack (expected at least %d, got %d)", want, got)
	case got > want:
		t.ValueError("too many values to unpack (expected %d)", want)
	}
	t.ValueError("%s", fmt.Sprintf("not enough values to unpack (expected %d, got %d)", want, got))
}
