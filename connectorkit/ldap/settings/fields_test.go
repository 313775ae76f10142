package settings

import (
	"slices"
	"testing"
)

func TestFieldsAreWellFormed(t *testing.T) {
	var seen, secret []string
	for _, f := range Fields() {
		if slices.Contains(seen, f.Key) || f.Label == "" || !slices.Contains(
			[]string{"string", "integer", "boolean", "enum", "string_list", "object"}, f.Type,
		) {
			t.Errorf("field %+v", f)
		}
		if (f.Type == "enum") != (len(f.Enum) > 0) {
			t.Errorf("field %s of type %s has the values %v", f.Key, f.Type, f.Enum)
		}
		seen = append(seen, f.Key)
		if f.Secret {
			secret = append(secret, f.Key)
		}
	}
	if !slices.Equal(secret, []string{"bind_password"}) {
		t.Errorf("secret fields %v", secret)
	}
}
