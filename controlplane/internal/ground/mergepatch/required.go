package mergepatch

import (
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Keep returns a fault of kind Invalid when a patch clears one of the members that a resource cannot be without.
func Keep(patch []byte, members ...string) error {
	var asked map[string]json.RawMessage
	if json.Unmarshal(patch, &asked) != nil {
		return fault.Coded(fault.Malformed, "malformed_json", "the body must be a JSON object")
	}
	for _, name := range members {
		if value, given := asked[name]; given && string(value) == "null" {
			return fault.New(fault.Invalid, "%s cannot be null", name).
				With(fault.Field{Pointer: "#/" + name, Code: "invalid", Detail: "give a value, or leave it out"})
		}
	}
	return nil
}
