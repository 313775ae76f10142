package display

import (
	"cmp"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Account is an account as the preview shows it.
func Account(r *v1.RemoteAccount, custom map[string]any) map[string]any {
	out := map[string]any{}
	putTexts(out, map[mapping.Field]*string{
		mapping.Email:          r.Email,
		mapping.Username:       r.Username,
		mapping.DisplayName:    r.DisplayName,
		mapping.FirstName:      r.FirstName,
		mapping.LastName:       r.LastName,
		mapping.EmployeeNumber: r.EmployeeNumber,
	})
	if r.IsDisabled != nil {
		out[string(mapping.IsDisabled)] = *r.IsDisabled
	}
	return withAttributes(out, custom)
}

// Entitlement is an entitlement as the preview shows it.
func Entitlement(r *v1.RemoteEntitlement, custom map[string]any) map[string]any {
	out := map[string]any{}
	putTexts(out, map[mapping.Field]*string{
		mapping.Name:           r.Name,
		mapping.DisplayName:    r.DisplayName,
		mapping.Description:    r.Description,
		mapping.Kind:           &r.Kind,
		mapping.ExclusionGroup: &r.ExclusionGroup,
	})
	resource := cmp.Or(r.Resource, &v1.Resource{})
	putTexts(out, map[mapping.Field]*string{
		mapping.ResourceID:   &resource.ExternalID,
		mapping.ResourceName: &resource.DisplayName,
		mapping.ResourceType: &resource.Type,
	})
	for f, v := range map[mapping.Field]*bool{
		mapping.Privileged: r.Privileged, mapping.Requestable: r.Requestable, mapping.Grantable: r.Grantable,
		mapping.Revocable: r.Revocable,
	} {
		if v != nil {
			out[string(f)] = *v
		}
	}
	if r.MaxMembers != nil {
		out[string(mapping.MaxMembers)] = *r.MaxMembers
	}
	return withAttributes(out, custom)
}

// Grant is a grant as the preview shows it.
func Grant(r *v1.RemoteGrant, custom map[string]any) map[string]any {
	out := map[string]any{}
	putTexts(out, map[mapping.Field]*string{mapping.AssignedBy: &r.AssignedBy})
	for f, v := range map[mapping.Field]*time.Time{
		mapping.StartsAt: r.StartsAt, mapping.ExpiresAt: r.ExpiresAt, mapping.GrantedAt: r.GrantedAt,
		mapping.LastUsedAt: r.LastUsedAt,
	} {
		if v != nil {
			out[string(f)] = v.UTC().Format(time.RFC3339)
		}
	}
	if r.Immutable != nil {
		out[string(mapping.Immutable)] = *r.Immutable
	}
	return withAttributes(out, custom)
}

// putTexts adds the texts that are there to what a preview shows.
func putTexts(out map[string]any, texts map[mapping.Field]*string) {
	for f, v := range texts {
		if v != nil && *v != "" {
			out[string(f)] = *v
		}
	}
}

// withAttributes adds custom attributes to what a preview shows.
func withAttributes(out, custom map[string]any) map[string]any {
	if custom != nil {
		out["attributes"] = custom
	}
	return out
}
