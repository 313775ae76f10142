package jsonpath

import (
	"encoding/json"
	"math/big"
	"sort"
	"strconv"
	"strings"
)

// Select gives every value the query selects in a decoded document (maps, slices, strings, numbers, booleans, nil; numbers
// as float64, json.Number or Go integers). Members of an object are visited in the order of their names, so that the same
// document always gives the same list.
func (p *Path) Select(root any) []any { return run(p.segments, root, root) }

// First gives the first value selected and whether there is one.
func (p *Path) First(root any) (any, bool) {
	found := p.Select(root)
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

func run(segments []segment, root, start any) []any {
	nodes := []any{start}
	for _, s := range segments {
		var next []any
		for _, n := range nodes {
			if s.descend {
				next = descend(next, s.selectors, root, n)
			} else {
				next = apply(next, s.selectors, root, n)
			}
		}
		if nodes = next; len(nodes) == 0 {
			return nil
		}
	}
	return nodes
}

// descend applies the selectors to a node and then to all its descendants.
func descend(out []any, selectors []selector, root, node any) []any {
	out = apply(out, selectors, root, node)
	for _, child := range children(node) {
		out = descend(out, selectors, root, child)
	}
	return out
}

func apply(out []any, selectors []selector, root, node any) []any {
	for _, s := range selectors {
		out = s.pick(out, root, node)
	}
	return out
}

func (s selector) pick(out []any, root, node any) []any {
	switch s.kind {
	case byName:
		if object, ok := node.(map[string]any); ok {
			if v, ok := object[s.name]; ok {
				return append(out, v)
			}
		}
	case byIndex:
		if array, ok := node.([]any); ok {
			i := s.index
			if i < 0 {
				i += int64(len(array))
			}
			if i >= 0 && i < int64(len(array)) {
				return append(out, array[i])
			}
		}
	case byWildcard:
		return append(out, children(node)...)
	case bySlice:
		if array, ok := node.([]any); ok {
			return s.slice.pick(out, array)
		}
	case byFilter:
		for _, child := range children(node) {
			if s.filter.holds(root, child) {
				out = append(out, child)
			}
		}
	}
	return out
}

// children are the elements of an array or the members of an object, the latter ordered by name.
func children(node any) []any {
	switch node := node.(type) {
	case []any:
		return node
	case map[string]any:
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

// pick follows RFC 9535 section 2.3.4.2.2.
func (s slice) pick(out, array []any) []any {
	n := int64(len(array))
	if s.step == 0 || n == 0 {
		return out
	}
	if s.step > 0 {
		lower, upper := bound(s.start, 0, n, 0, n), bound(s.end, n, n, 0, n)
		for i := lower; i < upper; i += s.step {
			out = append(out, array[i])
		}
		return out
	}
	upper, lower := bound(s.start, n-1, n, -1, n-1), bound(s.end, -1, n, -1, n-1)
	for i := upper; i > lower; i += s.step {
		out = append(out, array[i])
	}
	return out
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

func equal(a, b any) bool {
	switch a := a.(type) {
	case nothing:
		_, ok := b.(nothing)
		return ok
	case nil:
		return b == nil
	case bool:
		other, ok := b.(bool)
		return ok && a == other
	case string:
		other, ok := b.(string)
		return ok && a == other
	case []any:
		return equalArrays(a, b)
	case map[string]any:
		return equalObjects(a, b)
	}
	c, ok := compareNumbers(a, b)
	return ok && c == 0
}

func equalArrays(a []any, b any) bool {
	other, ok := b.([]any)
	if !ok || len(a) != len(other) {
		return false
	}
	for i := range a {
		if !equal(a[i], other[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a map[string]any, b any) bool {
	other, ok := b.(map[string]any)
	if !ok || len(a) != len(other) {
		return false
	}
	for name, v := range a {
		w, ok := other[name]
		if !ok || !equal(v, w) {
			return false
		}
	}
	return true
}

// less orders numbers and strings; nothing else has an order.
func less(a, b any) bool {
	if s, ok := a.(string); ok {
		other, ok := b.(string)
		return ok && s < other
	}
	c, ok := compareNumbers(a, b)
	return ok && c < 0
}

// compareNumbers is exact for integers of any size and by float64 otherwise.
func compareNumbers(a, b any) (int, bool) {
	x, ok := numberText(a)
	if !ok {
		return 0, false
	}
	y, ok := numberText(b)
	if !ok {
		return 0, false
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
