package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Events sends server-sent events (WHATWG HTML, section 9.2).
type Events struct {
	ctx huma.Context
	rc  *http.ResponseController
	n   int
}

// Send writes one event and flushes it. id lets a client continue after a cut through Last-Event-ID; empty: a running
// number.
func (e *Events) Send(event, id string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	e.n++
	if id == "" {
		id = fmt.Sprint(e.n)
	}
	if _, err := fmt.Fprintf(e.ctx.BodyWriter(), "event: %s\nid: %s\ndata: %s\n\n", event, id, b); err != nil {
		return err
	}
	return e.flush()
}

// Ping keeps intermediaries from closing a quiet stream.
func (e *Events) Ping() error {
	if _, err := e.ctx.BodyWriter().Write([]byte(": ping\n\n")); err != nil {
		return err
	}
	return e.flush()
}

func (e *Events) flush() error {
	if e.rc == nil {
		w, ok := e.ctx.BodyWriter().(http.ResponseWriter)
		if !ok {
			return nil
		}
		e.rc = http.NewResponseController(w)
	}
	// A stream outlives the server's write timeout, which is meant for ordinary answers.
	_ = e.rc.SetWriteDeadline(time.Now().Add(30 * time.Second))
	return e.rc.Flush()
}

// Streamer prepares a stream: what fails before the first event is an ordinary problem. The returned function runs
// until the stream ends or ctx does.
type Streamer[I any] func(ctx context.Context, v viewer.Viewer, in *I) (func(ctx context.Context, e *Events) error,
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
				return a.stream(ctx, v, func() (func(context.Context, *Events) error, error) { return h(ctx, v, in) })
			})
		},
	}
}

// stream opens a stream within the limits of how many there may be. prepare fails with an ordinary problem.
func (a *API) stream(
	ctx context.Context,
	v viewer.Viewer,
	prepare func() (func(context.Context, *Events) error, error),
) (*huma.StreamResponse, error) {
	leave, err := a.streams.enter(v)
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
	run func(ctx context.Context, e *Events) error,
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
			&Events{ctx: hc},
		); err != nil && ctx.Err() == nil &&
			!strings.Contains(err.Error(), "broken pipe") {
			a.cfg.Log.WarnContext(ctx, "event stream ended", "request_id", RequestID(ctx), "err", err)
		}
	}}
}
