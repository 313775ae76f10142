package scim

import (
	"context"
	"errors"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// declaredFields are the fields of one resource type as /ResourceTypes and /Schemas tell them.
type declaredFields []v1.DiscoveredField

// schemas holds what a target declares of its resource types; empty where it declares nothing.
type schemas struct {
	types map[string]record // by name, lower case
	byID  map[string]record // by schema URN, lower case
}

// Well-known schemas, for targets that list schemas but no resource types.
const (
	userSchema  = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
)

// schemas reads both endpoints. Many targets protect them or have none: that is told as a warning.
func (s *session) schemas(ctx context.Context) (schemas, []v1.Warning, error) {
	out := schemas{types: map[string]record{}, byID: map[string]record{}}
	var warnings []v1.Warning
	for _, end := range []struct {
		path, key string
		into      map[string]record
	}{{"/ResourceTypes", "name", out.types}, {"/Schemas", "id", out.byID}} {
		list, err := s.list(ctx, end.path, "schema")
		var d *v1.ErrorDetail
		switch {
		case err == nil:
			for _, rec := range list {
				end.into[strings.ToLower(rec.text(end.key))] = rec
			}
		case errors.As(err, &d) && d.Phase == "schema" && d.Target != nil && d.Target.HTTP != nil:
			warnings = append(warnings, v1.Warning{
				Code:    "schema_unavailable",
				Message: "the target does not tell its " + strings.TrimPrefix(end.path, "/") + ": " + d.Message,
			})
		default:
			return out, warnings, err
		}
	}
	return out, warnings, nil
}

// fields lists the declared fields of a resource type, extensions included.
func (s schemas) fields(resourceType, core string) declaredFields {
	var out declaredFields
	extensions := []record{}
	if rt := s.types[strings.ToLower(resourceType)]; rt != nil {
		if id := rt.text("schema"); id != "" {
			core = id
		}
		extensions = rt.items("schemaExtensions")
	} else if core == userSchema {
		extensions = []record{{"schema": enterpriseUser}}
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
		out = declare(out, "", def.items("attributes"))
	}
	for _, ext := range extensions {
		if def := s.byID[strings.ToLower(ext.text("schema"))]; def != nil {
			out = declare(out, ext.text("schema")+":", def.items("attributes"))
		}
	}
	return out
}

// declare adds attributes under prefix, named as flatten names them.
func declare(out declaredFields, prefix string, attributes []record) declaredFields {
	for _, a := range attributes {
		name := prefix + a.text("name")
		multi := a.flag("multiValued")
		switch {
		case a.text("name") == "" || isOwnPart(name):
		case a.get("subAttributes") != nil && (multi == nil || !*multi):
			out = declare(out, name+".", a.items("subAttributes"))
		default:
			out = append(out, declaredField(name, a))
			for _, inner := range a.items("subAttributes") {
				if inner.text("name") == "value" {
					value := declaredField(name+".value", inner)
					value.Multi = true
					out = append(out, value)
				}
			}
		}
	}
	return out
}

func declaredField(name string, a record) v1.DiscoveredField {
	f := v1.DiscoveredField{
		Name:        name,
		Path:        name,
		Type:        "string",
		Description: a.text("description"),
		Source:      "schema",
		Writable:    true,
	}
	switch strings.ToLower(a.text("type")) {
	case "integer", "boolean", "binary", "reference":
		f.Type = strings.ToLower(a.text("type"))
	case "decimal":
		f.Type = "number"
	case "datetime":
		f.Type = "datetime"
	case "complex":
		f.Type = "object"
	}
	if b := a.flag("multiValued"); b != nil {
		f.Multi = *b
	}
	if b := a.flag("required"); b != nil {
		f.Required = *b
	}
	if strings.EqualFold(a.text("mutability"), "readOnly") {
		f.Writable = false
	}
	f.Secret = secretName.MatchString(name) || strings.EqualFold(a.text("returned"), "never")
	return f
}
