package mapping

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// slot is a member of a record that a mapping can fill.
type slot struct {
	set   func(value any) *Problem
	clear func()
}

// fill fills the members of a record, in place. The connector's own values stand where no rule is about them.
func (p *plan) fill(record map[string]any, slots map[Field]slot) (custom map[string]any, problems []Problem) {
	for f := range p.suppressed {
		if s, ok := slots[f]; ok {
			s.clear()
		}
	}
	problems = p.apply(record, func(s step, v any) *Problem {
		if s.custom != "" {
			return putCustom(&custom, s.custom, v)
		}
		return slots[s.target].set(v)
	})
	return custom, problems
}

// Account fills the fields of an account by the rules of a person, where there are any, in place. What comes back are
// the problems, as with Person; custom are the custom attributes.
func (m *Mapper) Account(r *v1.RemoteAccount) (custom map[string]any, problems []Problem) {
	p := m.plans[ObjectAccount]
	if p == nil {
		return nil, nil
	}
	slots := map[Field]slot{
		Email: optional(Email, &r.Email, asEmail), IsDisabled: optional(IsDisabled, &r.IsDisabled, asDisabled),
	}
	for f, to := range map[Field]**string{
		Username: &r.Username, DisplayName: &r.DisplayName, FirstName: &r.FirstName, LastName: &r.LastName,
		EmployeeNumber: &r.EmployeeNumber,
	} {
		slots[f] = optional(f, to, asText)
	}
	return p.fill(r.Attributes, slots)
}

// Entitlement fills the fields of an entitlement as Account does those of an account.
func (m *Mapper) Entitlement(r *v1.RemoteEntitlement) (custom map[string]any, problems []Problem) {
	p := m.plans[ObjectEntitlement]
	if p == nil {
		return nil, nil
	}
	slots := map[Field]slot{
		Name: optional(Name, &r.Name, asText), DisplayName: optional(DisplayName, &r.DisplayName, asText),
		Description: optional(Description, &r.Description, asText), Kind: plain(Kind, &r.Kind, asKind),
		ExclusionGroup: plain(ExclusionGroup, &r.ExclusionGroup, asText),
		MaxMembers:     optional(MaxMembers, &r.MaxMembers, asCount),
		ResourceID:     ofResource(ResourceID, &r.Resource, func(x *v1.Resource) *string { return &x.ExternalID }),
		ResourceName:   ofResource(ResourceName, &r.Resource, func(x *v1.Resource) *string { return &x.DisplayName }),
		ResourceType:   ofResource(ResourceType, &r.Resource, func(x *v1.Resource) *string { return &x.Type }),
	}
	for f, to := range map[Field]**bool{
		Privileged: &r.Privileged, Requestable: &r.Requestable, Grantable: &r.Grantable, Revocable: &r.Revocable,
	} {
		slots[f] = optional(f, to, asTruth)
	}
	return p.fill(r.Attributes, slots)
}

// Grant fills the fields of a grant as Account does those of an account.
func (m *Mapper) Grant(r *v1.RemoteGrant) (custom map[string]any, problems []Problem) {
	p := m.plans[ObjectGrant]
	if p == nil {
		return nil, nil
	}
	return p.fill(r.Attributes, map[Field]slot{
		StartsAt: optional(StartsAt, &r.StartsAt, asBegin), ExpiresAt: optional(ExpiresAt, &r.ExpiresAt, asEnd),
		GrantedAt: optional(GrantedAt, &r.GrantedAt, asBegin), LastUsedAt: optional(LastUsedAt, &r.LastUsedAt, asBegin),
		AssignedBy: plain(AssignedBy, &r.AssignedBy, asText), Immutable: optional(Immutable, &r.Immutable, asTruth),
	})
}

// GrantName names a grant for a person: by its own key, or else by who holds what.
func GrantName(r *v1.RemoteGrant) string {
	if r.ExternalID != "" {
		return r.ExternalID
	}
	holder := ""
	switch {
	case r.AccountExternalID != nil:
		holder = *r.AccountExternalID
	case r.PrincipalEntitlementExternalID != nil:
		holder = *r.PrincipalEntitlementExternalID
	case r.PrincipalRef != nil:
		holder = r.PrincipalRef.Value
	}
	return holder + " → " + r.EntitlementExternalID
}

// optional is a member that may be absent. It never writes through the pointer, which records may share.
func optional[T any](f Field, to **T, read reading[T]) slot {
	return slot{clear: func() { *to = nil }, set: func(value any) *Problem {
		v, problem := read(f, value)
		if problem == nil {
			*to = &v
		}
		return problem
	}}
}

func plain(f Field, to *string, read reading[string]) slot {
	return slot{clear: func() { *to = "" }, set: func(value any) *Problem {
		v, problem := read(f, value)
		if problem == nil {
			*to = v
		}
		return problem
	}}
}

// ofResource is a member of an entitlement's resource, which is absent when all of its members are.
func ofResource(f Field, to **v1.Resource, member func(*v1.Resource) *string) slot {
	put := func(v string) {
		var next v1.Resource
		if *to != nil {
			next = **to
		}
		*member(&next) = v
		if *to = &next; next == (v1.Resource{}) {
			*to = nil
		}
	}
	return slot{clear: func() { put("") }, set: func(value any) *Problem {
		v, problem := asText(f, value)
		if problem == nil {
			put(v)
		}
		return problem
	}}
}
