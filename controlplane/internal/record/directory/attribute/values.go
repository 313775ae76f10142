package attribute

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// kind is the type of an attribute's single value.
func (a Attribute) kind() string {
	if a.Type == "enum" || a.Type == "list" {
		return "text"
	}
	return a.Type
}

// member is a single value in the form it is kept in, and whether it can be one.
func (a Attribute) member(v any) (any, bool) {
	switch a.Type {
	case "number":
		return v, isNumber(v)
	case "boolean":
		_, ok := v.(bool)
		return v, ok
	case "date":
		text, _ := v.(string)
		_, err := time.Parse(time.DateOnly, text)
		return v, err == nil && !strings.HasPrefix(text, "0000")
	}
	_, ok := v.(string)
	return v, ok
}

// isNumber says whether a value is a number in any of the forms that JSON is read into.
func isNumber(v any) bool {
	switch v.(type) {
	case float64, json.Number, int, int64:
		return true
	}
	return false
}

// fits says what is wrong with a value, or nothing.
func (a Attribute) fits(v any) string {
	if a.Type != "list" {
		return a.fitsOne(v)
	}
	list, ok := v.([]any)
	if !ok {
		return "a list of texts"
	}
	for _, each := range list {
		if why := a.fitsOne(each); why != "" {
			return "a list, each " + why
		}
	}
	return ""
}

// fitsOne says what a single value should have been; empty: it fits type and allowed values.
func (a Attribute) fitsOne(v any) string {
	if _, ok := a.member(v); !ok {
		return map[string]string{"number": "a number", "boolean": "true or false", "date": "a date such as 2026-01-31",
			"text": "a text", "string": "a text"}[a.kind()]
	}
	if len(a.Allowed) > 0 &&
		!slices.ContainsFunc(a.Allowed, func(x any) bool { return fmt.Sprint(x) == fmt.Sprint(v) }) {
		return "one of " + strings.Trim(fmt.Sprint(a.Allowed), "[]")
	}
	return ""
}

// Check validates a person's attributes. Null is as good as absent.
func (s *Schema) Check(attributes map[string]any) (wrong []fault.Field) {
	if s.empty() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a, known := s.byName[name]
		switch v := attributes[name]; {
		case v == nil:
		case !known && !s.IsOpen():
			wrong = append(
				wrong,
				fault.Field{
					Pointer: "#/attributes/" + pointed(name),
					Code:    "unknown_attribute",
					Detail:  "the attribute schema does not define it",
				},
			)
		case known:
			if why := a.fits(v); why != "" {
				wrong = append(
					wrong,
					fault.Field{Pointer: "#/attributes/" + pointed(name), Code: "invalid_attribute", Detail: why},
				)
			}
		}
	}
	for _, a := range s.Attributes {
		if a.Required && attributes[a.Name] == nil {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: "#/attributes/" + pointed(a.Name),
					Code:    "required",
					Detail:  "the schema of attributes requires it",
				},
			)
		}
	}
	return wrong
}

// pointed is a name as a part of a JSON pointer.
func pointed(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// AsideAttribute is a value of a source that was left out, and why. It names the attribute, never the value.
type AsideAttribute struct{ Name, Code, Message string }

// Coerce converts the values of a source into the types of the schema, in place. It removes and returns those that do
// not fit.
func (s *Schema) Coerce(attributes map[string]any) (aside []AsideAttribute) {
	if s.empty() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		v := attributes[name]
		if v == nil {
			continue
		}
		a, known := s.byName[name]
		if !known {
			if !s.IsOpen() {
				delete(attributes, name)
				aside = append(
					aside,
					AsideAttribute{
						name,
						"unknown_attribute",
						"the attribute is not in the attribute schema, so it was omitted",
					},
				)
			}
			continue
		}
		coerced := a.coerce(v)
		if why := a.fits(coerced); why != "" {
			delete(attributes, name)
			aside = append(
				aside,
				AsideAttribute{
					name,
					"invalid_attribute",
					"the attribute schema requires " + why + "; the value was omitted",
				},
			)
			continue
		}
		attributes[name] = coerced
	}
	return aside
}

// ReadText converts the text values of a CSV import into the types of the schema, in place. A value that does not fit
// stays and fails Check.
func (s *Schema) ReadText(attributes map[string]any) {
	for name, v := range attributes {
		if a, known := s.byName[name]; known && v != nil {
			attributes[name] = a.coerce(v)
		}
	}
}

// coerce reads a value as what it is meant to be, or gives it back.
func (a Attribute) coerce(v any) any {
	if list, is := v.([]any); is {
		if a.Type != "list" {
			if len(list) == 1 {
				return a.coerce(list[0])
			}
			return v
		}
		out := make([]any, len(list))
		for i, each := range list {
			out[i] = formatted(each)
		}
		return out
	}
	if a.Type == "list" {
		return []any{formatted(v)}
	}
	text, isText := v.(string)
	text = strings.TrimSpace(text)
	switch {
	case a.kind() == "text" || a.kind() == "string":
		return formatted(v)
	case !isText:
	case a.Type == "number":
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			return n
		}
	case a.Type == "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1":
			return true
		case "false", "no", "n", "0":
			return false
		}
	case a.Type == "date":
		for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
			"2006/01/02", "20060102"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.Format(time.DateOnly)
			}
		}
	}
	return v
}

// formatted is a scalar as text; any other value stays.
func formatted(v any) any {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number, bool, int, int64:
		return fmt.Sprint(v)
	}
	return v
}

// Check refuses attributes that the tenant's schema does not allow.
func Check(ctx context.Context, tx *pg.Tx, attributes map[string]any) error {
	s, err := FindSchema(ctx, tx)
	if err != nil {
		return err
	}
	if wrong := s.Check(attributes); len(wrong) > 0 {
		return fault.Coded(fault.Invalid, "invalid_attributes", "the attributes do not follow the tenant's schema; "+
			"see errors").
			With(wrong...)
	}
	return nil
}
