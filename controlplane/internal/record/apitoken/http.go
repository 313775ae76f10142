package apitoken

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutCreate = "The token is only in this response. It may do what its scopes and its role both allow, while its " +
		"creator is an " +
		"active administrator. It expires at expires_at, by default after 90 days, and is disabled if it is unused " +
		"for 60 days."
	aboutPatch = "A JSON merge patch (RFC 7396). It takes effect at once on this server and within five seconds on " +
		"all. While a token is disabled, the tokens that it created are disabled too; its successor is not, so that " +
		"you can disable an old token before you revoke it."
	aboutRotate = "Returns a new token with the same permissions and lifetime. The old token stays valid for the " +
		"overlap, so that integrations can change over."
	aboutRevoke = "The token stops working on all servers within five seconds, with all tokens that it created. It " +
		"stays in the list as revoked."
)

// Routes are the paths under /settings/api-tokens. Administrators write; auditors read as well, though never a token.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		httpapi.Handle("GET", "/settings/api-tokens", "List service tokens", s.list).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", "/settings/api-tokens", "Create a service token", s.create).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Describe(aboutCreate),
		httpapi.Handle("GET", "/settings/api-tokens/scopes", "List service token scopes", s.scopes).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("GET", "/settings/api-tokens/{id}", "Retrieve a service token", s.read).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PATCH", "/settings/api-tokens/{id}", "Update a service token", s.patch).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutPatch),
		httpapi.Handle("POST", "/settings/api-tokens/{id}/rotate", "Rotate a service token", s.rotate).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutRotate),
		httpapi.Handle("DELETE", "/settings/api-tokens/{id}", "Revoke a service token", s.revoke).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(412).
			Describe(aboutRevoke),
	}
	for i := range routes {
		routes[i] = routes[i].Tag("settings").Scope("tokens")
	}
	return routes
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET /settings/api-tokens.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Token], error) {
	walk, err := s.Cursors.Walk(v, "api-tokens", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	var items []placed
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = list(ctx, tx, in.Filters, walk.Page, s.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	page := httpapi.Out(walk, items, total, func(p placed) []string { return []string{p.place, p.ID} }).Body
	out := &httpapi.ListOut[Token]{
		Body: httpapi.List[Token]{
			Items:      []Token{},
			Total:      page.Total,
			Limit:      page.Limit,
			Offset:     page.Offset,
			NextCursor: page.NextCursor,
		},
	}
	for _, p := range page.Items {
		out.Body.Items = append(out.Body.Items, p.Token)
	}
	return out, nil
}

// scopes is GET of all scopes, with the operations that each opens.
func (s *Service) scopes(context.Context, viewer.Viewer, *struct{}) (*httpapi.ListOut[TokenScope], error) {
	all := Scopes(s.Offers())
	return &httpapi.ListOut[TokenScope]{
		Body: httpapi.List[TokenScope]{Items: all, Total: int64(len(all)), Limit: len(all)},
	}, nil
}

// createIn is the input of create.
type createIn struct{ Body NewToken }

// create is POST /settings/api-tokens. The response has the token itself, which is shown once.
func (s *Service) create(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[Issued], error) {
	return issued(s.Create(ctx, v, in.Body))
}

// issued is the response with a new token.
func issued(t Issued, err error) (*httpapi.Created[Issued], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Issued]{
		Location: httpapi.Prefix + "/settings/api-tokens/" + t.ID,
		ETag:     httpapi.ETag(t.Version),
		Body:     t,
	}, nil
}

type oneIn struct {
	// ID of the service token.
	ID string `path:"id"`
}

// read is GET of one token.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Token], error) {
	var t Token
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		t, err = find(ctx, tx, in.ID, s.Now(), "")
		return err
	})
	return shown(t, err)
}

type patchIn struct {
	// ID of the service token.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    TokenPatch
	RawBody []byte
}

// patch is PATCH of a token (RFC 7396).
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Token], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type rotateIn struct {
	// ID of the service token.
	ID   string `path:"id"`
	Body *TokenRotation
}

// rotate is POST …/rotate.
func (s *Service) rotate(ctx context.Context, v viewer.Viewer, in *rotateIn) (*httpapi.Created[Issued], error) {
	overlap := ""
	if in.Body != nil {
		overlap = in.Body.Overlap
	}
	return issued(s.Rotate(ctx, v, in.ID, overlap))
}

type revokeIn struct {
	// ID of the service token.
	ID string `path:"id"`
	httpapi.IfMatch
	// Also revoke what has replaced it, or anything that it made: for a token that was stolen.
	Successors bool `query:"successors"`
}

// revoke is DELETE of a token. It stays in the list as revoked.
func (s *Service) revoke(ctx context.Context, v viewer.Viewer, in *revokeIn) (*httpapi.None, error) {
	return nil, s.Revoke(ctx, v, in.ID, in.IfMatch, in.Successors)
}

// shown is the response with a token and its version as ETag.
func shown(t Token, err error) (*httpapi.One[Token], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Token]{ETag: httpapi.ETag(t.Version), Body: t}, nil
}
