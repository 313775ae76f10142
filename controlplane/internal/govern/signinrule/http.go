package signinrule

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const base = "/settings/sign-in-rules"

const (
	aboutCreate = "A rule gives console sign-in to people: to everyone who manages people or owns access, and who " +
		"meets a condition. New people get it, and users of the rule who no longer match are disabled. Users that an " +
		"administrator created are not changed. Call preview first."
	aboutPatch = "A JSON merge patch (RFC 7396). If the rule is enabled, it is evaluated for everyone. A rule that " +
		"is disabled takes sign-in from its people at once. A hold ends."
	aboutDelete = "The people of the rule lose sign-in at once, unless another rule gives it to them."
	aboutAccept = "Evaluates the rule for everyone without its limit, and ends the hold."
	aboutDryRun = "Who would get and lose sign-in. Nothing changes."
)

// Routes are the paths under /settings/sign-in-rules. No service token may write there: with a rule it could make
// itself a user.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		httpapi.Handle("GET", base, "List sign-in rules", s.list).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", base, "Create a sign-in rule", s.create).
			For(viewer.Admin).Status(http.StatusCreated).Errors(409).ForPeople().Describe(aboutCreate),
		httpapi.Handle("POST", base+"/preview", "Preview a sign-in rule", s.dryRun).
			For(viewer.Admin).Status(http.StatusOK).LongRunning().ForPeople().Describe(aboutDryRun),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a sign-in rule", s.read).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PATCH", base+"/{id}", "Update a sign-in rule", s.patch).
			For(viewer.Admin).Errors(409, 412).ForPeople().Describe(aboutPatch),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a sign-in rule", s.remove).
			For(viewer.Admin).Status(http.StatusNoContent).Errors(412).ForPeople().Describe(aboutDelete),
		httpapi.Handle("POST", base+"/{id}/accept", "Accept the losses of a held sign-in rule", s.accept).
			For(viewer.Admin).Status(http.StatusOK).Errors(409, 412).LongRunning().ForPeople().Describe(aboutAccept),
	}
	for i := range routes {
		routes[i] = routes[i].Tag("settings").Scope("users")
	}
	return routes
}

type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET of the rules.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[SignInRule], error) {
	walk, err := s.Cursors.Walk(v, "sign-in-rules", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	var items []SignInRule
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = listing.Fetch[SignInRule](ctx, tx, in.query(), walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, func(r SignInRule) []string { return []string{r.Name, r.ID} }), err
}

// create is POST of a rule.
func (s *Service) create(ctx context.Context, v viewer.Viewer, in *struct{ Body NewSignInRule }) (
	*httpapi.Created[SignInRule], error,
) {
	r, err := s.Create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[SignInRule]{
		Location: httpapi.Prefix + base + "/" + r.ID, ETag: httpapi.ETag(r.Version), Body: r,
	}, nil
}

// dryRun is POST …/preview.
func (s *Service) dryRun(ctx context.Context, v viewer.Viewer, in *struct{ Body SignInRulePreviewRequest }) (
	*httpapi.One[SignInRulePreview], error,
) {
	p, err := s.Preview(ctx, v, in.Body)
	return &httpapi.One[SignInRulePreview]{Body: p}, err
}

type oneIn struct {
	// ID of the rule.
	ID string `path:"id"`
}

// read is GET of one rule.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[SignInRule], error) {
	var r SignInRule
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) { r, err = find(ctx, tx, in.ID, ""); return err })
	return shown(r, err)
}

type patchIn struct {
	// ID of the rule.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    SignInRulePatch
	RawBody []byte
}

// patch is PATCH of a rule.
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[SignInRule], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type matchIn struct {
	// ID of the rule.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of a rule.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

// accept is POST …/accept.
func (s *Service) accept(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[SignInRule], error) {
	return shown(s.Accept(ctx, v, in.ID, in.IfMatch))
}

// shown is the response with a rule and its version as ETag.
func shown(r SignInRule, err error) (*httpapi.One[SignInRule], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[SignInRule]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}
