package rolemodel

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

const (
	base  = "/entitlements/roles"
	media = "application/yaml"
)

const (
	aboutDraft = "The working copy of an active role. It has no effect until it is published. The first change " +
		"creates it from the current role. Conditions are replaced as a whole."
	aboutPublish = "A draft role, or the draft of an active role, takes effect. dry_run returns who would gain and " +
		"lose access, computed like the real change. If more than 10 % of the " +
		"people gain or lose access, the response is 409 confirmation_required with the impact: send the request " +
		"again with confirm, its plan_hash. If the risk is high or critical, before or after, " +
		"its owners and the administrators must approve in the inbox, except the publisher; the state is then proposed."
	aboutPropose = "Asks the owners of the role and the administrators, but not who proposes it, whether it, or " +
		"its draft, is to be published. Their answer publishes it or leaves it as it was."
	aboutDeprecate = "Members keep the role and its access; it cannot be assigned to others. To activate it again, " +
		"publish it."
	aboutRetire = "The role gives nothing any more: all reasons and assignments that hang on it end. Much is " +
		"confirmed like a publication. It keeps its key and its history."
	aboutMembers = "Everybody who has the role, by every way: its rule, a policy that names it, by hand, by " +
		"request. Administrators and auditors, and the owners of the role."
	aboutGive = "Assigns the role directly, from starts_at until ends_at. Administrators may assign it, and " +
		"owners of the role to people other than themselves."
	aboutTake = "What was decided ends, by hand or by a request. Who has the role by a rule keeps it, and would " +
		"get it again: that is 409 member_by_rule."
	aboutHeld = "By rule, by a policy, by hand or by request; until when, and how much of it the target systems " +
		"were seen to have given."
	aboutExport = "All roles that are not retired, by their keys, as a file that POST …/import reads. The same " +
		"roles make the same file. Entitlements are named by the business id of their connector and " +
		"their external id, people by their external id."
	aboutImport = "Creates or updates the roles in the file, all or none; they are then managed by code. Other roles " +
		"stay. dry_run only reports the changes. Large changes of access are confirmed " +
		"with confirm. Changes to a role of high or critical risk become a draft, and another person must approve " +
		"its publication."
)

// Routes are what is done with roles, under /entitlements/roles, and the roles of a person.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Download("GET", base+"/export", "Export roles", media, s.export).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutExport),
		httpapi.Handle("POST", base+"/import", "Import roles", s.importFile).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Waits().
			Describe(aboutImport),
		httpapi.Handle("GET", base+"/{id}/draft", "Retrieve a role draft", s.draft).Describe(aboutDraft),
		httpapi.Handle("PATCH", base+"/{id}/draft", "Update a role draft", s.patchDraft).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutDraft),
		httpapi.Handle("DELETE", base+"/{id}/draft", "Delete a role draft", s.dropDraft).
			For(viewer.Admin).
			Status(http.StatusNoContent),
		httpapi.Handle("POST", base+"/{id}/publish", "Publish a role", s.publishOne).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Waits().
			Describe(aboutPublish),
		httpapi.Handle("POST", base+"/{id}/propose", "Submit a role for approval", s.propose).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Waits().
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
			Waits().
			Describe(aboutRetire),
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
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of a role", s.versions),
		httpapi.Handle("GET", base+"/{id}/diff", "Compare two versions of a role", s.diff).
			Describe("Without to it is the newest version, without from the one before to."),
		httpapi.Handle("GET", "/identities/{id}/roles", "List the roles of an identity", s.held).Describe(aboutHeld),
	}
}

type idIn struct {
	ID string `path:"id"`
}

type matchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func shown(r role.Role, err error) (*httpapi.One[role.Role], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[role.Role]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}

func shownDraft(d RoleDraft, err error) (*httpapi.One[RoleDraft], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[RoleDraft]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

func (s *Service) draft(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[RoleDraft], error) {
	return shownDraft(s.Draft(ctx, v, in.ID))
}

type patchDraftIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    role.RolePatch
	RawBody []byte
}

