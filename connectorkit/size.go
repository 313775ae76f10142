package connectorkit

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Rough lengths in bytes of what surrounds values in JSON. A chunk's bound is a target, not a limit, so an estimate
// serves: to encode every record a second time only to measure it costs an eighth of a large read.
const (
	recordOverhead = 160
	memberOverhead = 6
)

// size estimates a record's encoded length in bytes.
func size(record any) int {
	n := recordOverhead
	switch r := record.(type) {
	case *v1.RemoteIdentity:
		n += len(r.ExternalID) + len(r.NativeRef) + values(r.Attributes)
		for _, s := range []*string{r.Email, r.Username, r.DisplayName, r.FirstName, r.LastName, r.Department, r.Title,
			r.ManagerExternalID} {
			n += text(s)
		}
		if r.ManagerRef != nil {
			n += len(r.ManagerRef.Value)
		}
	case *v1.RemoteAccount:
		n += len(r.ExternalID) + len(r.NativeRef) + len(r.NativeIdentity) + values(r.Attributes)
		for _, s := range []*string{r.IdentityExternalID, r.Username, r.Email, r.DisplayName, r.FirstName, r.LastName,
			r.EmployeeNumber} {
			n += text(s)
		}
	case *v1.RemoteEntitlement:
		n += len(r.ExternalID) + len(r.NativeRef) + len(r.NativeIdentity) + text(
			r.Name,
		) + text(r.DisplayName) + text(r.Description) + values(r.Attributes)
	case *v1.RemoteGrant:
		n += len(r.ExternalID) + len(r.EntitlementExternalID) + text(r.AccountExternalID) + text(
			r.PrincipalEntitlementExternalID,
		) + values(r.Attributes)
		if r.PrincipalRef != nil {
			n += len(r.PrincipalRef.Value)
		}
	}
	return n
}

func text(s *string) int {
	if s == nil {
		return 0
	}
	return len(*s) + 2*memberOverhead
}

func values(m map[string]any) int {
	n := 0
	for name, v := range m {
		n += len(name) + memberOverhead + value(v)
	}
	return n
}

func value(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + memberOverhead
	case []any:
		n := memberOverhead
		for _, e := range v {
			n += value(e)
		}
		return n
	case []string:
		n := memberOverhead
		for _, e := range v {
			n += len(e) + memberOverhead
		}
		return n
	case map[string]any:
		return memberOverhead + values(v)
	}
	return 8
}
