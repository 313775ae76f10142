package apidocs

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// exampler makes examples out of schemas: from the example, default or enumeration that a schema has itself, else from
// what is usual for a property of that name, else from its type.
type exampler struct{ schemas map[string]*huma.Schema }

// deepest is how far an example goes into what holds its own kind.
const deepest = 9

func (e exampler) addTo(op *huma.Operation) {
	for _, m := range mediaTypes(op) {
		if m.Example == nil && m.Schema != nil {
			m.Example = e.of("", m.Schema, 0, false)
		}
	}
	for status, r := range op.Responses {
		for name, m := range r.Content {
			switch {
			case m.Example != nil || m.Schema == nil:
			case name == "application/problem+json":
				m.Example = problemExample(status)
			case strings.Contains(name, "json"):
				m.Example = e.of("", m.Schema, 0, true)
			}
		}
	}
}

// of is an example of a schema. What may be left out of a request is left out unless there is something to show; an
// answer is shown whole.
func (e exampler) of(name string, s *huma.Schema, depth int, whole bool) any {
	if s.Ref != "" {
		s = e.schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	switch {
	case s == nil || depth > deepest:
		return nil
	case len(s.Examples) > 0:
		return plain(s.Examples[0])
	case len(s.Enum) > 0 && s.Type != huma.TypeArray:
		return plain(s.Enum[0])
	case s.Default != nil:
		return plain(s.Default)
	case len(s.OneOf) > 0:
		return e.of(name, s.OneOf[0], depth+1, whole)
	}
	// What is written as an object of secrets is read as a statement that they are set.
	if usual, ok := usually[name]; ok && fits(usual, s) && !(whole && s.Type == huma.TypeObject) {
		return usual
	}
	return e.byType(name, s, depth, whole)
}

func (e exampler) byType(name string, s *huma.Schema, depth int, whole bool) any {
	switch s.Type {
	case huma.TypeObject:
		return e.object(s, depth, whole)
	case huma.TypeArray:
		one := e.of(singular(name), s.Items, depth+1, whole)
		if one == nil {
			return []any{}
		}
		return []any{one}
	case huma.TypeInteger, huma.TypeNumber:
		if s.Minimum != nil && *s.Minimum > 1 {
			return *s.Minimum
		}
		return 1
	case huma.TypeBoolean:
		return false
	case huma.TypeString:
		return text(name, s)
	}
	return map[string]any{}
}

func (e exampler) object(s *huma.Schema, depth int, whole bool) any {
	out := map[string]any{}
	required := map[string]bool{}
	for _, r := range s.Required {
		required[r] = true
	}
	for name, p := range s.Properties {
		_, shown := usually[name]
		if !required[name] && !(whole || shown || len(p.Examples) > 0) {
			continue
		}
		switch v := e.of(name, p, depth+1, whole); {
		case v != nil:
			out[name] = v
		case required[name]:
			return nil // too deep to be shown whole: whatever it stands in leaves it out
		}
	}
	return out
}

func text(name string, s *huma.Schema) string {
	if known, ok := byFormat[s.Format]; ok {
		return known
	}
	switch {
	case name == "id" || strings.HasSuffix(name, "_id"):
		return byFormat["uuid"]
	case strings.HasSuffix(name, "_at"):
		return byFormat["date-time"]
	case s.MinLength != nil && *s.MinLength > len("text"):
		return strings.Repeat("x", *s.MinLength)
	}
	return "text"
}

// fits says whether a usual value is of a schema's type.
func fits(value any, s *huma.Schema) bool {
	switch value.(type) {
	case string:
		return s.Type == huma.TypeString && (s.Format == "" || byFormat[s.Format] == "")
	case int:
		return s.Type == huma.TypeInteger
	case []any:
		return s.Type == huma.TypeArray
	case map[string]any:
		return s.Type == huma.TypeObject
	}
	return false
}

func singular(name string) string {
	if trimmed, found := strings.CutSuffix(name, "s"); found {
		return trimmed
	}
	return name
}

// plain makes of an example what JSON would make of it, so that defined types are written as what they hold.
func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(b, &out) != nil {
		return nil
	}
	return out
}

// problemExample is what a refusal with that status looks like.
func problemExample(status string) any {
	p, known := problems[status]
	if !known {
		p = problems["500"]
	}
	const request = "0199f0a4-7c1e-7d3a-9c55-3f2d6a1b8e70"
	return map[string]any{
		"type":       "urn:grantwright:problem:" + p.code,
		"title":      http.StatusText(p.status),
		"status":     p.status,
		"detail":     p.detail,
		"code":       p.code,
		"instance":   "urn:grantwright:request:" + request,
		"request_id": request,
	}
}
