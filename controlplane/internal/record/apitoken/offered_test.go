package apitoken

import "testing"

// A scope that opens nothing is a promise without a product behind it.
func TestNoScopeIsOfferedForWhatDoesNotExist(t *testing.T) {
	for _, s := range Scopes(nil) {
		switch s.Scope {
		case "role-mining:read",
			"role-mining:write",
			"certifications:read",
			"certifications:write",
			"poc:read",
			"poc:write":
			t.Errorf("the scope %s is offered, and no operation needs it", s.Scope)
		}
	}
}
