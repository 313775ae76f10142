package apidocs

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// fields.json holds the first paragraph of the comment of every field with a json, query, path or header tag, by the
// field's address in the source: folder of its package, type and field, such as
// "controlplane/internal/record/access/grant.Grant.Status". `make descriptions` writes it, and a test of e2e/prose
// compares it with the source.
//
//go:embed fields.json
var fieldsFile []byte

// module is what import paths of ours begin with.
const module = "github.com/grantwright/grantwright/"

// fieldTexts are descriptions of fields by their addresses.
type fieldTexts map[string]string

// readFieldTexts reads the embedded file. It fails for no file that `make descriptions` writes.
func readFieldTexts() (fieldTexts, error) {
	texts := fieldTexts{}
	err := json.Unmarshal(fieldsFile, &texts)
	return texts, err
}

// describe gives the schemas, parameters and headers of the document the comments of the fields that they come from.
// What has a description keeps it.
func (f fieldTexts) describe(api *httpapi.API, doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	for name := range schemas.Map() {
		t := schemas.TypeFromRef("#/components/schemas/" + name)
		if t != nil && t.Name() != "" {
			f.properties(schemas, schemas.Map()[name], t, address(t))
		}
	}
	for path, item := range doc.Paths {
		for method, op := range operations(item) {
			in, out := api.Types(method, path)
			f.parameters(op, in)
			for _, media := range mediaTypes(op) {
				f.body(schemas, media.Schema, in)
			}
			for _, r := range op.Responses {
				f.headers(r, out)
				for _, media := range r.Content {
					f.body(schemas, media.Schema, out)
				}
			}
		}
	}
}

// address is where a named type stands: the folder of its package, and its name without type arguments.
func address(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return strings.TrimPrefix(t.PkgPath(), module) + "." + name
}

// properties describes the properties of a struct's schema. Fields of embedded structs are properties of the outer one.
// A struct without a name is described under the address of the field that has it.
func (f fieldTexts) properties(all huma.Registry, s *huma.Schema, t reflect.Type, at string) {
	t = element(t)
	if s == nil || t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			f.properties(all, s, field.Type, address(element(field.Type)))
			continue
		}
		if name == "" {
			name = field.Name
		}
		property := s.Properties[name]
		if property == nil {
			continue
		}
		f.fill(&property.Description, at, field)
		f.within(all, property, element(field.Type), at+"."+field.Name)
	}
}

// within describes what a property holds, if its schema stands in the property itself: that of a struct without a name,
// or of a type that makes its own schema. Other types are components, and described by themselves.
func (f fieldTexts) within(all huma.Registry, property *huma.Schema, t reflect.Type, at string) {
	switch {
	case t.Kind() != reflect.Struct:
	case t.Name() == "":
		f.properties(all, resolved(all, property), t, at)
	case reflect.PointerTo(t).Implements(reflect.TypeFor[huma.SchemaProvider]()):
		own := resolved(all, property)
		f.properties(all, own, t, address(t))
		for _, one := range own.OneOf {
			f.properties(all, one, t, address(t))
		}
	}
}

// parameters describes the parameters of an operation by the fields of its input, and those of the structs in it.
func (f fieldTexts) parameters(op *huma.Operation, in reflect.Type) {
	walk(in, func(at string, field reflect.StructField) {
		for _, place := range []string{"path", "query", "header", "cookie"} {
			name, _, _ := strings.Cut(field.Tag.Get(place), ",")
			for _, p := range op.Parameters {
				if name != "" && p.In == place && strings.EqualFold(p.Name, name) {
					f.fill(&p.Description, at, field)
				}
			}
		}
	})
}

// headers describes the headers of an answer by the fields of the output.
func (f fieldTexts) headers(r *huma.Response, out reflect.Type) {
	walk(out, func(at string, field reflect.StructField) {
		if h := r.Headers[field.Tag.Get("header")]; h != nil {
			f.fill(&h.Description, at, field)
		}
	})
}

// body describes the body of an input or output, if its type has no name; others are described with all named types.
// Refusals have bodies of a type of their own, whose properties no field of the output is called like.
func (f fieldTexts) body(all huma.Registry, s *huma.Schema, t reflect.Type) {
	walk(t, func(at string, field reflect.StructField) {
		if inner := element(field.Type); field.Name == "Body" && inner.Kind() == reflect.Struct && inner.Name() == "" {
			f.properties(all, resolved(all, s), inner, at+".Body")
		}
	})
}

func (f fieldTexts) fill(description *string, at string, field reflect.StructField) {
	if *description == "" {
		*description = f[at+"."+field.Name]
	}
}

// walk visits the fields of an input or output, its body among them, and those of the structs that it embeds.
func walk(t reflect.Type, visit func(at string, field reflect.StructField)) {
	if t == nil || element(t).Kind() != reflect.Struct {
		return
	}
	t = element(t)
	for i := range t.NumField() {
		field := t.Field(i)
		visit(address(t), field)
		if field.Anonymous {
			walk(field.Type, visit)
		}
	}
}

// element is the type behind pointers, lists and maps.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// resolved is the schema of the objects that a property holds: itself, or those of its list or map.
func resolved(all huma.Registry, s *huma.Schema) *huma.Schema {
	for {
		values, isMap := s.AdditionalProperties.(*huma.Schema)
		switch {
		case s.Ref != "":
			s = all.SchemaFromRef(s.Ref)
		case s.Items != nil:
			s = s.Items
		case isMap:
			s = values
		default:
			return s
		}
	}
}
