package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Streamer prepares a stream: what fails before the first event is an ordinary problem. The returned function runs
// until the stream ends or ctx does.
type Streamer[I any] func(ctx context.Context, v viewer.Viewer, in *I) (func(ctx context.Context, e *sse.Events) error,
	error)

// Stream makes a route that answers text/event-stream.
func Stream[I any](method, path, summary string, h Streamer[I]) Route {
	return Route{
		Method:  method,
		Path:    Prefix + path,
		Summary: summary,
		unkeyed: true,
		media:   []string{"text/event-stream"},
		register: func(a *API, r Route) {
			op := r.guarded(a)
			op.Responses = map[string]*huma.Response{"200": {
				Description: "A stream of events",
				Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}},
			}}
			operate(a, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				v := ViewerOf(ctx)
				return a.stream(
					ctx,
					v,
					func() (func(context.Context, *sse.Events) error, error) { return h(ctx, v, in) },
				)
			})
		},
	}
}

// stream opens a stream within the limits of how many there may be. prepare fails with an ordinary problem.
func (a *API) stream(
	ctx context.Context,
	v viewer.Viewer,
	prepare func() (func(context.Context, *sse.Events) error, error),
) (*huma.StreamResponse, error) {
	leave, err := a.streams.Enter(v)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	run, err := prepare()
	if err != nil {
		leave()
		return nil, a.problem(ctx, err)
	}
	return a.events(ctx, leave, run), nil
}

func (a *API) events(
	ctx context.Context,
	leave func(),
	run func(ctx context.Context, e *sse.Events) error,
) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		hc.SetHeader("Content-Type", "text/event-stream; charset=utf-8")
		hc.SetHeader("X-Accel-Buffering", "no")
		hc.SetStatus(http.StatusOK)
		if hc.Method() == http.MethodHead {
			return
		}
		outlast(ctx)
		ctx, stop := whileValid(ctx)
		defer stop()
		if err := run(
			ctx,
			sse.New(hc),
		); err != nil && ctx.Err() == nil &&
			!strings.Contains(err.Error(), "broken pipe") {
			a.cfg.Log.WarnContext(ctx, "event stream ended", "request_id", RequestID(ctx), "err", err)
		}
	}}
}
