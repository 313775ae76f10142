package rolemodel

import (
	"context"
	"net/http"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/member"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/rolefile"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// base is the path of roles.
const base = "/entitlements/roles"

const (
	aboutPublish = "A draft role, or the draft of an active role, takes effect. dry_run returns who would gain and " +
		"lose access, computed like the real change. If more than 10 % of the " +
		"people gain or lose access, the response is 409 confirmation_required with the impact: send the request " +
		"again with confirm, its plan_hash. If the risk is high or critical, before or after, " +
		"its owners and the administrators must approve in the inbox, except the publisher; the state is then proposed."
	aboutPropose = "Asks the owners of the role and the administrators, except the proposer, whether to publish the " +
		"role or its draft. An approval publishes it; a rejection leaves it unchanged."
	aboutDeprecate = "Members keep the role and its access; it cannot be assigned to others. To activate it again, " +
		"publish it."
	aboutRetire = "The role stops granting access: all reasons and assignments that depend on it end. Large changes " +
		"are confirmed like a publication. The role keeps its key and its history."
)

// Routes are what is done with roles, under /entitlements/roles, and the roles of a person.
func (s *Service) Routes() []httpapi.Route {
	drafts := &draft.Service{DB: s.DB, Cursors: s.Cursors, Roles: s.Roles}
	members := &member.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}
	files := &rolefile.Service{DB: s.DB, Roles: s.Roles, Plan: s.Policies.PlanRoles}
	own := []httpapi.Route{
		httpapi.Handle("POST", base+"/{id}/publish", "Publish a role", s.publishOne).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			LongRunning().
			Describe(aboutPublish),
		httpapi.Handle("POST", base+"/{id}/propose", "Submit a role for approval", s.propose).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			LongRunning().
			Describe(aboutPropose),
		httpapi.Handle("POST", base+"/{id}/withdraw", "Withdraw a role from approval", s.withdraw).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412),
		httpapi.Handle("POST", base+"/{id}/deprecate", "Deprecate a role", s.deprecate).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutDeprecate),
		httpapi.Handle("POST", base+"/{id}/retire", "Retire a role", s.retire).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			LongRunning().
			Describe(aboutRetire),
	}
	return slices.Concat(files.Routes(), drafts.Routes(), own, members.Routes())
}

type matchIn struct {
	// ID of the role.
	ID string `path:"id"`
	httpapi.IfMatch
}

// shown is the response with a role and its version as ETag.
func shown(r role.Role, err error) (*httpapi.One[role.Role], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[role.Role]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}

type publishIn struct {
	// ID of the role.
	ID string `path:"id"`
	httpapi.IfMatch
	// Tell what would come of it, and do nothing.
	DryRun bool `query:"dry_run"`
	// The plan_hash of the impact that you have seen.
	Confirm string `query:"confirm" maxLength:"64"`
}

// published is the response with a publication.
func published(p RolePublication, err error) (*httpapi.One[RolePublication], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[RolePublication]{ETag: httpapi.ETag(p.Role.Version), Body: p}, nil
}

// publishOne is POST …/publish.
func (s *Service) publishOne(
	ctx context.Context,
	v viewer.Viewer,
	in *publishIn,
) (*httpapi.One[RolePublication], error) {
	return published(s.Publish(ctx, v, in.ID, in.IfMatch, in.Confirm, in.DryRun))
}

// propose is POST …/propose.
func (s *Service) propose(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[RolePublication], error) {
	return published(s.Propose(ctx, v, in.ID, in.IfMatch))
}

// withdraw is POST …/withdraw.
func (s *Service) withdraw(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[role.Role], error) {
	return shown(s.Withdraw(ctx, v, in.ID, in.IfMatch))
}

// deprecate is POST …/deprecate.
func (s *Service) deprecate(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[role.Role], error) {
	return shown(s.Deprecate(ctx, v, in.ID, in.IfMatch))
}

// retire is POST …/retire.
func (s *Service) retire(ctx context.Context, v viewer.Viewer, in *publishIn) (*httpapi.One[RolePublication], error) {
	return published(s.Retire(ctx, v, in.ID, in.IfMatch, in.Confirm, in.DryRun))
}
