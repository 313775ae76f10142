package apidocs

import (
	"context"
	"log/slog"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

type FieldPaging struct {
	Limit int `query:"limit"`
}

type fieldQuota struct {
	Most int `json:"most"`
}

func (fieldQuota) Schema(r huma.Registry) *huma.Schema {
	type plain fieldQuota
	return huma.SchemaFromType(r, reflect.TypeFor[plain]())
}

type fieldThing struct {
	Owner  string                  `json:"owner" doc:"of the tag"`
	Quota  fieldQuota              `json:"quota"`
	Parts  []struct{ Name string } `json:"parts"`
	Nested fieldPart               `json:"nested"`
}

type fieldPart struct {
	Weight int `json:"weight"`
}

type fieldIn struct {
	ID string `path:"id"`
	FieldPaging
	Body struct {
		Reason string `json:"reason"`
	}
}

type fieldOut struct {
	Since string `header:"Since"`
	Body  fieldThing
}

// TestFieldsAreDescribedByTheirComments looks for each place in which a document shows a field.
func TestFieldsAreDescribedByTheirComments(t *testing.T) {
	const here = "controlplane/internal/front/apidocs."
	api := httpapi.New(httpapi.Config{Title: "T", Version: "1", Log: slog.New(slog.DiscardHandler)})
	api.Add(httpapi.Handle("POST", "/things/{id}", "Change a thing",
		func(context.Context, viewer.Viewer, *fieldIn) (*fieldOut, error) { return &fieldOut{}, nil }))
	texts := fieldTexts{
		here + "fieldIn.ID":              "path",
		here + "FieldPaging.Limit":       "of an embedded struct",
		here + "fieldIn.Body.Reason":     "body without a name",
		here + "fieldOut.Since":          "header",
		here + "fieldThing.Owner":        "comment beside a tag",
		here + "fieldThing.Quota":        "property",
		here + "fieldQuota.Most":         "schema of its own",
		here + "fieldThing.Parts.Name":   "list of structs without a name",
		here + "fieldPart.Weight":        "component",
		here + "fieldThing.NoSuchFields": "nowhere",
	}
	doc := api.Huma.OpenAPI()
	texts.describe(api, doc)

	op := doc.Paths["/api/v1/things/{id}"].Post
	described := map[string]string{}
	for _, p := range op.Parameters {
		described[p.Name] = p.Description
	}
	if described["id"] != "path" || described["limit"] != "of an embedded struct" {
		t.Errorf("parameters: %q", described)
	}
	if got := op.Responses["200"].Headers["Since"].Description; got != "header" {
		t.Errorf("header: %q", got)
	}
	all := doc.Components.Schemas
	body := resolved(all, op.RequestBody.Content["application/json"].Schema)
	thing := all.Map()["FieldThing"]
	for place, s := range map[string]*huma.Schema{
		"body without a name":            body.Properties["reason"],
		"of the tag":                     thing.Properties["owner"],
		"property":                       thing.Properties["quota"],
		"schema of its own":              thing.Properties["quota"].Properties["most"],
		"list of structs without a name": resolved(all, thing.Properties["parts"]).Properties["Name"],
		"component":                      all.Map()["FieldPart"].Properties["weight"],
	} {
		if s == nil || s.Description != place {
			t.Errorf("%s: %+v", place, s)
		}
	}
}
