// Package schematest checks documents against the schemas of package schema. It knows the keywords that these schemas
// use and refuses to judge by any other, so that a keyword which is written but never checked cannot pass unseen.
package schematest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/grantwright/grantwright/protocol/schema"
)

// Validate holds a JSON document against a schema by its name, such as "sync_request". The error names every violation.
func Validate(name string, document []byte) error {
	var doc any
	if err := json.Unmarshal(document, &doc); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	root, err := load(name)
	if err != nil {
		return err
	}
	v := &validator{root: root}
	v.check("$", root, doc)
	if len(v.found) > 0 {
		return fmt.Errorf("%s: %s", name, strings.Join(v.found, "; "))
	}
	return nil
}

// node is a schema, or an object of a document.
type node = map[string]any

// load reads a schema by name.
func load(name string) (node, error) {
	text, err := schema.Read(name)
	if err != nil {
		return nil, err
	}
	var root node
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return root, nil
}

// validator collects what is wrong with a document. root is the schema that local references are
// looked up in.
type validator struct {
	root  node
	found []string
}

// wrong adds a finding at a place of the document.
func (v *validator) wrong(at, format string, args ...any) {
	v.found = append(v.found, at+" "+fmt.Sprintf(format, args...))
}

// check holds a value against a schema, keyword by keyword. A keyword that it does not understand
// is an error, so that no rule is passed over in silence.
func (v *validator) check(at string, s node, doc any) {
	for keyword, arg := range s {
		switch keyword {
		case "$schema", "$id", "$defs", "title", "description":
		case "$ref":
			v.reference(at, arg.(string), doc)
		case "anyOf":
			v.anyOf(at, arg.([]any), doc)
		case "type":
			v.types(at, arg, doc)
		case "const":
			if !reflect.DeepEqual(arg, doc) {
				v.wrong(at, "is %v, must be %v", doc, arg)
			}
		case "enum":
			if text, ok := doc.(string); ok && !slices.Contains(arg.([]any), any(text)) {
				v.wrong(at, "is %q, must be one of %v", text, arg)
			}
		case "format":
			v.format(at, arg.(string), doc)
		case "minimum", "maximum", "minLength", "maxLength", "maxItems":
			v.bound(at, keyword, arg.(float64), doc)
		case "items":
			v.items(at, arg.(node), doc)
		case "properties", "required", "additionalProperties":
			v.object(at, keyword, arg, doc)
		default:
			v.wrong(at, "has a schema with the keyword %q, which this validator does not know", keyword)
		}
	}
}

// reference follows a reference to a local definition or to another file.
func (v *validator) reference(at, ref string, doc any) {
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		def, ok := v.root["$defs"].(node)[name].(node)
		if !ok {
			v.wrong(at, "refers to %s, which is not defined", ref)
			return
		}
		v.check(at, def, doc)
		return
	}
	root, err := load(strings.TrimSuffix(ref, ".schema.json"))
	if err != nil {
		v.wrong(at, "refers to %s: %v", ref, err)
		return
	}
	other := &validator{root: root}
	other.check(at, root, doc)
	v.found = append(v.found, other.found...)
}

// anyOf is satisfied if one choice has no finding. The findings of the first choice are shown
// otherwise.
func (v *validator) anyOf(at string, choices []any, doc any) {
	var first []string
	for _, c := range choices {
		try := &validator{root: v.root}
		if try.check(at, c.(node), doc); len(try.found) == 0 {
			return
		}
		if first == nil {
			first = try.found
		}
	}
	v.wrong(at, "fits none of the choices (%s)", strings.Join(first, "; "))
}

// types is satisfied if the value has one of the types.
func (v *validator) types(at string, arg, doc any) {
	names, ok := arg.([]any)
	if !ok {
		names = []any{arg}
	}
	for _, n := range names {
		if isType(n.(string), doc) {
			return
		}
	}
	v.wrong(at, "is %T, must be %v", doc, names)
}

// isType says whether a value has a type of JSON Schema.
func isType(name string, doc any) bool {
	switch d := doc.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || (name == "integer" && d == math.Trunc(d))
	case string:
		return name == "string"
	case []any:
		return name == "array"
	default:
		return name == "object"
	}
}

// format checks dates and times. Other formats are errors.
func (v *validator) format(at, format string, doc any) {
	text, ok := doc.(string)
	if !ok {
		return
	}
	layout := map[string]string{"date-time": time.RFC3339Nano, "date": time.DateOnly}[format]
	if _, err := time.Parse(layout, text); layout == "" || err != nil {
		v.wrong(at, "is %q, must be a %s", text, format)
	}
}

// bound checks a number, a text's length in characters or an array's length.
func (v *validator) bound(at, keyword string, limit float64, doc any) {
	var n float64
	switch d := doc.(type) {
	case float64:
		n = d
	case string:
		n = float64(utf8.RuneCountInString(d))
	case []any:
		n = float64(len(d))
	default:
		return
	}
	if (strings.HasPrefix(keyword, "min") && n < limit) || (strings.HasPrefix(keyword, "max") && n > limit) {
		v.wrong(at, "breaks %s %v with %v", keyword, limit, n)
	}
}

// items checks every element.
func (v *validator) items(at string, s node, doc any) {
	list, _ := doc.([]any)
	for i, e := range list {
		v.check(fmt.Sprintf("%s[%d]", at, i), s, e)
	}
}

// object checks one of the three keywords about members.
func (v *validator) object(at, keyword string, arg, doc any) {
	members, ok := doc.(node)
	if !ok {
		return
	}
	switch keyword {
	case "required":
		for _, name := range arg.([]any) {
			if _, ok := members[name.(string)]; !ok {
				v.wrong(at, "lacks %v", name)
			}
		}
	case "properties":
		for name, s := range arg.(node) {
			if m, ok := members[name]; ok {
				v.check(at+"."+name, s.(node), m)
			}
		}
	case "additionalProperties":
		for name, m := range members {
			v.check(at+"."+name, arg.(node), m)
		}
	}
}
