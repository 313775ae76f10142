package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// base is where the schemas say they live. Nothing is fetched from there: package schema embeds them.
const base = "https://grantwright.dev/protocol/v1/"

// schema is the part of JSON Schema 2020-12 that the protocol needs, in the order in which it is written.
type schema struct {
	Schema               string             `json:"$schema,omitempty"`
	ID                   string             `json:"$id,omitempty"`
	Title                string             `json:"title,omitempty"`
	Description          string             `json:"description,omitempty"`
	Ref                  string             `json:"$ref,omitempty"`
	AnyOf                []*schema          `json:"anyOf,omitempty"`
	Type                 any                `json:"type,omitempty"`
	Format               string             `json:"format,omitempty"`
	Const                any                `json:"const,omitempty"`
	Enum                 []any              `json:"enum,omitempty"`
	Minimum              *int64             `json:"minimum,omitempty"`
	Maximum              *int64             `json:"maximum,omitempty"`
	MinLength            int                `json:"minLength,omitempty"`
	MaxLength            int                `json:"maxLength,omitempty"`
	MaxItems             int                `json:"maxItems,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Properties           members            `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties *schema            `json:"additionalProperties,omitempty"`
	Defs                 map[string]*schema `json:"$defs,omitempty"`
}

// members keeps the struct's order.
type members []member

// member is one property with its name.
type member struct {
	name   string
	schema *schema
}

// MarshalJSON writes the properties in the order of the struct's fields, which a map would lose.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(e.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", e.name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// open are the string types whose constants are no closed list.
var open = map[string]bool{"wire.Type": true}

// builder makes one document.
type builder struct {
	// source has comments and constants; root is the document's type; defs are the definitions made
	// so far.
	source *source
	root   reflect.Type
	defs   map[string]*schema
}

// newBuilder makes a builder for one document.
func newBuilder(s *source) *builder { return &builder{source: s, defs: map[string]*schema{}} }

// document is the schema of an envelope, with an ID and the definitions it uses.
func (b *builder) document(name string, t reflect.Type) (*schema, error) {
	b.root = t
	s, err := b.object(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.Schema, s.ID, s.Title = "https://json-schema.org/draft/2020-12/schema", base+fileName(name), name
	s.Defs = b.defs
	return s, nil
}

// object is the schema of a struct. Fields without omitempty or omitzero are required; a field
// without a JSON name is an error.
func (b *builder) object(t reflect.Type) (*schema, error) {
	s := &schema{Type: "object", Description: b.source.comments[t.String()]}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			return nil, fmt.Errorf("%s.%s has no JSON name", t, field.Name)
		}
		m, err := b.field(t.String()+"."+field.Name, field.Type)
		if err != nil {
			return nil, err
		}
		s.Properties = append(s.Properties, member{name, m})
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return s, nil
}

// field is the schema of a field: that of its type, with the bounds and the comment of the field.
func (b *builder) field(path string, t reflect.Type) (*schema, error) {
	s, err := b.value(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if refine := refinements[path]; refine != nil {
		refine(s)
	}
	if c := b.source.comments[path]; c != "" {
		s.Description = c
	}
	return s, nil
}

// value is the schema of a type. Integers have the range that every JSON reader keeps exactly,
// ±2^53.
func (b *builder) value(t reflect.Type) (*schema, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time"}, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return &schema{}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return &schema{Type: "boolean"}, nil
	case reflect.Int, reflect.Int64:
		least, greatest := int64(-1<<53), int64(1<<53)
		return &schema{Type: "integer", Minimum: &least, Maximum: &greatest}, nil
	case reflect.Float64:
		return &schema{Type: "number"}, nil
	case reflect.String:
		return b.text(t), nil
	case reflect.Interface:
		return &schema{}, nil
	case reflect.Pointer:
		return b.nullable(t.Elem())
	case reflect.Slice:
		items, err := b.value(t.Elem())
		return &schema{Type: "array", Items: items}, err
	case reflect.Map:
		return b.dictionary(t)
	case reflect.Struct:
		return b.reference(t)
	}
	return nil, fmt.Errorf("no schema for %s", t)
}

// text is the schema of a string type. The constants of a type are its only values, unless the type
// is open.
func (b *builder) text(t reflect.Type) *schema {
	s := &schema{Type: "string"}
	if t.PkgPath() != "" && !open[t.String()] {
		s.Enum = b.source.values[t.String()]
	}
	return s
}

// nullable is for pointers: null says the same as leaving the member out.
func (b *builder) nullable(t reflect.Type) (*schema, error) {
	s, err := b.value(t)
	if err != nil {
		return nil, err
	}
	if s.Ref != "" {
		return &schema{AnyOf: []*schema{s, {Type: "null"}}}, nil
	}
	s.Type = []any{s.Type, "null"}
	return s, nil
}

// dictionary is the schema of a map, whose keys are any texts.
func (b *builder) dictionary(t reflect.Type) (*schema, error) {
	s := &schema{Type: "object", Description: b.source.comments[t.String()]}
	if t.Elem().Kind() == reflect.Interface {
		return s, nil
	}
	values, err := b.value(t.Elem())
	s.AdditionalProperties = values
	return s, err
}

// reference points to the type's own file, or to a definition in this document.
func (b *builder) reference(t reflect.Type) (*schema, error) {
	for _, e := range envelopes {
		if e.typ == t && t != b.root {
			return &schema{Ref: fileName(e.name)}, nil
		}
	}
	name := t.Name()
	if _, done := b.defs[name]; !done {
		b.defs[name] = nil // a type that holds itself must not be built for ever
		s, err := b.object(t)
		if err != nil {
			return nil, err
		}
		b.defs[name] = s
	}
	return &schema{Ref: "#/$defs/" + name}, nil
}
