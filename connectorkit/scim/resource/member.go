package resource

import (
	"encoding/json"
	"strconv"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// DeclaredMembers returns the number of members that a group declares, which has no standard name; 0 if it declares
// none.
func DeclaredMembers(rec Record) int {
	for name, v := range rec {
		if strings.HasPrefix(strings.ToLower(name), "urn:") {
			if inner, ok := v.(map[string]any); ok {
				if n := DeclaredMembers(inner); n > 0 {
					return n
				}
			}
		}
		switch strings.ToLower(name) {
		case "membercount", "memberscount", "members_count", "totalmembers":
			return ParseCount(TextOf(v))
		}
	}
	return 0
}

// Member is one entry of members (RFC 7643 section 4.2).
type Member struct {
	Value json.RawMessage `json:"value"`
	Ref   string          `json:"$ref"`
	Type  string          `json:"type"`
}

// Grant returns the membership as a grant of the group: held by a user, by a group inside the group, or by a record of
// either kind. ok is false for a member without a usable id.
func (m Member) Grant(group string) (v1.RemoteGrant, bool) {
	value := m.value()
	if value == "" {
		value = IDOfURI(m.Ref)
	}
	if InvalidID(value) != "" {
		return v1.RemoteGrant{}, false
	}
	grant := v1.RemoteGrant{EntitlementExternalID: group}
	ref := strings.ToLower(m.Ref)
	switch kind := strings.ToLower(m.Type); {
	case kind == "group", kind != "user" && strings.Contains(ref, "groups/"):
		grant.PrincipalEntitlementExternalID = &value
	case kind == "user", strings.Contains(ref, "users/"):
		grant.AccountExternalID = &value
	default:
		grant.PrincipalRef = &v1.Ref{Kind: v1.RefExternalID, Value: value}
	}
	return grant, true
}

// value is the member's id; some targets send numbers.
func (m Member) value() string {
	var text string
	if json.Unmarshal(m.Value, &text) == nil {
		return text
	}
	var n json.Number
	if json.Unmarshal(m.Value, &n) == nil {
		return n.String()
	}
	return ""
}

// Principal returns the id of the holder of a grant, by whichever member names it: one list may give a type where
// another does not.
func Principal(g v1.RemoteGrant) string {
	switch {
	case g.AccountExternalID != nil:
		return *g.AccountExternalID
	case g.PrincipalEntitlementExternalID != nil:
		return *g.PrincipalEntitlementExternalID
	}
	return g.PrincipalRef.Value
}

// ParseCount reads a number; 0 for a negative one and for text.
func ParseCount(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
