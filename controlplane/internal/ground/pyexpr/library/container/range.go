package container

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

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
	if library.Omitted(a[1]) {
		return &object.Range{Stop: whole(a[0]), Step: 1}
	}
	r := &object.Range{Start: whole(a[0]), Stop: whole(a[1]), Step: 1}
	if !library.Omitted(a[2]) {
		if r.Step = whole(a[2]); r.Step == 0 {
			t.ValueError("range() arg 3 must not be zero")
		}
	}
	return r
}
