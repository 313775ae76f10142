package jsonpath

import (
	"sort"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
)

// Select gives every value the query selects in a decoded document (maps, slices, strings, numbers, booleans,
// nil; numbers as float64, json.Number or Go integers). Members of an object are visited in the order of
// their names, so that the same document always gives the same list. It selects nothing when the budget does
// not suffice; see Budget.
func (p *Path) Select(b *budget.Budget, root any) []any { return run(b, p.segments, root, root) }

// First gives the first value selected and whether there is one.
func (p *Path) First(b *budget.Budget, root any) (any, bool) {
	found := p.Select(b, root)
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

// run applies the segments, one after the other, to the nodes reached so far. Nothing selected, or
// a budget that is used up, ends it.
func run(b *budget.Budget, segments []segment, root, start any) []any {
	if !b.Charge(budget.QueryCost) {
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
		if nodes = e.out; len(nodes) == 0 || b.Err() != nil {
			return nil
		}
	}
	return nodes
}

// eval is one segment on its way over the nodes reached so far.
type eval struct {
	b    *budget.Budget
	root any
	out  []any
}

// descend applies the selectors to a node and then to all its descendants.
func (e *eval) descend(selectors []selector, node any) {
	e.apply(selectors, node)
	for _, child := range children(e.b, node) {
		if e.b.Err() != nil {
			return
		}
		e.descend(selectors, child)
	}
}

// apply applies all selectors of a segment to a node, in order.
func (e *eval) apply(selectors []selector, node any) {
	for _, s := range selectors {
		if !e.b.Charge(1) {
			return
		}
		e.pick(s, node)
	}
}

// add adds selected values, as far as the budget lets them be held.
func (e *eval) add(values ...any) {
	if e.b.Hold(len(e.out), len(values)) {
		e.out = append(e.out, values...)
	}
}

// pick applies one selector to a node (RFC 9535 section 2.3). A selector that does not fit the
// node's type selects nothing.
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
			if e.b.Err() != nil {
				return
			}
		}
	}
}

// children are the elements of an array or the members of an object, the latter ordered by name.
func children(b *budget.Budget, node any) []any {
	switch node := node.(type) {
	case []any:
		return node
	case map[string]any:
		if !b.Charge(budget.MemberCost * len(node)) {
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
		for i := lower; i < upper && e.b.Err() == nil; i += s.step {
			e.add(array[i])
		}
		return
	}
	upper, lower := bound(s.start, n-1, n, -1, n-1), bound(s.end, -1, n, -1, n-1)
	for i := upper; i > lower && e.b.Err() == nil; i += s.step {
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
