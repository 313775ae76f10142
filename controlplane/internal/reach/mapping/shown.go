package mapping

import (
	"cmp"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// shownAccount is an account as the preview shows it.
func shownAccount(r *v1.RemoteAccount, custom map[string]any) map[string]any {
	out := map[string]any{}
	putTexts(out, map[Field]*string{
		Email: r.Email, Username: r.Username, DisplayName: r.DisplayName, FirstName: r.FirstName, LastName: r.LastName,
		EmployeeNumber: r.EmployeeNumber,
	})
	if r.IsDisabled != nil {
		out[string(IsDisabled)] = *r.IsDisabled
	}
	return withAttributes(out, custom)
}

// shownEntitlement is an entitlement as the preview shows it.
func shownEntitlement(r *v1.RemoteEntitlement, custom map[string]any) map[string]any {
	out := map[string]any{}
	putTexts(out, map[Field]*string{
		Name: r.Name, DisplayName: r.DisplayName, Description: r.Description, Kind: &r.Kind,
		ExclusionGroup: &r.ExclusionGroup,
	})
	resource := cmp.Or(r.Resource, &v1.Resource{})
	putTexts(out, map[Field]*string{
		ResourceID: &resource.ExternalID, ResourceName: &resource.DisplayName, ResourceType: &resource.Type,
	})
	for f, v := range map[Field]*bool{
		Privileged: r.Privileged, Requestable: r.Requestable, Grantable: r.Grantable, Revocable: r.Revocable,
	} {
		if v != nil {
			out[string(f)] = *v
		}
	}
	if r.MaxMembers != nil {
		out[string(MaxMembers)] = *r.MaxMembers
	}
	return withAttributes(out, custom)
}

// shownGrant is a grant as the preview shows it.
func shownGrant(r *v1.RemoteGrant, custom map[string]any) map[string]any {
	out := map[string]any{}
	putTexts(out, map[Field]*string{AssignedBy: &r.AssignedBy})
	for f, v := range map[Field]*time.Time{
		StartsAt: r.StartsAt, ExpiresAt: r.ExpiresAt, GrantedAt: r.GrantedAt, LastUsedAt: r.LastUsedAt,
	} {
		if v != nil {
			out[string(f)] = v.UTC().Format(time.RFC3339)
		}
	}
	if r.Immutable != nil {
		out[string(Immutable)] = *r.Immutable
	}
	return withAttributes(out, custom)
}

func putTexts(out map[string]any, texts map[Field]*string) {
	for f, v := range texts {
		if v != nil && *v != "" {
			out[string(f)] = *v
		}
	}
}

func withAttributes(out, custom map[string]any) map[string]any {
	if custom != nil {
		out["attributes"] = custom
	}
	return out
}
