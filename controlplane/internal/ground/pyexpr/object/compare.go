package object

import (
	"cmp"
	"math"
	"math/big"
	"strings"
)

// Equal is a == b.
func (t *Thread) Equal(a, b Value) bool {
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
	case Bytes:
		y, ok := b.(Bytes)
		return ok && x == y
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && (x == y || t.equalItems(x.Items, y.Items))
	case *List:
		y, ok := b.(*List)
		return ok && (x == y || t.equalItems(x.Items, y.Items))
	case *Dict:
		y, ok := b.(*Dict)
		return ok && (x == y || t.equalDicts(x, y))
	case *Set:
		y, ok := b.(*Set)
		return ok && (x == y || x.Len() == y.Len() && t.Subset(x, y))
	case *Range:
		y, ok := b.(*Range)
		return ok && x.Len() == y.Len() && (x.Len() == 0 || x.Start == y.Start && (x.Len() == 1 || x.Step == y.Step))
	case Comparable:
		return x.Equal(b)
	}
	if c, ok := t.compareNumbers(a, b); ok {
		return c == 0
	}
	return Same(a, b)
}

// nan is what comparing numbers gives when one is not a number.
const nan = 2

func (t *Thread) equalItems(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	t.Enter()
	defer t.Leave()
	for i := range a {
		t.Steps(1)
		if i >= len(b) || !Same(a[i], b[i]) && !t.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (t *Thread) equalDicts(a, b *Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	t.Enter()
	defer t.Leave()
	for i := range a.entries {
		t.Steps(1)
		e := &a.entries[i]
		if e.gone {
			continue
		}
		v, ok := b.get(e.hash)
		if !ok || !Same(e.value, v) && !t.Equal(e.value, v) {
			return false
		}
	}
	return true
}

// compareNumbers compares two numbers exactly: -1, 0, 1 or nan.
func (t *Thread) compareNumbers(a, b Value) (int, bool) {
	f, fa := a.(float64)
	g, fb := b.(float64)
	ia, ib := IsInt(a), IsInt(b)
	switch {
	case ia && ib:
		x, p, _ := AsInt(a)
		y, q, _ := AsInt(b)
		if p == nil && q == nil {
			return cmp.Compare(x, y), true
		}
		return Bigger(a).Cmp(Bigger(b)), true
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

func mixed(f float64, i Value) int {
	switch {
	case math.IsNaN(f):
		return nan
	case math.IsInf(f, 1):
		return 1
	case math.IsInf(f, -1):
		return -1
	}
	return new(big.Float).SetFloat64(f).Cmp(new(big.Float).SetInt(Bigger(i)))
}

// Same is a is b: for small values that have no identity of their own, whether they are the same.
func Same(a, b Value) bool {
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

// Order is the order of a and b for the operator op: -1, 0, 1, or nan.
func (t *Thread) order(op string, a, b Value) int {
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
	case Bytes:
		if y, ok := b.(Bytes); ok {
			return strings.Compare(string(x), string(y))
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return t.orderItems(op, x.Items, y.Items)
		}
	case *List:
		if y, ok := b.(*List); ok {
			return t.orderItems(op, x.Items, y.Items)
		}
	case Comparable:
		if c, ok := x.Order(t, b); ok {
			return c
		}
	}
	if c, ok := t.compareNumbers(a, b); ok {
		return c
	}
	t.TypeError("'%s' not supported between instances of '%s' and '%s'", op, TypeName(a), TypeName(b))
	return 0
}

func (t *Thread) orderItems(op string, a, b []Value) int {
	t.Enter()
	defer t.Leave()
	for i := range min(len(a), len(b)) {
		t.Steps(1)
		if !Same(a[i], b[i]) && !t.Equal(a[i], b[i]) {
			return t.order(op, a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// Less is a < b.
func (t *Thread) Less(a, b Value) bool { return t.order("<", a, b) == -1 }

// Compare is a comparison by any operator.
func (t *Thread) Compare(op string, a, b Value) bool {
	switch op {
	case "==":
		return t.Equal(a, b)
	case "!=":
		return !t.Equal(a, b)
	case "is":
		return Same(a, b)
	case "is not":
		return !Same(a, b)
	case "in":
		return t.Contains(b, a)
	case "not in":
		return !t.Contains(b, a)
	}
	if x, ok := a.(*Set); ok {
		if y, ok := b.(*Set); ok {
			return t.orderSets(op, x, y)
		}
	}
	c := t.order(op, a, b)
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

func (t *Thread) orderSets(op string, a, b *Set) bool {
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
