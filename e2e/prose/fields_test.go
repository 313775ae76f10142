package prose

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

const fieldsFile = "../../controlplane/internal/front/apidocs/fields.json"

// TestDescriptionsOfFieldsAreTheirComments holds the embedded descriptions against the comments in the source.
// `make descriptions` renews them.
func TestDescriptionsOfFieldsAreTheirComments(t *testing.T) {
	texts, err := FieldTexts("../..")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(texts); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GRANTWRIGHT_RENEW_DESCRIPTIONS") != "" {
		if err := os.WriteFile(fieldsFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(fieldsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("the comments of fields have changed: run `make descriptions`")
	}
}
