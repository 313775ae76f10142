package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Explain says in words which rows of a stored table give a person a role, or an entitlement if role is empty; empty if
// the table cannot be read. facts are the fields of the person.
//
// Example: "row 12: department is Nursing, and location begins with Be".
func Explain(stored []byte, facts map[string]any, role, entitlement string) string {
	var t DecisionTable
	if json.Unmarshal(stored, &t) != nil {
		return ""
	}
	m, ok := NewMatcher(&t)
	if !ok {
		return ""
	}
	var said []string
	for _, i := range m.Match(facts) {
		if role != "" && slices.Contains(t.Rows[i].RoleIDs, role) ||
			role == "" && slices.Contains(t.Rows[i].EntitlementIDs, entitlement) {
			said = append(said, fmt.Sprintf("row %d: %s", i+1, m.Sentence(i)))
		}
	}
	if len(said) == 0 {
		return "no row of the decision table gives it any more"
	}
	return strings.Join(said, "; ")
}
