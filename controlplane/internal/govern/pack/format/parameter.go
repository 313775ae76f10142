package format

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/schema"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

var (
	reference      = regexp.MustCompile(`\{\{ *([a-z][a-z0-9_]{0,62}) *\}\}`)
	wholeReference = regexp.MustCompile(`^\{\{ *([a-z][a-z0-9_]{0,62}) *\}\}$`)
)

// value checks a value of a parameter, and gives it as it is kept. why is empty where it fits.
func (p Parameter) value(v any) (out any, why string) {
	switch p.Type {
	case "string":
		s, ok := v.(string)
		if !ok {
			return nil, "it is a text"
		}
		return s, p.allowed(s)
	case "string[]":
		return p.texts(v)
	case "integer":
		return p.integer(v)
	case "boolean":
		if b, ok := v.(bool); ok {
			return b, ""
		}
		return nil, "it is true or false"
	case "duration":
		s, _ := v.(string)
		if _, err := span.Parse(s); err != nil {
			return nil, "it is an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as P14D"
		}
		return s, ""
	}
	return nil, "the pack gives it a type that is not known"
}

// allowed says what is wrong with a text; empty: nothing. Braces are refused, so that a value
// cannot refer to another parameter.
func (p Parameter) allowed(s string) string {
	switch {
	case s == "" && p.Required:
		return "it is not empty"
	case len(s) > 1000:
		return "it is too long"
	case strings.ContainsRune(s, 0) || strings.Contains(s, "{{"):
		return "it holds characters that are not allowed in it"
	case p.Values != nil && !slices.Contains(p.Values, s):
		return "it is one of " + strings.Join(p.Values, ", ")
	}
	return ""
}

// texts reads a list of texts, each once. The second result says what is wrong with it.
func (p Parameter) texts(v any) (any, string) {
	given, ok := v.([]any)
	if !ok || len(given) > 500 {
		return nil, "it is a list of up to 500 texts"
	}
	if len(given) == 0 && p.Required {
		return nil, "it has one text at least"
	}
	out := make([]any, 0, len(given))
	for _, e := range given {
		s, ok := e.(string)
		if !ok || s == "" {
			return nil, "each of its elements is a text, and none is empty"
		}
		if why := p.allowed(s); why != "" {
			return nil, "each of its elements: " + why
		}
		if !slices.Contains(out, any(s)) {
			out = append(out, s)
		}
	}
	return out, ""
}

// integer reads a whole number within the bounds. JSON has only floating-point numbers, hence the
// second form.
func (p Parameter) integer(v any) (any, string) {
	var n int64
	switch v := v.(type) {
	case int64:
		n = v
	case float64:
		if n = int64(v); float64(n) != v {
			return nil, "it is a whole number"
		}
	default:
		return nil, "it is a whole number"
	}
	if p.Minimum != nil && n < *p.Minimum || p.Maximum != nil && n > *p.Maximum {
		least, most := toFloat(p.Minimum), toFloat(p.Maximum)
		return nil, strings.Replace(schema.Between(least, most), "write", "it is", 1)
	}
	return n, ""
}

// toFloat converts a bound; nil is none.
func toFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

// ParameterFault is a value that does not fit.
type ParameterFault struct{ Key, Code, Detail string }

// Values completes given values with the defaults, and says what does not fit.
func Values(parameters []Parameter, given map[string]any) (map[string]any, []ParameterFault) {
	out, wrong := map[string]any{}, []ParameterFault{}
	keys := make([]string, 0, len(parameters))
	for _, p := range parameters {
		keys = append(keys, p.Key)
		v, ok := given[p.Key]
		if !ok || v == nil {
			if p.Default == nil {
				wrong = append(wrong, ParameterFault{p.Key, "required", "the pack asks for it: " + p.Prompt})
				continue
			}
			v = p.Default
		}
		kept, why := p.value(v)
		if why != "" {
			wrong = append(wrong, ParameterFault{p.Key, "invalid", why})
			continue
		}
		out[p.Key] = kept
	}
	for name := range given {
		if !slices.Contains(keys, name) {
			wrong = append(
				wrong,
				ParameterFault{
					name,
					"unknown_parameter",
					"the pack has no such parameter; it has " + diagnostic.JoinOrNone(keys),
				},
			)
		}
	}
	slices.SortFunc(wrong, func(a, b ParameterFault) int { return strings.Compare(a.Key, b.Key) })
	return out, wrong
}

// fill puts values in the place of their references: a text that is a reference alone becomes the value itself, and its
// elements where it stands in a list.
func fill(v any, values map[string]any) any {
	switch v := v.(type) {
	case string:
		if m := wholeReference.FindStringSubmatch(v); m != nil {
			if value, ok := values[m[1]]; ok {
				return value
			}
			return v
		}
		return reference.ReplaceAllStringFunc(v, func(found string) string {
			switch value := values[reference.FindStringSubmatch(found)[1]].(type) {
			case nil:
				return found
			case []any:
				texts := make([]string, len(value))
				for i, e := range value {
					texts[i] = fmt.Sprint(e)
				}
				return strings.Join(texts, ", ")
			default:
				return fmt.Sprint(value)
			}
		})
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			filled := fill(e, values)
			if _, was := e.(string); was {
				if elements, is := filled.([]any); is {
					out = append(out, elements...)
					continue
				}
			}
			out = append(out, filled)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, child := range v {
			out[name] = fill(child, values)
		}
		return out
	}
	return v
}

// references calls fn for each parameter that is named beneath v.
func references(v any, pointer string, fn func(pointer, key string)) {
	switch v := v.(type) {
	case string:
		for _, m := range reference.FindAllStringSubmatch(v, -1) {
			fn(pointer, m[1])
		}
	case []any:
		for i, e := range v {
			references(e, diagnostic.Under(pointer, i), fn)
		}
	case map[string]any:
		for name, child := range v {
			references(child, diagnostic.Under(pointer, name), fn)
		}
	}
}
