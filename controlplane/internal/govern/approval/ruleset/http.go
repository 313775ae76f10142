package ruleset

import (
	"context"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// base is the path of approval rules.
const base = "/approval-rules"

const (
	aboutRules = "An approval rule determines who approves a request. It has branches, of which the first one with a " +
		"matching condition applies. A branch has stages with groups of " +
		"approvers, all of which must agree. If no rule matches, the manager decides, and for high or critical risk " +
		"also the owner. Requesters never approve " +
		"their own requests. If there is no other approver, the administrators decide. A changed rule applies to new " +
		"requests; submitted requests keep their version."
	aboutDelete = "A rule that a role, an entitlement or another rule uses cannot be deleted: 409 " +
		"approval_rule_in_use, with these in used_by. Its versions are kept."
	aboutDisable = "The rule no longer applies to new requests. Rules that refer to it still use it, and submitted " +
		"requests keep it."
	aboutSimulate = "Resolves the approvers of a hypothetical request, exactly as for a real one. With rule, an " +
		"unsaved draft, that rule is " +
		"used, and instead_of names the rule that would apply otherwise. resolution_log lists every step of the " +
		"resolution."
	aboutCoverage = "Requestable roles and entitlements without a rule of their own: the default rule, or the " +
		"built-in rule, applies to them. With gap=unavailable, requestable roles and entitlements with approvers who " +
		"cannot decide at present. Both lists name these approvers in unavailable."
)

// Routes are the paths under /approval-rules. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return append([]httpapi.Route{
		httpapi.Handle("GET", base, "List approval rules", s.list).For(both...).Describe(aboutRules),
		httpapi.Handle("POST", base, "Create an approval rule", s.post).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutRules),
		httpapi.Handle("POST", base+"/simulate", "Simulate an approval", s.simulate).
			For(viewer.Admin).
			Status(200).
			Describe(aboutSimulate),
		httpapi.Handle("GET", base+"/coverage", "List gaps of approval rules", s.coverage).
			For(both...).
			Describe(aboutCoverage),
		httpapi.Handle("GET", base+"/{id}", "Retrieve an approval rule", s.one).For(both...),
		httpapi.Handle("PATCH", base+"/{id}", "Update an approval rule", s.patch).For(viewer.Admin).Errors(409, 412).
			Describe("branches is replaced as a whole."),
		httpapi.Handle("DELETE", base+"/{id}", "Delete an approval rule", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe(aboutDelete),
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of an approval rule", s.versions).For(both...),
		httpapi.Handle("POST", base+"/{id}/enable", "Enable an approval rule", s.enable).
			For(viewer.Admin).
			Status(200).
			Errors(412),
		httpapi.Handle("POST", base+"/{id}/disable", "Disable an approval rule", s.disable).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutDisable),
	}, s.calendars().Routes()...)
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET /approval-rules.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[rule.ApprovalRule], error) {
	walk, err := s.Cursors.Walk(v, "approval-rules", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.after), err
}

type idIn struct {
	// ID of the approval rule.
	ID string `path:"id"`
}

// one is GET of an approval rule.
func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[rule.ApprovalRule], error) {
	return shown(s.Read(ctx, v, in.ID))
}

// shown is the response with a rule and its version as ETag.
func shown(r rule.ApprovalRule, err error) (*httpapi.One[rule.ApprovalRule], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[rule.ApprovalRule]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}

// postIn is the input of post. RawBody tells an absent member from one that is false.
type postIn struct {
	Body    rule.ApprovalRuleFields
	RawBody []byte
}

// post is POST /approval-rules.
func (s *Service) post(ctx context.Context, v viewer.Viewer, in *postIn) (*httpapi.Created[rule.ApprovalRule], error) {
	made, err := s.Create(ctx, v, New{ApprovalRuleFields: sent(in.Body, in.RawBody)})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[rule.ApprovalRule]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type patchIn struct {
	// ID of the approval rule.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    rule.ApprovalRuleFields
	RawBody []byte
}

// patch is PATCH of an approval rule (RFC 7396).
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[rule.ApprovalRule], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type matchIn struct {
	// ID of the approval rule.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of an approval rule.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

// enable is POST …/enable.
func (s *Service) enable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[rule.ApprovalRule], error) {
	return shown(s.Enable(ctx, v, in.ID, in.IfMatch))
}

// disable is POST …/disable.
func (s *Service) disable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[rule.ApprovalRule], error) {
	return shown(s.Disable(ctx, v, in.ID, in.IfMatch))
}

type versionsIn struct {
	// ID of the approval rule.
	ID string `path:"id"`
	httpapi.Paging
}

// versions is GET of the versions of a rule, the newest first.
func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[ApprovalRuleVersion], error) {
	walk, err := s.Cursors.Walk(v, "approval-rule-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Versions(ctx, v, in.ID, walk.Page)
	return httpapi.Out(
		walk,
		items,
		total,
		func(v ApprovalRuleVersion) []string { return []string{strconv.Itoa(v.Version)} },
	), err
}

// simulateIn is the input of simulate.
type simulateIn struct{ Body ApprovalTrial }

// simulate is POST …/simulate: who would have to approve.
func (s *Service) simulate(
	ctx context.Context,
	v viewer.Viewer,
	in *simulateIn,
) (*httpapi.One[ApprovalSimulation], error) {
	out, err := s.Simulate(ctx, v, in.Body)
	return &httpapi.One[ApprovalSimulation]{Body: out}, err
}

// coverageIn is the input of coverage.
type coverageIn struct {
	httpapi.Paging
	CoverageFilters
}

// coverage is GET of the roles and entitlements without a rule of their own.
func (s *Service) coverage(
	ctx context.Context,
	v viewer.Viewer,
	in *coverageIn,
) (*httpapi.ListOut[ApprovalGap], error) {
	walk, err := s.Cursors.Walk(v, "approval-rule-coverage", in.Paging, in.CoverageFilters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Coverage(ctx, v, in.CoverageFilters, walk.Page)
	return httpapi.Out(walk, items, total, func(g ApprovalGap) []string { return []string{g.ID, g.ID} }), err
}
