package response

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/sampling"
)

// Bounds of a record. What is beyond is set aside.
const (
	maxRecord = 256 << 10 // bytes of JSON
	maxDepth  = 32        // objects and lists inside each other
)

// row is one record as it came and as it is passed on.
type row[T any] struct {
	record  T
	members map[string]any // as decoded, numbers as json.Number
}

// BadRecord is a record that is set aside.
type BadRecord struct {
	why     string // with the place in the record
	id      string // its external_id, where it can be made out
	deleted bool
}

// decode reads one record.
func decode[T any](raw json.RawMessage) (row[T], *BadRecord) {
	var out row[T]
	switch {
	case len(raw) > maxRecord:
		return out, &BadRecord{why: fmt.Sprintf("is larger than %d KiB", maxRecord>>10), id: idIn(raw)}
	case !utf8.Valid(raw):
		return out, &BadRecord{why: "is not UTF-8"}
	case depth(raw) > maxDepth:
		return out, &BadRecord{why: fmt.Sprintf("is nested more than %d levels deep", maxDepth), id: idIn(raw)}
	}
	members, err := objectOf(raw)
	if err != nil {
		return out, &BadRecord{why: "is no object"}
	}
	if err := into(raw, &out.record); err != nil {
		bad := &BadRecord{why: placeOf[T](members, err), id: idIn(raw)}
		bad.deleted, _ = members["deleted"].(bool)
		return out, bad
	}
	out.members = members
	return out, nil
}

func into(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(v)
}

func objectOf(raw []byte) (members map[string]any, err error) {
	if err = into(raw, &members); err == nil && members == nil {
		err = &Violation{"null"}
	}
	return members, err
}

// placeOf names the member that does not fit. The decoder does so itself, but for times.
func placeOf[T any](members map[string]any, err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) && typ.Field != "" {
		return Explain(err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text, wrong := json.Marshal(map[string]any{name: members[name]})
		if one := into(text, new(T)); wrong == nil && one != nil {
			return shortName(name) + ": " + Explain(one)
		}
	}
	return Explain(err)
}

func shortName(name string) string {
	if len(name) > 64 {
		return "a member"
	}
	return name
}

// idIn finds the external_id in a record that cannot be used as a whole.
func idIn(raw []byte) string {
	var key struct {
		ExternalID string `json:"external_id"`
	}
	if json.Unmarshal(raw, &key) != nil || len(key.ExternalID) > 1024 {
		return ""
	}
	return key.ExternalID
}

// depth counts how deep objects and lists of valid JSON lie inside each other.
func depth(raw []byte) (deepest int) {
	level, text, escaped := 0, false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case text:
			escaped = b == '\\'
			text = b != '"'
		case b == '"':
			text = true
		case b == '{' || b == '[':
			level++
			deepest = max(deepest, level)
		case b == '}' || b == ']':
			level--
		}
	}
	return deepest
}

// notFields are members that are no fields of a person or an account.
var notFields = []string{"attributes", "deleted", "etag"}

// LaidOut is a record as one object of fields: its own members, and the attributes over them. Nested objects are left
// as they are.
func LaidOut(members map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range members {
		if v != nil && !slices.Contains(notFields, name) {
			out[name] = v
		}
	}
	if attributes, ok := members["attributes"].(map[string]any); ok {
		maps.Copy(out, attributes)
	}
	return out
}

// fields are what mappings see of a person or an account: the members too, under their names, so that each may be
// mapped in another way than the service has.
func fields(members map[string]any, allowed func(string) bool) map[string]any {
	out := sampling.Flatten(LaidOut(members))
	for name := range out {
		if !allowed(name) {
			delete(out, name)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// attributes are those of other records.
func attributes(members map[string]any, allowed func(string) bool) map[string]any {
	given, _ := members["attributes"].(map[string]any)
	return fields(map[string]any{"attributes": given}, allowed)
}
