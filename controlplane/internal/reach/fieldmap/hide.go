package fieldmap

import (
	"github.com/grantwright/grantwright/connectorkit/sampling"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// hidden stands for the value of a secret.
const hidden = "***"

// withoutSecrets is a record whose secrets are hidden: those of the snapshot's secret fields, and whatever else looks
// like one by its name or its value. Records are shown to people, and transforms can carry any field into another, so
// it comes before the mapping.
func withoutSecrets(record map[string]any, object string, secret map[[2]string]bool) map[string]any {
	out := make(map[string]any, len(record))
	for name, value := range record {
		if secret[[2]string{object, name}] && value != nil {
			out[name] = hidden
			continue
		}
		out[name] = veiled(name, value)
	}
	return out
}

// veiled is a value, or what stands for it, with all that is inside.
func veiled(name string, value any) any {
	switch v := value.(type) {
	case nil:
		return nil
	case map[string]any:
		if secretLooking(name) {
			return hidden
		}
		out := make(map[string]any, len(v))
		for member, inner := range v {
			out[member] = veiled(member, inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = veiled(name, inner)
		}
		return out
	case string:
		if secretLooking(name, v) {
			return hidden
		}
	default:
		if secretLooking(name) {
			return hidden
		}
	}
	return value
}

// secretLooking asks the rules of discovery.
func secretLooking(name string, samples ...string) bool {
	return sampling.Hide(v1.DiscoveredField{Name: name, Samples: samples}, false).Secret
}
