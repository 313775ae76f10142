package worker

import (
	"encoding/json"
)

// encode is JSON for a jsonb column.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
