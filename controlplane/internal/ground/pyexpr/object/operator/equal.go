package operator

import (
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Equal is a == b.
func Equal(t *object.Thread, a, b object.Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		if ok && len(x) == len(y) {
			t.Read(len(x))
		}
		return ok && x == y
	case int64:
		if y, ok := b.(int64); ok {
			return x == y
		}
	case object.Bytes:
		y, ok := b.(object.Bytes)
		return ok && x == y
	case *object.Tuple:
		y, ok := b.(*object.Tuple)
		return ok && (x == y || equalItems(t, x.Items, y.Items))
	case *object.List:
		y, ok := b.(*object.List)
		return ok && (x == y || equalItems(t, x.Items, y.Items))
	case *object.Dict:
		y, ok := b.(*object.Dict)
		return ok &&
			(x == y || t.EqualDicts(x, y, func(v, w object.Value) bool { return Same(v, w) || Equal(t, v, w) }))
	case *object.Set:
		y, ok := b.(*object.Set)
		return ok && (x == y || x.Len() == y.Len() && t.Subset(x, y))
	case *object.Range:
		y, ok := b.(*object.Range)
		return ok && x.Len() == y.Len() && (x.Len() == 0 || x.Start == y.Start && (x.Len() == 1 || x.Step == y.Step))
	case object.Comparable:
		return x.Equal(b)
	}
	if c, ok := compareNumbers(t, a, b); ok {
		return c == 0
	}
	return Same(a, b)
}

func equalItems(t *object.Thread, a, b []object.Value) bool {
	if len(a) != len(b) {
		return false
	}
	t.Enter()
	defer t.Leave()
	for i := range a {
		t.Steps(1)
		if i >= len(b) || !Same(a[i], b[i]) && !Equal(t, a[i], b[i]) {
			return false
		}
	}
	return true
}

// Same is a is b: for small values that have no identity of their own, whether they are the same.
func Same(a, b object.Value) bool {
	switch x := a.(type) {
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	case float64:
		y, ok := b.(float64)
		return ok && x == y
	}
	return a == b
}
