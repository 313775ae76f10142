package member

import (
	"context"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

type membersIn struct {
	// ID of the role.
	ID string `path:"id"`
	httpapi.Paging
	MemberFilters
}

// members is GET …/members, by display name.
func (s *Service) members(ctx context.Context, v viewer.Viewer, in *membersIn) (*httpapi.ListOut[RoleMember], error) {
	walk, err := s.Cursors.Walk(v, "role-members", in.Paging, []any{in.ID, in.MemberFilters})
	if err != nil {
		return nil, err
	}
	items, total, err := s.Members(ctx, v, in.ID, in.MemberFilters, walk.Page)
	return httpapi.Out(
		walk,
		items,
		total,
		func(m RoleMember) []string { return []string{m.Display, m.IdentityID} },
	), err
}

type roleMemberIn struct {
	// ID of the role.
	ID   string `path:"id"`
	Body NewMember
}

// give is POST …/members.
func (s *Service) give(ctx context.Context, v viewer.Viewer, in *roleMemberIn) (*httpapi.Created[RoleMember], error) {
	made, err := s.Give(ctx, v, in.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[RoleMember]{
		Location: httpapi.Prefix + "/entitlements/roles/" + in.ID + "/members",
		Body:     made,
	}, nil
}

type roleMemberEndIn struct {
	// ID of the role.
	ID string `path:"id"`
	// ID of the member's identity.
	IdentityID string `path:"identity_id"`
	Body       struct {
		// Null: no end.
		EndsAt *time.Time `json:"ends_at" required:"true"`
	}
}

// limit is PATCH of a member: the end of an assignment.
func (s *Service) limit(ctx context.Context, v viewer.Viewer, in *roleMemberEndIn) (*httpapi.One[RoleMember], error) {
	m, err := s.Limit(ctx, v, in.ID, in.IdentityID, in.Body.EndsAt)
	return &httpapi.One[RoleMember]{Body: m}, err
}

type takeIn struct {
	// ID of the role.
	ID string `path:"id"`
	// ID of the member's identity.
	IdentityID string `path:"identity_id"`
	// Why, for their history.
	Reason string `query:"reason" maxLength:"1000"`
}

// take is DELETE of a member.
func (s *Service) take(ctx context.Context, v viewer.Viewer, in *takeIn) (*httpapi.None, error) {
	return nil, s.Take(ctx, v, in.ID, in.IdentityID, in.Reason)
}

type heldIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.Paging
}

// held is GET of the roles that a person has.
func (s *Service) held(ctx context.Context, v viewer.Viewer, in *heldIn) (*httpapi.ListOut[HeldRole], error) {
	walk, err := s.Cursors.Walk(v, "roles-held", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Held(ctx, v, in.ID, walk.Page)
	return httpapi.Out(walk, items, total, func(h HeldRole) []string { return []string{h.Name, h.RoleID} }), err
}

// Service lists who has roles, and assigns and unassigns them. It needs all fields.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

const (
	aboutMembers = "Everybody who has the role, by every way: its rule, a policy that names it, by hand, by " +
		"request. Administrators and auditors, and the owners of the role."
	aboutGive = "Assigns the role directly, from starts_at until ends_at. Administrators may assign it, and " +
		"owners of the role to people other than themselves."
	aboutTake = "Ends direct assignments and those by request. A person who has the role by its rule would get it " +
		"again: 409 member_by_rule."
	aboutHeld = "Members by rule, policy, direct assignment or request, with the end date and how much of the role " +
		"the target systems have shown."
)

// Routes are the members of a role, and the roles of a person.
func (s *Service) Routes() []httpapi.Route {
	const base = "/entitlements/roles"
	return []httpapi.Route{
		httpapi.Handle("GET", base+"/{id}/members", "List the members of a role", s.members).Describe(aboutMembers),
		httpapi.Handle("POST", base+"/{id}/members", "Assign a role", s.give).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutGive),
		httpapi.Handle("PATCH", base+"/{id}/members/{identity_id}", "Update the end of a role assignment", s.limit).
			Errors(409),
		httpapi.Handle("DELETE", base+"/{id}/members/{identity_id}", "Unassign a role", s.take).
			Status(http.StatusNoContent).
			Errors(409).
			Describe(aboutTake),
		httpapi.Handle("GET", "/identities/{id}/roles", "List the roles of an identity", s.held).Describe(aboutHeld),
	}
}
