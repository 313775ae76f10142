package httpapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
)

// JSONOrStream makes a route that answers with O as JSON, or with a stream of server-sent events if streams reports
// that the request asks for one. O is the body; the status of success is 200.
func JSONOrStream[I, O any](method, path, summary string, streams func(*I) bool, h Handler[I, O], s Streamer[I]) Route {
	return Route{
		Method:  method,
		Path:    Prefix + path,
		Summary: summary,
		waits:   true,
		media:   []string{"text/event-stream"},
		register: func(a *API, r Route) {
			op := r.guarded(a)
			body := a.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[O](), true, "")
			op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
				"application/json": {Schema: body}, "text/event-stream": {Schema: &huma.Schema{Type: "string"}},
			}}}
			operate(a, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				v := ViewerOf(ctx)
				if streams(in) {
					return a.stream(
						ctx,
						v,
						func() (func(context.Context, *sse.Events) error, error) { return s(ctx, v, in) },
					)
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

func (a *API) json(ctx context.Context, out any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		hc.SetStatus(http.StatusOK)
		if err := a.Huma.Marshal(hc.BodyWriter(), "application/json", out); err != nil && ctx.Err() == nil {
			a.cfg.Log.WarnContext(ctx, "answer not sent", "request_id", RequestID(ctx), "err", err)
		}
	}}
}
