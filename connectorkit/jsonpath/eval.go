package jsonpath

import (
	"cmp"
	"encoding/json"
	"math/big"
	"sort"
	"strconv"
	"strings"
)

// Select gives every value the query selects in a decoded document (maps, slices, strings, numbers, booleans, nil; numbers
// as float64, json.Number or Go integers). Members of an object are visited in the order of their names, so that the same
// document always gives the same list. It selects nothing when the budget does not suffice; see Budget.
func (p *Path) Select(b *Budget, root any) []any { return run(b, p.segments, root, root) }

// First gives the first value selected and whether there is one.
func (p *Path) First(b *Budget, root any) (any, bool) {
	found := p.Select(b, root)
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

func run(b *Budget, segments []segment, root, start any) []any {
	if !b.charge(queryCost) {
		return nil
	}
	nodes := []any{start}
	for _, s := range segments {
		e := eval{b: b, root: root}
		for _, n := range nodes {
			if s.descend {
				e.descend(s.selectors, n)
			} else {
				e.apply(s.selectors, n)
			}
		}
		if nodes = e.out; len(nodes) == 0 || b.err != nil {
			return nil
		}
	}
	return nodes
}

// eval is one segment on its way over the nodes reached so far.
type eval struct {
	b    *Budget
	root any
	out  []any
}

// descend applies the selectors to a node and then to all its descendants.
func (e *eval) descend(selectors []selector, node any) {
	e.apply(selectors, node)
	for _, child := range children(e.b, node) {
		if e.b.err != nil {
			return
		}
		e.descend(selectors, child)
	}
}

func (e *eval) apply(selectors []selector, node any) {
	for _, s := range selectors {
		if !e.b.charge(1) {
			return
		}
		e.pick(s, node)
	}
}

func (e *eval) add(values ...any) {
	if e.b.hold(len(e.out), len(values)) {
		e.out = append(e.out, values...)
	}
}

func (e *eval) pick(s selector, node any) {
	switch s.kind {
	case byName:
		if object, ok := node.(map[string]any); ok {
			if v, ok := object[s.name]; ok {
				e.add(v)
			}
		}
	case byIndex:
		if array, ok := node.([]any); ok {
			i := s.index
			if i < 0 {
				i += int64(len(array))
			}
			if i >= 0 && i < int64(len(array)) {
				e.add(array[i])
			}
		}
	case byWildcard:
		e.add(children(e.b, node)...)
	case bySlice:
		if array, ok := node.([]any); ok {
			e.slice(s.slice, array)
		}
	case byFilter:
		for _, child := range children(e.b, node) {
			if s.filter.holds(e.b, e.root, child) {
				e.add(child)
			}
			if e.b.err != nil {
				return
			}
		}
	}
}

// children are the elements of an array or the members of an object, the latter ordered by name.
func children(b *Budget, node any) []any {
	switch node := node.(type) {
	case []any:
		return node
	case map[string]any:
		if !b.charge(memberCost * len(node)) {
			return nil
		}
		names := make([]string, 0, len(node))
		for name := range node {
			names = append(names, name)
		}
		sort.Strings(names)
		out := make([]any, len(names))
		for i, name := range names {
			out[i] = node[name]
		}
		return out
	}
	return nil
}

// slice follows RFC 9535 section 2.3.4.2.2.
func (e *eval) slice(s slice, array []any) {
	n := int64(len(array))
	if s.step == 0 || n == 0 {
		return
	}
	if s.step > 0 {
		lower, upper := bound(s.start, 0, n, 0, n), bound(s.end, n, n, 0, n)
		for i := lower; i < upper && e.b.err == nil; i += s.step {
			e.add(array[i])
		}
		return
	}
	upper, lower := bound(s.start, n-1, n, -1, n-1), bound(s.end, -1, n, -1, n-1)
	for i := upper; i > lower && e.b.err == nil; i += s.step {
		e.add(array[i])
	}
}

// bound counts a negative position from the end and keeps it within low and high.
func bound(at *int64, absent, n, low, high int64) int64 {
	if at == nil {
		return absent
	}
	i := *at
	if i < 0 {
		i += n
	}
	return min(max(i, low), high)
}

// equal compares two values, and charges each part of them before it is compared.
func (b *Budget) equal(x, y any) bool {
	if !b.charge(1) {
		return false
	}
	switch x := x.(type) {
	case nothing:
		_, ok := y.(nothing)
		return ok
	case nil:
		return y == nil
	case bool:
		other, ok := y.(bool)
		return ok && x == other
	case string:
		other, ok := y.(string)
		return ok && len(x) == len(other) && b.charge(len(x)/bytesPerStep) && x == other
	case []any:
		return b.equalArrays(x, y)
	case map[string]any:
		return b.equalObjects(x, y)
	}
	c, ok := b.compareNumbers(x, y)
	return ok && c == 0
}

func (b *Budget) equalArrays(x []any, y any) bool {
	other, ok := y.([]any)
	if !ok || len(x) != len(other) {
		return false
	}
	for i := range x {
		if !b.equal(x[i], other[i]) {
			return false
		}
	}
	return true
}

func (b *Budget) equalObjects(x map[string]any, y any) bool {
	other, ok := y.(map[string]any)
	if !ok || len(x) != len(other) {
		return false
	}
	for name, v := range x {
		w, ok := other[name]
		if !ok || !b.equal(v, w) {
			return false
		}
	}
	return true
}

// less orders numbers and strings; nothing else has an order.
func (b *Budget) less(x, y any) bool {
	if !b.charge(1) {
		return false
	}
	if s, ok := x.(string); ok {
		other, ok := y.(string)
		return ok && b.charge(min(len(s), len(other))/bytesPerStep) && s < other
	}
	c, ok := b.compareNumbers(x, y)
	return ok && c < 0
}

// compareNumbers is exact for integers of any size and by float64 otherwise.
func (b *Budget) compareNumbers(v, w any) (int, bool) {
	x, ok := numberText(v)
	if !ok {
		return 0, false
	}
	y, ok := numberText(w)
	if !ok || !b.charge(numberCost+(len(x)+len(y))/16) {
		return 0, false
	}
	if len(x) < 18 && len(y) < 18 {
		n, errN := strconv.ParseInt(x, 10, 64)
		m, errM := strconv.ParseInt(y, 10, 64)
		if errN == nil && errM == nil {
			return cmp.Compare(n, m), true
		}
	}
	if len(x)+len(y) < 200 && !strings.ContainsAny(x+y, ".eE") {
		i, okx := new(big.Int).SetString(x, 10)
		j, oky := new(big.Int).SetString(y, 10)
		if okx && oky {
			return i.Cmp(j), true
		}
	}
	// Out of range gives an infinity, which still compares rightly with everything finite.
	f, _ := strconv.ParseFloat(x, 64)
	g, _ := strconv.ParseFloat(y, 64)
	switch {
	case f < g:
		return -1, true
	case f > g:
		return 1, true
	}
	return 0, true
}

func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}
