package resource

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"
)

// precedence ranks one of several values: the primary one highest, then one for work (RFC 7643 section 2.4).
func precedence(item Record) int {
	if isPrimary(item) {
		return 3
	}
	if strings.EqualFold(item.Text("type"), "work") {
		return 2
	}
	return 1
}

// Record is a decoded SCIM resource or a part of one. Attribute names are case-insensitive (RFC 7643 section 2.1).
type Record map[string]any

// object is a complex attribute, made where it is wanted and missing.
func (r Record) object(name string, wanted bool) Record {
	if sub := r.Object(name); sub != nil || !wanted {
		return sub
	}
	sub := map[string]any{}
	maps.DeleteFunc(r, func(k string, _ any) bool { return strings.EqualFold(k, name) })
	r[name] = sub
	return sub
}

// Clone returns a deep copy.
func (r Record) Clone() Record { return Clone(map[string]any(r)).(map[string]any) }

// Clone returns a deep copy of a decoded JSON value.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = Clone(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Clone(e)
		}
		return out
	}
	return v
}

// Get returns an attribute, whatever the case of its name; nil if there is none.
func (r Record) Get(name string) any {
	if v, ok := r[name]; ok {
		return v
	}
	for k, v := range r {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return nil
}

// Object returns a complex attribute; nil if there is none.
func (r Record) Object(name string) Record {
	m, _ := r.Get(name).(map[string]any)
	return m
}

// Text returns a simple attribute as text; empty if there is none.
func (r Record) Text(name string) string { return TextOf(r.Get(name)) }

// TextOf returns a simple JSON value as text; empty for objects, arrays and null.
func TextOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}

// OptionalText returns a simple attribute as text; nil if it is absent or empty.
func (r Record) OptionalText(name string) *string { return Optional(r.Text(name)) }

// Optional returns a pointer to text; nil for empty text.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Items returns the values of a multi-valued attribute as records. A simple value becomes {value: …}.
func (r Record) Items(name string) []Record {
	list, ok := r.Get(name).([]any)
	if !ok {
		if one := r.Object(name); one != nil {
			return []Record{one}
		}
		return nil
	}
	out := make([]Record, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			out = append(out, v)
		case string, json.Number:
			out = append(out, Record{"value": v})
		}
	}
	return out
}

// Bool returns a boolean, also one that the target sends as text; nil if there is none.
func (r Record) Bool(name string) *bool {
	switch v := r.Get(name).(type) {
	case bool:
		return &v
	case string:
		b := strings.EqualFold(v, "true")
		if b || strings.EqualFold(v, "false") {
			return &b
		}
	}
	return nil
}

// Time returns a dateTime (RFC 7643 section 2.3.5) in UTC; nil if there is none.
func (r Record) Time(name string) *time.Time {
	t, err := time.Parse(time.RFC3339, r.Text(name))
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	t = t.UTC()
	return &t
}

// IsError reports whether the record is a SCIM Error (RFC 7644 section 3.12).
func (r Record) IsError() bool {
	schemas, _ := r.Get("schemas").([]any)
	for _, s := range schemas {
		if name, ok := s.(string); ok && strings.EqualFold(name, errorSchema) {
			return true
		}
	}
	return false
}

// isPrimary says whether one of several values is the preferred one.
func isPrimary(item Record) bool {
	p := item.Bool("primary")
	return p != nil && *p
}

// Foremost returns the index of the value that counts most: the primary one, else one for work, else the first; -1 if
// there is none.
func Foremost(items []Record) int {
	best, rank := -1, 0
	for i, item := range items {
		if r := precedence(item); item.Text("value") != "" && r > rank {
			best, rank = i, r
		}
	}
	return best
}

// IsEmpty reports whether a value is null, or an empty text, array or object.
func IsEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
