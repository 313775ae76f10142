package resource

import (
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// HasRight reports whether a user has a right in its roles or entitlements.
func HasRight(rec Record, right string) bool {
	rights, _ := Rights(rec)
	return slices.ContainsFunc(rights, func(e v1.RemoteEntitlement) bool { return e.ExternalID == right })
}

// rightPrefixes are how the reader begins the ids of rights that users carry themselves, with the attribute that holds
// them.
var rightPrefixes = map[string]string{"role:": "roles", "entitlement:": "entitlements"}

// RightAttribute returns the attribute of a user that holds a right, and the rest of the id; both empty if the
// entitlement is a group.
func RightAttribute(id string) (attribute, rest string) {
	for prefix, attribute := range rightPrefixes {
		if rest, ok := strings.CutPrefix(id, prefix); ok && rest != "" {
			return attribute, rest
		}
	}
	return "", ""
}

// knownKinds are words of entitlements[].type that name a kind of entitlement.
var knownKinds = map[string]string{
	"role": "role", "license": "license", "licence": "license", "profile": "profile",
	"permission_set": "permission_set", "permissionset": "permission_set", "app_access": "app_access", "group": "group",
}

// Rights returns the roles and entitlements of a User as entitlements, and how many have no value. Their ids begin
// with the name of the attribute, so that they never equal the id of a group.
func Rights(rec Record) (rights []v1.RemoteEntitlement, skipped int) {
	for _, of := range []struct{ attribute, prefix, kind string }{{"roles", "role", "role"},
		{"entitlements", "entitlement", "permission_set"}} {
		for _, item := range rec.Items(of.attribute) {
			value, typ := item.Text("value"), item.Text("type")
			if value == "" {
				value = item.Text("display")
			}
			if value == "" {
				skipped++
				continue
			}
			right := v1.RemoteEntitlement{
				ExternalID:  of.prefix + ":" + value,
				Kind:        of.kind,
				Name:        Optional(value),
				DisplayName: item.OptionalText("display"),
			}
			if typ != "" {
				right.ExternalID = of.prefix + ":" + typ + ":" + value
				right.Attributes = map[string]any{"type": typ, "value": value}
			}
			if known := knownKinds[strings.ToLower(typ)]; known != "" && of.attribute == "entitlements" {
				right.Kind = known
			}
			if right.DisplayName == nil {
				right.DisplayName = Optional(value)
			}
			rights = append(rights, right)
		}
	}
	return rights, skipped
}
