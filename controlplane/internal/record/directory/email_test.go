package directory_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// TestAnAddressIsNeededOfHumansAsTheReferenceSays and of nothing else.
func TestAnAddressIsNeededOfHumansAsTheReferenceSays(t *testing.T) {
	field, _ := reflect.TypeFor[identity.IdentityFields]().FieldByName("Email")
	file, err := os.ReadFile("../../front/apidocs/fields.json")
	if err != nil {
		t.Fatal(err)
	}
	var descriptions map[string]string
	if err := json.Unmarshal(file, &descriptions); err != nil {
		t.Fatal(err)
	}
	about := descriptions["controlplane/internal/record/directory/identity.IdentityFields.Email"]
	if !strings.Contains(about, "Required of humans when they are created by the API or an import") ||
		field.Tag.Get("required") != "false" {
		t.Errorf("the reference says of email: %s (required %s)", about, field.Tag.Get("required"))
	}
	h := open(t)
	body := map[string]any{"external_id": "E1", "first_name": "Ann", "last_name": "Lee"}
	refused := h.Refused(422, "validation_failed", "admin", "POST", "/identities", body)
	if first := refused.Body["errors"].([]any)[0].(map[string]any); first["pointer"] != "#/email" ||
		first["code"] != "required" {
		t.Errorf("without an address: %v", first)
	}
	body["kind"], body["display_name"] = "non_human", "Backup"
	body["sponsor_id"], body["backup_owner_id"] = h.Person("bob", ""), h.Person("cid", "")
	h.Must(201, "admin", "POST", "/identities", body)
}
