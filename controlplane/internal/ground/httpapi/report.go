package httpapi

import (
	"context"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Report makes a route that answers O as JSON, or the whole of what O is a digest of as a file when asked for: by
// download=true, or by an Accept header that names the file's media type. O is the body itself; the status of success
// is 200.
func Report[I, O any](
	method, path, summary, media string,
	asked func(*I) bool,
	h Handler[I, O],
	file func(ctx context.Context, v viewer.Viewer, in *I) (File, error),
) Route {
	return Route{
		Method:  method,
		Path:    Prefix + path,
		Summary: summary,
		unkeyed: true,
		media:   []string{media},
		register: func(a *API, r Route) {
			op := r.guarded(a)
			body := a.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[O](), true, "")
			op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
				"application/json": {Schema: body}, media: {Schema: &huma.Schema{Type: "string"}},
			}}}
			operate(a, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				v := ViewerOf(ctx)
				if asked(in) {
					f, err := file(ctx, v, in)
					if err != nil {
						return nil, a.problem(ctx, err)
					}
					f.Media = media
					return a.file(ctx, f), nil
				}
				out, err := h(ctx, v, in)
				if err != nil {
					return nil, a.problem(ctx, err)
				}
				return a.json(ctx, out), nil
			})
		},
	}
}

// Whole is how the input of a Report says that the whole is wanted. Embed it in the input struct.
type Whole struct {
	// Answer everything as a file instead of a digest.
	Download bool   `query:"download"`
	Accept   string `header:"Accept" hidden:"true"`
}

// Wanted says whether the whole is asked for, in a media type.
func (w Whole) Wanted(media string) bool {
	return w.Download || strings.Contains(w.Accept, media) && !strings.Contains(w.Accept, "application/json")
}
