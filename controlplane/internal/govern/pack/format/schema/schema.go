package schema

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// JSON is the JSON Schema of the format, as it is published.
//
//go:embed schema.json
var JSON []byte

// shape is a JSON Schema: the part of its vocabulary that schema.json uses.
type shape struct {
	Ref           string            `json:"$ref"`
	Type          string            `json:"type"`
	Const         any               `json:"const"`
	Enum          []any             `json:"enum"`
	Pattern       string            `json:"pattern"`
	MinLength     *int              `json:"minLength"`
	MaxLength     *int              `json:"maxLength"`
	Minimum       *float64          `json:"minimum"`
	Maximum       *float64          `json:"maximum"`
	MinItems      *int              `json:"minItems"`
	MaxItems      *int              `json:"maxItems"`
	MinProperties *int              `json:"minProperties"`
	MaxProperties *int              `json:"maxProperties"`
	Items         *shape            `json:"items"`
	Properties    map[string]*shape `json:"properties"`
	Required      []string          `json:"required"`
	Additional    *bool             `json:"additionalProperties"`
	AnyOf         []*shape          `json:"anyOf"`
	Defs          map[string]*shape `json:"$defs"`
	Description   string            `json:"description"`

	// For readers who have the schema alone.
	Draft   string          `json:"$schema"`
	ID      string          `json:"$id"`
	Title   string          `json:"title"`
	Default json.RawMessage `json:"default"`

	pattern *regexp.Regexp
}

// schema is schema.json, parsed once.
var schema = sync.OnceValue(func() *shape {
	var root shape
	d := json.NewDecoder(strings.NewReader(string(JSON)))
	d.DisallowUnknownFields() // what we would not check must not stand in it
	if err := d.Decode(&root); err != nil {
		panic("schema.json: " + err.Error())
	}
	root.link(&root)
	return &root
})

// link puts what is referred to in its place.
func (s *shape) link(root *shape) {
	if s.Pattern != "" {
		s.pattern = regexp.MustCompile(ecma(s.Pattern))
	}
	each := func(p **shape) {
		if (*p).Ref != "" {
			*p = root.find((*p).Ref)
			return
		}
		(*p).link(root)
	}
	if s.Items != nil {
		each(&s.Items)
	}
	for name, p := range s.Properties {
		each(&p)
		s.Properties[name] = p
	}
	for i := range s.AnyOf {
		each(&s.AnyOf[i])
	}
	for _, p := range s.Defs {
		p.link(root)
	}
}

// ecma writes a pattern as Go reads it: the one look-ahead that the schema uses says that something follows, which Go's
// patterns cannot; text asks for it.
func ecma(pattern string) string { return strings.ReplaceAll(pattern, "(?=.)", "") }

// find follows a reference such as #/$defs/role.
func (s *shape) find(ref string) *shape {
	at := s
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		switch name {
		case "$defs", "properties":
			continue
		}
		if p := at.Defs[name]; p != nil {
			at = p
		} else {
			at = at.Properties[name]
		}
	}
	return at
}

// Check compares a whole pack with the schema, and adds the problems to l. What the schema does not know is an error if
// strict, and is otherwise removed from root with a warning.
func Check(l *diagnostic.List, root map[string]any, strict bool) {
	(&checker{List: l, strict: strict}).check(schema(), root, "")
}
