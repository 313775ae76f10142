package payload

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Ignored lists the members of a JSON object that the type of into does not know, for payloads whose senders add fields
// of their own. The names go into the Ignored-Fields header.
func Ignored(raw []byte, into any) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return ""
	}
	known := map[string]bool{}
	jsonNames(reflect.TypeOf(into), known)
	var names []string
	for name := range members {
		if !known[name] {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func jsonNames(t reflect.Type, into map[string]bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			jsonNames(f.Type, into)
			continue
		}
		if name != "" && name != "-" {
			into[name] = true
		}
	}
}
