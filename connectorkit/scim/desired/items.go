package desired

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
)

// ItemsFor returns the list that the attribute should have, made from the list of rec. Other values stay unless a
// whole list is requested.
func (w Attribute) ItemsFor(rec resource.Record) any {
	have, _ := resource.Clone(w.Path.List(rec)).([]any)
	kept := make([]any, 0, len(have)+1)
	list, many := w.Value.([]any)
	if many {
		for i, v := range list {
			kept = append(kept, itemFor(w.Path.Attribute, have, v, i == 0, w.IgnoreCase))
		}
		return kept
	}
	items := resource.Record{"v": have}.Items("v")
	best := resource.Foremost(items)
	for i, item := range items {
		switch {
		case i != best:
			kept = append(kept, map[string]any(item))
		case w.Value != nil:
			item["value"] = w.Value
			kept = append(kept, map[string]any(item))
		}
	}
	if best < 0 && w.Value != nil {
		kept = append(kept, itemFor(w.Path.Attribute, nil, w.Value, true, w.IgnoreCase))
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// itemFor is the item that is there for a value, or a new one. Only addresses have one that is for work and comes
// first.
func itemFor(attribute string, have []any, v any, first, loose bool) any {
	for _, h := range have {
		if m, ok := h.(map[string]any); ok && same(v, resource.Record(m).Get("value"), loose) {
			return m
		}
	}
	item := map[string]any{"value": v}
	if strings.EqualFold(attribute, "emails") && first {
		item["type"], item["primary"] = "work", true
	} else if strings.EqualFold(attribute, "phoneNumbers") && first {
		item["type"] = "work"
	}
	return item
}
