package resource

import (
	"encoding/json"
	"strings"
)

// Kind is the JSON type of an attribute. A text of true or false counts as a boolean.
type Kind string

const (
	KindText   Kind = "text"
	KindNumber Kind = "number"
	KindBool   Kind = "truth value"
	KindObject Kind = "object"
	KindList   Kind = "list"
)

// KindOf returns the kind of a decoded value; empty for null.
func KindOf(v any) Kind {
	switch v := v.(type) {
	case json.Number:
		return KindNumber
	case bool:
		return KindBool
	case string:
		if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
			return KindBool // some targets send truth values as text
		}
		return KindText
	case map[string]any:
		return KindObject
	case []any:
		return KindList
	}
	return ""
}
