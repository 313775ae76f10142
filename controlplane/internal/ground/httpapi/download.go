package httpapi

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// File is an answer that is written as it is read: its name for saving it, and what writes it.
type File struct {
	Name  string
	Media string // the media type, where a route has several; otherwise the route's
	Write func(ctx context.Context, w io.Writer) error
}

// Download makes a route that answers a file of a media type, or of one of several that stand behind each other with
// commas. What fails before the first byte is an ordinary problem; later the connection is cut, so that half a file
// never looks whole.
func Download[I any](
	method, path, summary, media string,
	h func(ctx context.Context, v viewer.Viewer, in *I) (File, error),
) Route {
	return Route{
		Method:  method,
		Path:    Prefix + path,
		Summary: summary,
		unkeyed: true,
		media:   strings.Split(media, ","),
		register: func(a *API, r Route) {
			op := r.guarded(a)
			content := map[string]*huma.MediaType{}
			for each := range strings.SplitSeq(media, ",") {
				content[each] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
			}
			op.Responses = map[string]*huma.Response{"200": {Description: "The file", Content: content}}
			operate(a, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				v := ViewerOf(ctx)
				file, err := h(ctx, v, in)
				if err != nil {
					return nil, a.problem(ctx, err)
				}
				if file.Media == "" {
					file.Media = media
				}
				return a.file(ctx, file), nil
			})
		},
	}
}

func (a *API) file(ctx context.Context, f File) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", f.Media)
		hc.SetHeader("Content-Disposition", `attachment; filename="`+f.Name+`"`)
		hc.SetHeader("Cache-Control", "no-store")
		hc.SetStatus(http.StatusOK)
		if hc.Method() == http.MethodHead {
			return
		}
		outlast(ctx)
		err := f.Write(ctx, response.NewSlowWriter(hc.BodyWriter()))
		if err == nil {
			return
		}
		if ctx.Err() == nil {
			a.cfg.Log.WarnContext(ctx, "file not sent to its end", "request_id", RequestID(ctx), "err", err)
		}
		panic(http.ErrAbortHandler)
	}}
}
