package catalog

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
)

// VendorType is the type of connectors that an entry of a vendor describes. They are served by the connector of another
// type, whose settings the entry's template makes from the few that the user gives.
const VendorType = "vendor"

// FieldMapping is what an entry knows about a field of its vendor's records.
type FieldMapping = connectorkit.FieldMapping

// Quirk is a habit of a vendor's system that readers of its records should know.
type Quirk struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Source string `json:"source"` // where the vendor documents it
	Date   string `json:"date"`   // when it was noted here
}

// vendor is one file of the folder vendors.
type vendor struct {
	Key         string               `json:"key"`
	Engine      string               `json:"engine"`
	Name        string               `json:"name"`
	Vendor      string               `json:"vendor"`
	Category    string               `json:"category"`
	Description string               `json:"description"`
	DocsURL     string               `json:"docs_url"`
	AuthMethods []string             `json:"auth_methods"`
	Fields      []connectorkit.Field `json:"fields"`
	// Template are the settings of the engine, with placeholders for the fields.
	Template     map[string]any `json:"template"`
	Mapping      []FieldMapping `json:"mapping"`
	Quirks       []Quirk        `json:"quirks"`
	Capabilities Capabilities   `json:"capabilities"`
}

//go:embed vendors/*.json
var vendorFiles embed.FS

// vendors are read once; a file that cannot be read is a fault of the build, which the package's tests find.
func vendors() []kind {
	names, err := fs.Glob(vendorFiles, "vendors/*.json")
	if err != nil {
		panic(err)
	}
	var out []kind
	for _, name := range names {
		text, err := vendorFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		var v vendor
		if err := json.Unmarshal(text, &v); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		out = append(out, v.kind())
	}
	return out
}

// kind is the vendor's entry.
func (v *vendor) kind() kind {
	return kind{vendor: v, entry: Entry{
		Key:          v.Key,
		Type:         VendorType,
		Engine:       v.Engine,
		Name:         v.Name,
		Vendor:       v.Vendor,
		Category:     v.Category,
		Description:  v.Description,
		DocsURL:      v.DocsURL,
		AuthMethods:  v.AuthMethods,
		Fields:       v.Fields,
		Capabilities: v.Capabilities,
		Mapping:      v.Mapping,
		Quirks:       v.Quirks,
	}}
}

// Resolve gives the type of the connector that serves an entry, and the settings it is to be called with. For the types
// themselves these are the settings as they are.
func Resolve(key string, auth map[string]any) (engine string, settings map[string]any) {
	k, ok := find(key)
	if !ok || k.vendor == nil {
		return key, auth
	}
	given := map[string]any{}
	for _, f := range k.vendor.Fields {
		if f.Default != nil {
			given[f.Key] = f.Default
		}
	}
	for name, value := range auth {
		if value != nil && value != "" {
			given[name] = value
		}
	}
	out, _ := fill(k.vendor.Template, given)
	settings, _ = out.(map[string]any)
	return k.vendor.Engine, settings
}

// fill puts settings into a template: ${name} stands for a setting, ${base64:TEXT} for the encoding of a text that has
// settings as {name}. A member whose whole text is one placeholder takes the setting as it is, and goes when there is
// none; ok is false then.
func fill(template any, given map[string]any) (value any, ok bool) {
	switch t := template.(type) {
	case string:
		return fillText(t, given)
	case []any:
		out := make([]any, 0, len(t))
		for _, e := range t {
			if v, ok := fill(e, given); ok {
				out = append(out, v)
			}
		}
		return out, true
	case map[string]any:
		out := make(map[string]any, len(t))
		for name, e := range t {
			if v, ok := fill(e, given); ok {
				out[name] = v
			}
		}
		return out, true
	}
	return template, true
}

// fillText fills in a text of the template. A text that is one placeholder becomes the value
// itself, with its type; ok is false if it was not given. ${base64:…} encodes what stands in it.
// Addresses lose a slash at their end.
func fillText(text string, given map[string]any) (any, bool) {
	if rest, ok := strings.CutPrefix(text, "${base64:"); ok && strings.HasSuffix(rest, "}") {
		plain := inner.ReplaceAllStringFunc(
			strings.TrimSuffix(rest, "}"),
			func(m string) string { return shown(given[m[1:len(m)-1]]) },
		)
		return base64.StdEncoding.EncodeToString([]byte(plain)), true
	}
	if m := whole.FindStringSubmatch(text); m != nil {
		v, ok := given[m[1]]
		return v, ok
	}
	return part.ReplaceAllStringFunc(text, func(m string) string {
		v := shown(given[m[2:len(m)-1]])
		if strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://") {
			v = strings.TrimRight(v, "/")
		}
		return v
	}), true
}

var (
	whole = regexp.MustCompile(`^\$\{([a-z0-9_]+)\}$`)
	part  = regexp.MustCompile(`\$\{[a-z0-9_]+\}`)
	inner = regexp.MustCompile(`\{[a-z0-9_]+\}`)
)

// shown is a value as text in another text.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprint(v)
}

// Feeds names the setting of an entry that decides a setting of its connector, such as org_url for base_url; the name
// itself where there is none.
func Feeds(key, setting string) string {
	k, ok := find(key)
	if !ok || k.vendor == nil {
		return setting
	}
	text, _ := k.vendor.Template[setting].(string)
	if m := part.FindString(text); m != "" {
		return m[2 : len(m)-1]
	}
	return setting
}

// Schema describes the settings of an entry as JSON Schema (draft 2020-12): secrets are writeOnly and marked by
// x-secret.
func (e Entry) Schema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range e.Fields {
		properties[f.Key] = property(f)
		if f.Required && f.DependsOn == "" {
			required = append(required, f.Key)
		}
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": e.Name, "type": "object",
		"properties": properties, "required": required, "additionalProperties": false,
	}
}

// property is the JSON Schema of a setting, as forms are built from it.
func property(f connectorkit.Field) map[string]any {
	p := map[string]any{"title": f.Label, "type": "string"}
	switch f.Type {
	case "integer", "boolean", "object":
		p["type"] = f.Type
	case "enum":
		p["enum"] = f.Enum
	case "string_list":
		p["type"], p["items"] = "array", map[string]any{"type": "string"}
	case "object_list":
		p["type"], p["items"] = "array", map[string]any{"type": "object"}
	}
	optional := map[string]any{"description": f.Help, "default": f.Default, "minimum": f.Min, "maximum": f.Max}
	maps.DeleteFunc(optional, func(_ string, v any) bool { return v == nil || v == "" || v == (*int)(nil) })
	maps.Copy(p, optional)
	if f.Secret {
		p["writeOnly"], p["x-secret"] = true, true
	}
	if f.Advanced {
		p["x-advanced"] = true
	}
	if f.DependsOn != "" {
		p["x-depends-on"] = map[string]any{"setting": f.DependsOn, "values": f.DependsVals}
	}
	return p
}
