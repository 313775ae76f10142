package role_test

import (
	"fmt"
	"testing"
)

// TestOwnersAddTagsAndRemoveNone since approval rules and policies may depend on them.
func TestOwnersAddTagsAndRemoveNone(t *testing.T) {
	h := house(t)
	ann := h.Person("ann", "")
	h.Let("owner", h.Tenant.Tenant, ann)
	made := h.Must(
		201,
		"admin",
		"POST",
		roles,
		map[string]any{
			"name":            "Pay",
			"owner_ids":       []string{ann},
			"compliance_tags": []string{"sox"},
			"duty_tags":       []string{"pay"},
			"labels":          map[string]string{"site": "hq"},
		},
	)
	path := roles + "/" + made.Text("id")
	for _, tt := range []struct {
		body    map[string]any
		pointer string // where it is refused; empty: it is not
	}{
		{map[string]any{"compliance_tags": []string{}}, "#/compliance_tags"},
		{map[string]any{"compliance_tags": nil}, "#/compliance_tags"},
		{map[string]any{"compliance_tags": []string{"gdpr"}}, "#/compliance_tags"},
		{map[string]any{"duty_tags": []string{"vendor"}}, "#/duty_tags"},
		{map[string]any{"labels": map[string]any{"site": nil}}, "#/labels"},
		{map[string]any{"labels": map[string]any{"site": "ny"}}, "#/labels"},
		{map[string]any{"labels": nil}, "#/labels"},
		{map[string]any{"compliance_tags": []string{"sox", "gdpr"}, "duty_tags": []string{"vendor", "pay"},
			"labels": map[string]any{"tag": "x"}}, ""},
	} {
		if tt.pointer == "" {
			h.Must(200, "owner", "PATCH", path, tt.body)
			continue
		}
		refused := h.Refused(403, "tags_only_added", "owner", "PATCH", path, tt.body)
		if first := refused.Body["errors"].([]any)[0].(map[string]any); first["pointer"] != tt.pointer {
			t.Errorf("%v is refused at %v; want %s", tt.body, first["pointer"], tt.pointer)
		}
	}
	got := h.Must(200, "owner", "GET", path, nil).Body
	if said := fmt.Sprint(
		got["compliance_tags"],
		got["duty_tags"],
		got["labels"],
	); said != "[gdpr sox] [pay vendor] map[site:hq tag:x]" {
		t.Errorf("the role has %s", said)
	}
	h.Must(
		200,
		"admin",
		"PATCH",
		path,
		map[string]any{"compliance_tags": []string{}, "duty_tags": []string{}, "labels": map[string]any{"site": nil}},
	)
}
