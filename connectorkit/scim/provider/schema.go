package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// DeclaredFields are the fields of one resource type as /ResourceTypes and /Schemas tell them.
type DeclaredFields []v1.DiscoveredField

// Schemas holds what a target declares of its resource types; empty where it declares nothing.
type Schemas struct {
	types map[string]resource.Record // by name, lower case
	byID  map[string]resource.Record // by schema URN, lower case
}

// Schemas reads both endpoints. Many targets protect them or have none: that is a warning.
func (s *Session) Schemas(ctx context.Context) (Schemas, []v1.Warning, error) {
	out := Schemas{types: map[string]resource.Record{}, byID: map[string]resource.Record{}}
	var warnings []v1.Warning
	for _, end := range []struct {
		path, key string
		into      map[string]resource.Record
	}{{"/ResourceTypes", "name", out.types}, {"/Schemas", "id", out.byID}} {
		list, err := s.list(ctx, end.path, "schema")
		var d *v1.ErrorDetail
		switch {
		case err == nil:
			for _, rec := range list {
				end.into[strings.ToLower(rec.Text(end.key))] = rec
			}
		case errors.As(err, &d) && d.Phase == "schema" && d.Target != nil && d.Target.HTTP != nil:
			warnings = append(warnings, v1.Warning{
				Code:    "schema_unavailable",
				Message: "the target does not report its " + strings.TrimPrefix(end.path, "/") + ": " + d.Message,
			})
		default:
			return out, warnings, err
		}
	}
	return out, warnings, nil
}

// Fields lists the declared fields of a resource type, extensions included.
func (s Schemas) Fields(resourceType, core string) DeclaredFields {
	var out DeclaredFields
	extensions := []resource.Record{}
	if rt := s.types[strings.ToLower(resourceType)]; rt != nil {
		if id := rt.Text("schema"); id != "" {
			core = id
		}
		extensions = rt.Items("schemaExtensions")
	} else if core == resource.UserSchema {
		extensions = []resource.Record{{"schema": resource.EnterpriseUser}}
	}
	if def := s.byID[strings.ToLower(core)]; def != nil {
		out = append(
			out,
			v1.DiscoveredField{
				Name:        "id",
				Path:        "id",
				Type:        "string",
				Required:    true,
				Source:      "schema",
				Description: "The target's own key.",
			},
			v1.DiscoveredField{
				Name:        "externalId",
				Path:        "externalId",
				Type:        "string",
				Writable:    true,
				Source:      "schema",
				Description: "The key that a client gave.",
			},
		)
		out = declare(out, "", def.Items("attributes"))
	}
	for _, ext := range extensions {
		if def := s.byID[strings.ToLower(ext.Text("schema"))]; def != nil {
			out = declare(out, ext.Text("schema")+":", def.Items("attributes"))
		}
	}
	return out
}

// declare adds attributes under prefix, named as flatten names them.
func declare(out DeclaredFields, prefix string, attributes []resource.Record) DeclaredFields {
	for _, a := range attributes {
		name := prefix + a.Text("name")
		multi := a.Bool("multiValued")
		switch {
		case a.Text("name") == "" || resource.IsStructural(name):
		case a.Get("subAttributes") != nil && (multi == nil || !*multi):
			out = declare(out, name+".", a.Items("subAttributes"))
		default:
			out = append(out, declaredField(name, a))
			for _, inner := range a.Items("subAttributes") {
				if inner.Text("name") == "value" {
					value := declaredField(name+".value", inner)
					value.Multi = true
					out = append(out, value)
				}
			}
		}
	}
	return out
}

// declaredField is a field as an attribute of a schema declares it (RFC 7643 section 7). A type
// that the RFC does not have is text, and what is not declared has the default of the RFC: one
// value, not required, writable.
func declaredField(name string, a resource.Record) v1.DiscoveredField {
	f := v1.DiscoveredField{
		Name:        name,
		Path:        name,
		Type:        "string",
		Description: a.Text("description"),
		Source:      "schema",
		Writable:    true,
	}
	switch strings.ToLower(a.Text("type")) {
	case "integer", "boolean", "binary", "reference":
		f.Type = strings.ToLower(a.Text("type"))
	case "decimal":
		f.Type = "number"
	case "datetime":
		f.Type = "datetime"
	case "complex":
		f.Type = "object"
	}
	if b := a.Bool("multiValued"); b != nil {
		f.Multi = *b
	}
	if b := a.Bool("required"); b != nil {
		f.Required = *b
	}
	if strings.EqualFold(a.Text("mutability"), "readOnly") {
		f.Writable = false
	}
	f.Secret = resource.IsSecret(name) || strings.EqualFold(a.Text("returned"), "never")
	return f
}
