package scim

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// record is a SCIM resource or a part of one, as decoded. Attribute names are case-insensitive (RFC 7643 section 2.1).
type record map[string]any

// get finds an attribute whatever the case of its name.
func (r record) get(name string) any {
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

// sub gives a complex attribute, or nothing.
func (r record) sub(name string) record {
	m, _ := r.get(name).(map[string]any)
	return m
}

// text gives a simple attribute as a string, or "".
func (r record) text(name string) string { return textOf(r.get(name)) }

func textOf(v any) string {
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

// opt gives a simple attribute where it is there and not empty.
func (r record) opt(name string) *string { return opt(r.text(name)) }

func opt(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// items gives the values of a multi-valued attribute as records; simple values are read as {value: …}.
func (r record) items(name string) []record {
	list, ok := r.get(name).([]any)
	if !ok {
		if one := r.sub(name); one != nil {
			return []record{one}
		}
		return nil
	}
	out := make([]record, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			out = append(out, v)
		case string, json.Number:
			out = append(out, record{"value": v})
		}
	}
	return out
}

// flag reads a boolean, also as the string that some targets send.
func (r record) flag(name string) *bool {
	switch v := r.get(name).(type) {
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

// moment reads a dateTime (RFC 7643 section 2.3.5).
func (r record) moment(name string) *time.Time {
	t, err := time.Parse(time.RFC3339, r.text(name))
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	t = t.UTC()
	return &t
}

const errorSchema = "urn:ietf:params:scim:api:messages:2.0:error"

// isError tells a SCIM Error (RFC 7644 section 3.12).
func (r record) isError() bool {
	schemas, _ := r.get("schemas").([]any)
	for _, s := range schemas {
		if name, ok := s.(string); ok && strings.EqualFold(name, errorSchema) {
			return true
		}
	}
	return false
}
