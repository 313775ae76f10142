package approval

import (
	"context"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/approval-rules"

const (
	aboutRules = "An approval rule says who must agree to what is asked for: branches, of which the first whose condition is met counts, and stages of groups of " +
		"approvers, all of which must agree. Where no rule is for something, the manager is asked, and for what has high or critical risk its owner too. Nobody approves " +
		"their own request, and where nobody else can be asked the administrators are. A rule that is changed is for requests to come: those that were submitted keep theirs."
	aboutDelete   = "While a role, an entitlement or another rule uses it, that is 409 approval_rule_in_use, which names them in used_by. Its versions stay."
	aboutDisable  = "It is chosen for nothing any more; rules that use it still do, and requests that were submitted by it go on."
	aboutSimulate = "Who would be asked for a request that nobody makes: the very resolution that a request takes. With rule, a draft that need not be saved, that rule is " +
		"gone through, and instead_of says which one would be chosen otherwise. Every step that was considered stands in resolution_log."
	aboutCoverage  = "Roles and entitlements that can be asked for and have no rule of their own: the default rule is for them, or the built-in one."
	aboutCalendars = "A calendar says when people work, for the time they have to answer. A day of a duration is a working day, whatever its hours, and the rest is hours of " +
		"work: what is asked on Friday at three with P1D is due on Monday at three. One calendar is the usual one; without any, it is Monday to Friday, nine to five, in the tenant's zone."
	aboutOnCall = "People who take turns: each is on call for a shift, and then the next. When the one on call cannot be asked, the next is."
)

// Routes are the paths under /approval-rules. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return append([]httpapi.Route{
		httpapi.Handle("GET", base, "List approval rules", s.list).For(both...).Describe(aboutRules),
		httpapi.Handle("POST", base, "Create an approval rule", s.post).For(viewer.Admin).Status(http.StatusCreated).Errors(409).Describe(aboutRules),
		httpapi.Handle("POST", base+"/simulate", "Simulate who would be asked", s.simulate).For(viewer.Admin).Status(200).Describe(aboutSimulate),
		httpapi.Handle("GET", base+"/coverage", "List what has no approval rule of its own", s.coverage).For(both...).Describe(aboutCoverage),
		httpapi.Handle("GET", base+"/{id}", "Read an approval rule", s.one).For(both...),
		httpapi.Handle("PATCH", base+"/{id}", "Change an approval rule by merge patch", s.patch).For(viewer.Admin).Errors(409, 412).
			Describe("branches is replaced as a whole."),
		httpapi.Handle("DELETE", base+"/{id}", "Delete an approval rule", s.remove).For(viewer.Admin).Status(http.StatusNoContent).Errors(409, 412).Describe(aboutDelete),
		httpapi.Handle("GET", base+"/{id}/versions", "List what an approval rule has said", s.versions).For(both...),
		httpapi.Handle("POST", base+"/{id}/enable", "Switch an approval rule on", s.enable).For(viewer.Admin).Status(200).Errors(412),
		httpapi.Handle("POST", base+"/{id}/disable", "Switch an approval rule off", s.disable).For(viewer.Admin).Status(200).Errors(412).Describe(aboutDisable),
	}, append(s.calendarRoutes(), s.onCallRoutes()...)...)
}

type listIn struct {
	httpapi.Paging
	Filters
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[ApprovalRule], error) {
	walk, err := s.Cursors.Walk(v, "approval-rules", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.after), err
}

type idIn struct {
	ID string `path:"id"`
}

func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[ApprovalRule], error) {
	return shown(s.Read(ctx, v, in.ID))
}

func shown(r ApprovalRule, err error) (*httpapi.One[ApprovalRule], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[ApprovalRule]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}

type postIn struct {
	Body    ApprovalRuleFields
	RawBody []byte
}

func (s *Service) post(ctx context.Context, v viewer.Viewer, in *postIn) (*httpapi.Created[ApprovalRule], error) {
	made, err := s.Create(ctx, v, New{ApprovalRuleFields: sent(in.Body, in.RawBody)})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[ApprovalRule]{Location: httpapi.Prefix + base + "/" + made.ID, ETag: httpapi.ETag(made.Version), Body: made}, nil
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    ApprovalRuleFields
	RawBody []byte
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[ApprovalRule], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type matchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

func (s *Service) enable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[ApprovalRule], error) {
	return shown(s.Enable(ctx, v, in.ID, in.IfMatch))
}

func (s *Service) disable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[ApprovalRule], error) {
	return shown(s.Disable(ctx, v, in.ID, in.IfMatch))
}

type versionsIn struct {
	ID string `path:"id"`
	httpapi.Paging
}

func (s *Service) versions(ctx context.Context, v viewer.Viewer, in *versionsIn) (*httpapi.ListOut[ApprovalRuleVersion], error) {
	walk, err := s.Cursors.Walk(v, "approval-rule-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Versions(ctx, v, in.ID, walk.Page)
	return httpapi.Out(walk, items, total, func(v ApprovalRuleVersion) []string { return []string{strconv.Itoa(v.Version)} }), err
}

type simulateIn struct{ Body ApprovalTrial }

func (s *Service) simulate(ctx context.Context, v viewer.Viewer, in *simulateIn) (*httpapi.One[ApprovalSimulation], error) {
	out, err := s.Simulate(ctx, v, in.Body)
	return &httpapi.One[ApprovalSimulation]{Body: out}, err
}

type coverageIn struct {
	httpapi.Paging
	CoverageFilters
}

func (s *Service) coverage(ctx context.Context, v viewer.Viewer, in *coverageIn) (*httpapi.ListOut[ApprovalGap], error) {
	walk, err := s.Cursors.Walk(v, "approval-rule-coverage", in.Paging, in.CoverageFilters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Coverage(ctx, v, in.CoverageFilters, walk.Page)
	return httpapi.Out(walk, items, total, func(g ApprovalGap) []string { return []string{g.ID, g.ID} }), err
}