func (s *Service) patchDraft(ctx context.Context, v viewer.Viewer, in *patchDraftIn) (*httpapi.One[RoleDraft], error) {
	return shownDraft(s.PatchDraft(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

func (s *Service) dropDraft(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.None, error) {
	return nil, s.DropDraft(ctx, v, in.ID)
}

type publishIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun  bool   `query:"dry_run" doc:"Tell what would come of it, and do nothing."`
	Confirm string `query:"confirm" maxLength:"64" doc:"The plan_hash of the impact that you have seen."`
}

func published(p RolePublication, err error) (*httpapi.One[RolePublication], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[RolePublication]{ETag: httpapi.ETag(p.Role.Version), Body: p}, nil
}

func (s *Service) publishOne(
	ctx context.Context,
	v viewer.Viewer,
	in *publishIn,
) (*httpapi.One[RolePublication], error) {
	return published(s.Publish(ctx, v, in.ID, in.IfMatch, in.Confirm, in.DryRun))
}

func (s *Service) propose(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[RolePublication], error) {
	return published(s.Propose(ctx, v, in.ID, in.IfMatch))
}

func (s *Service) withdraw(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[role.Role], error) {
	return shown(s.Withdraw(ctx, v, in.ID, in.IfMatch))
}

func (s *Service) deprecate(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[role.Role], error) {
	return shown(s.Deprecate(ctx, v, in.ID, in.IfMatch))
}

func (s *Service) retire(ctx context.Context, v viewer.Viewer, in *publishIn) (*httpapi.One[RolePublication], error) {
	return published(s.Retire(ctx, v, in.ID, in.IfMatch, in.Confirm, in.DryRun))
}

type membersIn struct {
	ID string `path:"id"`
	httpapi.Paging
	MemberFilters
}

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
	ID   string `path:"id"`
	Body NewMember
}

func (s *Service) give(ctx context.Context, v viewer.Viewer, in *roleMemberIn) (*httpapi.Created[RoleMember], error) {
	made, err := s.Give(ctx, v, in.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[RoleMember]{Location: httpapi.Prefix + base + "/" + in.ID + "/members", Body: made}, nil
}

type roleMemberEndIn struct {
	ID         string `path:"id"`
	IdentityID string `path:"identity_id"`
	Body       struct {
		EndsAt *time.Time `json:"ends_at" required:"true" doc:"Null: no end."`
	}
}

func (s *Service) limit(ctx context.Context, v viewer.Viewer, in *roleMemberEndIn) (*httpapi.One[RoleMember], error) {
	m, err := s.Limit(ctx, v, in.ID, in.IdentityID, in.Body.EndsAt)
	return &httpapi.One[RoleMember]{Body: m}, err
}

type takeIn struct {
	ID         string `path:"id"`
	IdentityID string `path:"identity_id"`
	Reason     string `query:"reason" maxLength:"1000" doc:"Why, for their history."`
}

func (s *Service) take(ctx context.Context, v viewer.Viewer, in *takeIn) (*httpapi.None, error) {
	return nil, s.Take(ctx, v, in.ID, in.IdentityID, in.Reason)
}

type versionsIn struct {
	ID string `path:"id"`
	httpapi.Paging
}

func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[RoleVersion], error) {
	walk, err := s.Cursors.Walk(v, "role-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Versions(ctx, v, in.ID, walk.Page)
	return httpapi.Out(
		walk,
		items,
		total,
		func(v RoleVersion) []string { return []string{strconv.Itoa(v.Version)} },
	), err
}

type diffIn struct {
	ID   string `path:"id"`
	From int    `query:"from" minimum:"0" maximum:"1000000000"`
	To   int    `query:"to" minimum:"0" maximum:"1000000000"`
}

func (s *Service) diff(ctx context.Context, v viewer.Viewer, in *diffIn) (*httpapi.One[RoleDiff], error) {
	out, err := s.Diff(ctx, v, in.ID, in.From, in.To)
	return &httpapi.One[RoleDiff]{Body: out}, err
}

func (s *Service) held(ctx context.Context, v viewer.Viewer, in *versionsIn) (*httpapi.ListOut[HeldRole], error) {
	walk, err := s.Cursors.Walk(v, "roles-held", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Held(ctx, v, in.ID, walk.Page)
	return httpapi.Out(walk, items, total, func(h HeldRole) []string { return []string{h.Name, h.RoleID} }), err
}

func (s *Service) export(ctx context.Context, v viewer.Viewer, _ *struct{}) (httpapi.File, error) {
	text, err := s.Export(ctx, v)
	if err != nil {
		return httpapi.File{}, err
	}
	return httpapi.File{Name: "roles.yaml", Write: func(_ context.Context, w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}, nil
}

type roleFileIn struct {
	DryRun  bool   `query:"dry_run" doc:"Tell what would come of it, and do nothing."`
	Confirm string `query:"confirm" maxLength:"64" doc:"The plan_hash of the impact that you have seen."`
	Body    struct {
		YAML string `json:"yaml" minLength:"1" maxLength:"1000000" doc:"The file, as GET …/export writes it."`
	}
}

func (s *Service) importFile(ctx context.Context, v viewer.Viewer, in *roleFileIn) (*httpapi.One[RoleImport], error) {
	if in.DryRun && in.Confirm != "" {
		return nil, fault.Coded(fault.Malformed, "conflicting_parameters", "give either dry_run or confirm, not both")
	}
	out, err := s.Import(ctx, v, in.Body.YAML, in.Confirm, in.DryRun)
	return &httpapi.One[RoleImport]{Body: out}, err
}
