package resource

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOfSeveralValuesThePrimaryOneComesFirst(t *testing.T) {
	mails := []any{
		map[string]any{"value": "home@x.test", "type": "home"}, map[string]any{"value": "work@x.test", "type": "Work"},
		map[string]any{"value": "old@x.test"}, map[string]any{"value": "main@x.test", "primary": true},
	}
	out, _ := Flatten(Record{"emails": mails, "phoneNumbers": mails[:2]})
	want := map[string]any{
		"emails.value":       []any{"main@x.test", "work@x.test", "home@x.test", "old@x.test"},
		"phoneNumbers.value": []any{"work@x.test", "home@x.test"},
	}
	got := map[string]any{"emails.value": out["emails.value"], "phoneNumbers.value": out["phoneNumbers.value"]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bare values (-want +got):\n%s", diff)
	}
	if first := out["emails"].([]any)[0].(map[string]any)["value"]; first != "home@x.test" {
		t.Errorf("the list itself is in the source's order; it begins with %v", first)
	}
}
