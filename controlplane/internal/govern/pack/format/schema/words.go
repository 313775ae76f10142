package schema

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// Between says which numbers fit. At least one bound is not nil.
func Between(least, most *float64) string {
	switch {
	case least == nil:
		return fmt.Sprintf("write at most %v", *most)
	case most == nil:
		return fmt.Sprintf("write at least %v", *least)
	}
	return fmt.Sprintf("write %v to %v", *least, *most)
}

// about describes what a missing member must be.
func about(s *shape) string {
	if s == nil {
		return ""
	}
	return ": " + describe(s)
}

// describe says what a value has to be.
func describe(s *shape) string {
	switch {
	case s.Description != "":
		return "write " + strings.TrimSuffix(s.Description, ".")
	case s.Const != nil:
		return fmt.Sprintf("write %v", s.Const)
	case s.Enum != nil:
		return "write one of " + words(s.Enum)
	}
	article := map[string]string{
		"string":  "a text",
		"array":   "a list",
		"object":  "a mapping",
		"integer": "a whole number",
		"number":  "a number",
		"boolean": "true or false",
	}
	if a, ok := article[s.Type]; ok {
		return "write " + a
	}
	return "see the schema"
}

// words lists values for a message.
func words(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return strings.Join(out, ", ")
}

// like suggests the nearest of some texts; empty if none is near.
func like(v any, values []any) string {
	text, ok := v.(string)
	if !ok {
		return ""
	}
	known := make([]string, len(values))
	for i, k := range values {
		known[i] = fmt.Sprint(k)
	}
	if close := diagnostic.Nearest(text, known); close != "" {
		return "; did you mean " + close + "?"
	}
	return ""
}

// is says whether a value has a type of JSON Schema. A float without a fraction is an integer.
func is(kind string, v any) bool {
	switch v := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case int64:
		return kind == "integer" || kind == "number"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}
