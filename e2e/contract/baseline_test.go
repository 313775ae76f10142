package contract

import (
	"encoding/json"
	"os"
	"testing"
)

const baselineFile = "released.json"

// renewBaseline replaces the description that changes are compared with by the current one. It runs for a release:
// GRANTWRIGHT_RENEW_BASELINE=1 go test ./contract.
func renewBaseline(t *testing.T, description string) {
	var d map[string]any
	readJSON(t, description, &d)
	b, err := json.MarshalIndent(withoutProse(d, false), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(baselineFile, append(b, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withoutProse drops texts and examples, which no client depends on. The names of a schema's properties are kept, also
// where a property is called description.
func withoutProse(node any, names bool) any {
	switch n := node.(type) {
	case map[string]any:
		for key, value := range n {
			if !names && (key == "description" || key == "summary" || key == "example" || key == "examples") {
				delete(n, key)
				continue
			}
			n[key] = withoutProse(value, !names && key == "properties")
		}
	case []any:
		for i := range n {
			n[i] = withoutProse(n[i], false)
		}
	}
	return node
}

// baselineCovers fails when the baseline lacks most of what there is: a comparison with an old description proves
// little.
func baselineCovers(t *testing.T, description string) {
	var now, released struct {
		Paths map[string]map[string]json.RawMessage
	}
	readJSON(t, description, &now)
	readJSON(t, baselineFile, &released)
	total, compared := 0, 0
	for path, operations := range now.Paths {
		for method := range operations {
			total++
			if released.Paths[path][method] != nil {
				compared++
			}
		}
	}
	if compared*10 < total*8 {
		t.Errorf("the baseline holds %d of %d operations; renew it with GRANTWRIGHT_RENEW_BASELINE=1", compared, total)
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}
