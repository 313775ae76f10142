package violation

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/policies/violations"

const (
	aboutList = "Violations of separation-of-duties policies, with the access that performs each side and the " +
		"smallest sets of access whose removal ends them. Administrators and auditors see all, managers those of " +
		"their reports, and owners of entitlements those that their entitlements are part of. For owners, access " +
		"that they do not own and the cures are omitted."
	aboutRemediate = "Revokes access by the ordinary revocation of grants. remove must end the violation; " +
		"conflict.cures lists the smallest choices. The violation stays open until an evaluation no longer finds it. " +
		"409 not_a_grant names access that is not granted yet. With dry_run nothing is written."
	aboutMark = "Marks an open violation as a false positive. The mark applies to the current version of the policy " +
		"and to the access that was found. A new version, or further access that performs a side, reopens the " +
		"violation."
	aboutUnmark = "Withdraws the mark of a false positive. The violation is open again, with its history."
	aboutAssign = "Assigns the violation to a person who takes care of it. null removes the assignee."
)

// Routes are the paths under /policies/violations.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List violations", s.list).Describe(aboutList),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a violation", s.read),
		httpapi.Handle("POST", base+"/{id}/remediate", "Revoke the access of a violation", s.remediate).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutRemediate),
		httpapi.Handle("POST", base+"/{id}/false-positive", "Set a violation to false positive", s.mark).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutMark),
		httpapi.Handle("DELETE", base+"/{id}/false-positive", "Withdraw a false positive", s.unmark).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutUnmark),
		httpapi.Handle("POST", base+"/{id}/assign", "Assign a violation", s.assign).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutAssign),
	}
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET of violations.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Violation], error) {
	walk, err := s.Cursors.Walk(v, "violations", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.After), err
}

type idIn struct {
	// ID of the violation.
	ID string `path:"id"`
}

// read is GET of one violation.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Violation], error) {
	return shown(s.Read(ctx, v, in.ID))
}

// shown is the response with a violation and its version as ETag.
func shown(v Violation, err error) (*httpapi.One[Violation], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Violation]{ETag: httpapi.ETag(v.Version), Body: v}, nil
}

type remediateIn struct {
	// ID of the violation.
	ID string `path:"id"`
	httpapi.IfMatch
	// Say what it would do, and write nothing.
	DryRun bool `query:"dry_run"`
	Body   ViolationRemediation
}

// remediate is POST …/remediate.
func (s *Service) remediate(
	ctx context.Context,
	v viewer.Viewer,
	in *remediateIn,
) (*httpapi.One[ViolationRemediated], error) {
	out, err := s.Remediate(ctx, v, in.ID, in.IfMatch, in.Body, in.DryRun)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[ViolationRemediated]{ETag: httpapi.ETag(out.Violation.Version), Body: out}, nil
}

type markIn struct {
	// ID of the violation.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// Why the violation is a false positive.
		Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	}
}

// mark is POST …/false-positive.
func (s *Service) mark(ctx context.Context, v viewer.Viewer, in *markIn) (*httpapi.One[Violation], error) {
	return shown(s.Mark(ctx, v, in.ID, in.IfMatch, in.Body.Reason))
}

type matchIn struct {
	// ID of the violation.
	ID string `path:"id"`
	httpapi.IfMatch
}

// unmark is DELETE …/false-positive.
func (s *Service) unmark(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[Violation], error) {
	return shown(s.Unmark(ctx, v, in.ID, in.IfMatch))
}

type assignIn struct {
	// ID of the violation.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// ID of the identity that takes care of the violation. Null removes the assignee.
		IdentityID *string `json:"identity_id" format:"uuid"`
	}
}

// assign is POST …/assign.
func (s *Service) assign(ctx context.Context, v viewer.Viewer, in *assignIn) (*httpapi.One[Violation], error) {
	assignee := ""
	if in.Body.IdentityID != nil {
		assignee = *in.Body.IdentityID
	}
	return shown(s.Assign(ctx, v, in.ID, in.IfMatch, assignee))
}
