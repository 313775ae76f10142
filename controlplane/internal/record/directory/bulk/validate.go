package bulk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// exportOnly are columns of an export that an import passes over, so that what was exported can be imported again.
var exportOnly = []string{
	"id",
	"status",
	"status_reason",
	"status_source",
	"status_changed_at",
	"manager_id",
	"source_connector_id",
	"is_disabled",
	"urgent",
	"created_at",
	"updated_at",
	"version",
	"last_synced_at",
	"manager_unresolved",
	"manager_from_source",
	"merged_into_id",
	"previous_identity_id",
}

// importable is the schema of a row, made once.
var importable = sync.OnceValue(func() func(map[string]any) []fault.Field {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[identity.NewIdentity](), false, "row")
	var mu sync.Mutex // the path of a validation is shared
	path := huma.NewPathBuffer(nil, 0)
	return func(members map[string]any) []fault.Field {
		mu.Lock()
		defer mu.Unlock()
		path.Reset()
		var result huma.ValidateResult
		huma.Validate(registry, schema, path, huma.ModeWriteToServer, members, &result)
		wrong := make([]fault.Field, 0, len(result.Errors))
		for _, err := range result.Errors {
			f := fault.Field{Code: "invalid", Detail: err.Error()}
			var detail *huma.ErrorDetail
			if errors.As(err, &detail) {
				f.Pointer, f.Detail = "#/"+strings.ReplaceAll(detail.Location, ".", "/"), detail.Message
			}
			wrong = append(wrong, f)
		}
		return wrong
	}
})

// validate checks the members of a row by themselves. It removes columns that only an export has, and returns the
// names of unknown members.
func (r *record) validate() (ignored []string) {
	if len(r.wrong) > 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		switch {
		case slices.Contains(exportOnly, name):
			delete(r.members, name)
		case !slices.Contains(memberNames(), name):
			delete(r.members, name)
			ignored = append(ignored, name)
		}
	}
	if r.wrong = unstorable("#", r.members); len(r.wrong) > 0 {
		return ignored
	}
	if r.externalID() == "" {
		r.wrong = append(r.wrong, identity.Required("external_id", "a row is known by its external_id"))
		return ignored
	}
	r.members["external_id"] = r.externalID()
	r.wrong = append(r.wrong, importable()(plain(r.members))...)
	return ignored
}

// unstorable finds what a row holds that the store cannot keep: it would fail the row's whole batch.
func unstorable(at string, value any) (wrong []fault.Field) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			wrong = append(append(wrong, unstorable(at, name)...), unstorable(at+"/"+name, v[name])...)
		}
	case []any:
		for i, each := range v {
			wrong = append(wrong, unstorable(fmt.Sprint(at, "/", i), each)...)
		}
	case string:
		if strings.ContainsRune(v, 0) {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: at,
					Code:    "invalid",
					Detail:  "the text contains the character NUL, which is not allowed",
				},
			)
		}
	case json.Number:
		if _, err := v.Float64(); err != nil {
			wrong = append(
				wrong,
				fault.Field{Pointer: at, Code: "invalid", Detail: "the number is too large to be kept"},
			)
		}
	}
	return wrong
}

// plain is a row with numbers as validation knows them.
func plain(members map[string]any) map[string]any {
	b, err := json.Marshal(members)
	if err != nil {
		return members
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		return members
	}
	for name, v := range out {
		if v == nil {
			delete(out, name) // null clears, whatever the type
		} else if _, isText := v.(string); isText && name == "employment_type" {
			delete(out, name) // judged with the other forms, once it is known whether it changes
		}
	}
	return out
}

// memberNames are the members that a row may have.
var memberNames = sync.OnceValue(func() []string {
	names := []string{"external_id", "kind"}
	fields := reflect.TypeFor[identity.IdentityFields]()
	for i := range fields.NumField() {
		names = append(names, fields.Field(i).Tag.Get("json"))
	}
	return names
})
