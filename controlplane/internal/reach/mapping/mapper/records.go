package mapper

import (
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// slot is a member of a record that a mapping can fill.
type slot struct {
	// set fills the member, or says why it cannot; clear empties it.
	set   func(value any) *Problem
	clear func()
}

// fill fills the members of a record, in place. The connector's own values stand where no rule is about them.
func (p *plan) fill(record map[string]any, slots map[mapping.Field]slot) (custom map[string]any, problems []Problem) {
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
	p := m.plans[mapping.ObjectAccount]
	if p == nil {
		return nil, nil
	}
	slots := map[mapping.Field]slot{
		mapping.Email: optional(
			mapping.Email,
			&r.Email,
			asEmail,
		),
		mapping.IsDisabled: optional(mapping.IsDisabled, &r.IsDisabled, asDisabled),
	}
	for f, to := range map[mapping.Field]**string{
		mapping.Username: &r.Username, mapping.DisplayName: &r.DisplayName, mapping.FirstName: &r.FirstName,
		mapping.LastName:       &r.LastName,
		mapping.EmployeeNumber: &r.EmployeeNumber,
	} {
		slots[f] = optional(f, to, asText)
	}
	return p.fill(r.Attributes, slots)
}

// Entitlement fills the fields of an entitlement as Account does those of an account.
func (m *Mapper) Entitlement(r *v1.RemoteEntitlement) (custom map[string]any, problems []Problem) {
	p := m.plans[mapping.ObjectEntitlement]
	if p == nil {
		return nil, nil
	}
	slots := map[mapping.Field]slot{
		mapping.Name: optional(
			mapping.Name,
			&r.Name,
			asText,
		),
		mapping.DisplayName: optional(mapping.DisplayName, &r.DisplayName, asText),
		mapping.Description: optional(
			mapping.Description,
			&r.Description,
			asText,
		),
		mapping.Kind:           plain(mapping.Kind, &r.Kind, asKind),
		mapping.ExclusionGroup: plain(mapping.ExclusionGroup, &r.ExclusionGroup, asText),
		mapping.MaxMembers:     optional(mapping.MaxMembers, &r.MaxMembers, asCount),
		mapping.ResourceID: ofResource(
			mapping.ResourceID,
			&r.Resource,
			func(x *v1.Resource) *string { return &x.ExternalID },
		),
		mapping.ResourceName: ofResource(
			mapping.ResourceName,
			&r.Resource,
			func(x *v1.Resource) *string { return &x.DisplayName },
		),
		mapping.ResourceType: ofResource(
			mapping.ResourceType,
			&r.Resource,
			func(x *v1.Resource) *string { return &x.Type },
		),
	}
	for f, to := range map[mapping.Field]**bool{
		mapping.Privileged: &r.Privileged, mapping.Requestable: &r.Requestable, mapping.Grantable: &r.Grantable,
		mapping.Revocable: &r.Revocable,
	} {
		slots[f] = optional(f, to, asTruth)
	}
	return p.fill(r.Attributes, slots)
}

// Grant fills the fields of a grant as Account does those of an account.
func (m *Mapper) Grant(r *v1.RemoteGrant) (custom map[string]any, problems []Problem) {
	p := m.plans[mapping.ObjectGrant]
	if p == nil {
		return nil, nil
	}
	return p.fill(r.Attributes, map[mapping.Field]slot{
		mapping.StartsAt: optional(
			mapping.StartsAt,
			&r.StartsAt,
			asBegin,
		),
		mapping.ExpiresAt: optional(mapping.ExpiresAt, &r.ExpiresAt, asEnd),
		mapping.GrantedAt: optional(
			mapping.GrantedAt,
			&r.GrantedAt,
			asBegin,
		),
		mapping.LastUsedAt: optional(mapping.LastUsedAt, &r.LastUsedAt, asBegin),
		mapping.AssignedBy: plain(
			mapping.AssignedBy,
			&r.AssignedBy,
			asText,
		),
		mapping.Immutable: optional(mapping.Immutable, &r.Immutable, asTruth),
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
func optional[T any](f mapping.Field, to **T, read reading[T]) slot {
	return slot{clear: func() { *to = nil }, set: func(value any) *Problem {
		v, problem := read(f, value)
		if problem == nil {
			*to = &v
		}
		return problem
	}}
}

// plain is the slot of a text member, read by read.
func plain(f mapping.Field, to *string, read reading[string]) slot {
	return slot{clear: func() { *to = "" }, set: func(value any) *Problem {
		v, problem := read(f, value)
		if problem == nil {
			*to = v
		}
		return problem
	}}
}

// ofResource is a member of an entitlement's resource, which is absent when all of its members are.
func ofResource(f mapping.Field, to **v1.Resource, member func(*v1.Resource) *string) slot {
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
