package desired

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
)

// MetBy reports whether a record has the value. A secret never counts as met, because no target returns it.
func (w Attribute) MetBy(rec resource.Record) bool {
	if w.Secret {
		return false // it cannot be read back
	}
	if w.Path.IsMultiValued() && w.Path.SubAttribute == "value" {
		return w.metByForemost(rec)
	}
	return same(w.Value, w.Path.Value(rec), w.IgnoreCase)
}

// metByForemost compares one text with the value that counts most, and a list with all values.
func (w Attribute) metByForemost(rec resource.Record) bool {
	items := rec.Items(w.Path.Attribute)
	if list, ok := w.Value.([]any); ok {
		var have []any
		for _, item := range items {
			have = append(have, item.Get("value"))
		}
		return same(any(list), any(have), w.IgnoreCase)
	}
	best := resource.Foremost(items)
	if best < 0 {
		return w.Value == nil
	}
	return same(w.Value, items[best].Get("value"), w.IgnoreCase)
}

// same compares values as they mean the same: empty ones are absent ones, lists have no order, and of objects the
// wished parts count.
func same(want, have any, loose bool) bool {
	if resource.IsEmpty(want) || resource.IsEmpty(have) {
		return resource.IsEmpty(want) && resource.IsEmpty(have)
	}
	switch want := want.(type) {
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		left := slices.Clone(list)
		for _, w := range want {
			i := slices.IndexFunc(left, func(h any) bool { return same(w, h, loose) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return true
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for name, w := range want {
			if !same(w, resource.Record(object).Get(name), loose) {
				return false
			}
		}
		return true
	case bool:
		b := resource.Record{"v": have}.Bool("v")
		return b != nil && *b == want
	}
	a, b := resource.TextOf(want), resource.TextOf(have)
	return a == b || loose && strings.EqualFold(a, b)
}
