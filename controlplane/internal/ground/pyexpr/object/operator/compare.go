package operator

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// nan is what comparing numbers gives when one is not a number.
const nan = 2

// compareNumbers compares two numbers exactly: -1, 0, 1 or nan.
func compareNumbers(t *object.Thread, a, b object.Value) (int, bool) {
	f, fa := a.(float64)
	g, fb := b.(float64)
	ia, ib := object.IsInt(a), object.IsInt(b)
	switch {
	case ia && ib:
		x, p, _ := object.AsInt(a)
		y, q, _ := object.AsInt(b)
		if p == nil && q == nil {
			return cmp.Compare(x, y), true
		}
		return object.Bigger(a).Cmp(object.Bigger(b)), true
	case fa && fb:
		if math.IsNaN(f) || math.IsNaN(g) {
			return nan, true
		}
		return cmp.Compare(f, g), true
	case fa && ib:
		return mixed(f, b), true
	case ia && fb:
		if c := mixed(g, a); c != nan {
			return -c, true
		}
		return nan, true
	}
	return 0, false
}

func mixed(f float64, i object.Value) int {
	switch {
	case math.IsNaN(f):
		return nan
	case math.IsInf(f, 1):
		return 1
	case math.IsInf(f, -1):
		return -1
	}
	return new(big.Float).SetFloat64(f).Cmp(new(big.Float).SetInt(object.Bigger(i)))
}

// Order is the order of a and b for the operator op: -1, 0, 1, or nan.
func order(t *object.Thread, op string, a, b object.Value) int {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			t.Read(min(len(x), len(y)))
			return strings.Compare(x, y) // the order of UTF-8 is that of code points
		}
	case object.Bytes:
		if y, ok := b.(object.Bytes); ok {
			return strings.Compare(string(x), string(y))
		}
	case *object.Tuple:
		if y, ok := b.(*object.Tuple); ok {
			return orderItems(t, op, x.Items, y.Items)
		}
	case *object.List:
		if y, ok := b.(*object.List); ok {
			return orderItems(t, op, x.Items, y.Items)
		}
	case object.Comparable:
		if c, ok := x.Order(t, b); ok {
			return c
		}
	}
	if c, ok := compareNumbers(t, a, b); ok {
		return c
	}
	t.TypeError("'%s' not supported between instances of '%s' and '%s'", op, object.TypeName(a), object.TypeName(b))
	return 0
}

func orderItems(t *object.Thread, op string, a, b []object.Value) int {
	t.Enter()
	defer t.Leave()
	for i := range min(len(a), len(b)) {
		t.Steps(1)
		if !Same(a[i], b[i]) && !Equal(t, a[i], b[i]) {
			return order(t, op, a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// Less is a < b.
func Less(t *object.Thread, a, b object.Value) bool { return order(t, "<", a, b) == -1 }

// Compare is a comparison by any operator.
func Compare(t *object.Thread, op string, a, b object.Value) bool {
	switch op {
	case "==":
		return Equal(t, a, b)
	case "!=":
		return !Equal(t, a, b)
	case "is":
		return Same(a, b)
	case "is not":
		return !Same(a, b)
	case "in":
		return Contains(t, b, a)
	case "not in":
		return !Contains(t, b, a)
	}
	if x, ok := a.(*object.Set); ok {
		if y, ok := b.(*object.Set); ok {
			return orderSets(t, op, x, y)
		}
	}
	c := order(t, op, a, b)
	switch op {
	case "<":
		return c == -1
	case "<=":
		return c == -1 || c == 0
	case ">":
		return c == 1
	default:
		return c == 1 || c == 0
	}
}

func orderSets(t *object.Thread, op string, a, b *object.Set) bool {
	switch op {
	case "<":
		return a.Len() < b.Len() && t.Subset(a, b)
	case "<=":
		return t.Subset(a, b)
	case ">":
		return b.Len() < a.Len() && t.Subset(b, a)
	default:
		return t.Subset(b, a)
	}
}
