package merge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Fields are an object field by field, with values as encoding/json reads them into an any: what a pack wants of it, or
// what the tenant has made of it.
type Fields map[string]any

// SetFields are the fields that hold sets of IDs, or of other names. Their elements are merged one by one: what one
// side adds and the other removes does not conflict.
var SetFields = []string{
	"entitlement_ids", "role_ids", "connector_ids", "duty_tags", "mitigation_policy_ids", "severities",
	"employment_types", "countries", "companion_role_ids", "companion_entitlement_ids",
	"tags",
}

// Normal brings values into the form that encoding/json reads, and sets and states into their order.
func (f Fields) Normal() (Fields, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("write fields: %w", err)
	}
	var out Fields
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("read fields: %w", err)
	}
	out.Sort()
	return out, nil
}

// Sort brings sets of ids, and the list of states, into their order, in place.
func (f Fields) Sort() {
	for _, name := range append(slices.Clone(SetFields), "when") {
		if list, ok := f[name].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
}

// IDs are the elements of a set; none if the field is not one.
func (f Fields) IDs(name string) []string {
	list, _ := f[name].([]any)
	out := make([]string, 0, len(list))
	for _, e := range list {
		out = append(out, fmt.Sprint(e))
	}
	return out
}

// Distinct sorts ids and leaves each once. It is never nil.
func Distinct(ids []string) []string {
	out := slices.Sorted(slices.Values(ids))
	return append([]string{}, slices.Compact(out)...)
}

// Duration writes a duration of whole seconds in ISO 8601, in days if it has whole days.
func Duration(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return fmt.Sprintf("P%dD", d/day)
	}
	return fmt.Sprintf("PT%dS", d/time.Second)
}

// Into writes the fields over those of a struct with the same names in JSON. What f does not have stays.
func (f Fields) Into(to any) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write fields: %w", err)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("read fields: %w", err)
	}
	return nil
}
