package directory_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// TestAnAddressIsNeededOfHumansAsTheReferenceSays and of nothing else.
func TestAnAddressIsNeededOfHumansAsTheReferenceSays(t *testing.T) {
	field, _ := reflect.TypeFor[identity.IdentityFields]().FieldByName("Email")
	if doc := field.Tag.Get(
		"doc",
	); !strings.Contains(doc, "Required of humans when they are created by the API or an import") ||
		field.Tag.Get("required") != "false" {
		t.Errorf("the reference says of email: %s (required %s)", doc, field.Tag.Get("required"))
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
