package accessrequest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/payload"
)

// serverOwned are the members of a request that only the service sets, beyond those of every resource; and those of one
// of its things.
var (
	serverOwned = []string{
		"number",
		"requested_for",
		"requested_by",
		"items",
		"reason_code",
		"preview",
		"expires_at",
		"submitted_at",
		"approved_at",
		"rejected_at",
		"fulfilled_at",
		"closed_at",
		"comments",
		"risk",
		"sla",
		"webhook_correlation_id",
		"allowed",
	}
	serverOwnedOfThings = []string{
		"id",
		"tenant_id",
		"status",
		"version",
		"created_at",
		"updated_at",
		"created_by",
		"display",
		"rule",
		"stages",
		"decision",
		"decision_code",
		"decision_reason",
		"decided_at",
		"decided_by",
		"provisioning",
		"grant_ids",
		"target_item_id",
		"review",
		"limits_applied",
		"risk_level",
		"privileged",
	}
)

// CheckMembers refuses members that only the service sets, and returns the names of unknown ones. at is the place of
// the request in the body.
func CheckMembers(raw []byte, at string) (ignored []string, err error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, fault.Coded(fault.Malformed, "malformed_json", "a request must be a JSON object")
	}
	if err := owned(members, serverOwned, at); err != nil {
		return nil, err
	}
	prefix := strings.TrimPrefix(strings.TrimPrefix(at, "#"), "/")
	ignored = unknown(raw, NewAccessRequest{}, prefix)
	var things []json.RawMessage
	if json.Unmarshal(members["requested_resources"], &things) != nil {
		return ignored, nil
	}
	for i, thing := range things {
		var inner map[string]json.RawMessage
		if json.Unmarshal(thing, &inner) != nil {
			continue
		}
		place := fmt.Sprintf("%s/requested_resources/%d", at, i)
		if err := owned(inner, serverOwnedOfThings, place); err != nil {
			return nil, err
		}
		ignored = append(
			ignored,
			unknown(thing, RequestedResource{}, strings.TrimPrefix(strings.TrimPrefix(place, "#"), "/"))...)
	}
	return ignored, nil
}

// owned refuses members that the service sets itself, in any case of letters.
func owned(members map[string]json.RawMessage, names []string, at string) error {
	for name := range members {
		if slices.Contains(names, strings.ToLower(name)) {
			return fault.Coded(fault.Invalid, "read_only_field", "%s is set by the service", name).
				With(fault.Field{Pointer: at + "/" + name, Code: "read_only_field", Detail: "leave it out"})
		}
	}
	return nil
}

// unknown are the members that a type does not have, each with the path to it.
func unknown(raw []byte, of any, prefix string) []string {
	text := payload.Ignored(raw, of)
	if text == "" {
		return nil
	}
	var names []string
	if json.Unmarshal([]byte("["+text+"]"), &names) != nil {
		return []string{text}
	}
	for i, name := range names {
		if prefix != "" {
			name = prefix + "/" + name
		}
		names[i] = fmt.Sprintf("%q", name)
	}
	return names
}
