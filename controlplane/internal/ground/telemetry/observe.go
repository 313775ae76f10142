package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// slow is when a request is logged at info and not at debug alone.
const slow = time.Second

// Observer watches requests. Its members are set once.
type Observer struct {
	Metrics *Metrics
	Log     *slog.Logger
	Traces  *Traces    // nil: none
	Routes  chi.Routes // what requests are routed by
	Now     func() time.Time
}

// unmatched is the route of a path that nothing is served at.
const unmatched = "unmatched"

// Around counts, logs and traces every request that next answers.
func (o *Observer) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := o.Now()
		o.Metrics.inFlight.Inc()
		defer o.Metrics.inFlight.Dec()
		route := chi.NewRouteContext()
		// the router does not name itself in a context that it is given, and looks there for whoever asks HEAD
		route.Routes = o.Routes
		noted := &notes{}
		ctx := context.WithValue(context.WithValue(r.Context(), chi.RouteCtxKey, route), notesKey{}, noted)
		ctx, span := o.start(ctx, r)
		watched := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			seen := answer{
				route:  o.templateOf(route, r),
				method: methodOf(r.Method),
				status: statusOf(r.Context(), watched),
				took:   o.Now().Sub(began),
				bytes:  watched.BytesWritten(),
			}
			// A connection that was cut off by purpose never got the status that stands in the writer.
			cause := recover()
			o.record(ctx, r, watched.Header(), seen, noted.get())
			o.end(span, seen)
			if cause != nil {
				panic(cause)
			}
		}()
		next.ServeHTTP(watched, r.WithContext(ctx))
	})
}

// answer is what became of a request.
type answer struct {
	route, method string
	status        int
	took          time.Duration
	bytes         int
}

// record counts a request that has been answered and writes it to the log: at level info if it failed
// on this side or was slow, at debug otherwise. The path itself is only logged where no route
// matched: elsewhere it holds ids. A stream or WebSocket is long by nature and not called slow.
func (o *Observer) record(ctx context.Context, r *http.Request, h http.Header, a answer, tenant string) {
	stream := a.status == http.StatusSwitchingProtocols || strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	o.Metrics.answered(a.route, a.method, strconv.Itoa(a.status), a.took, stream)
	if h.Get("Idempotent-Replayed") == "true" {
		o.Metrics.replayed.Inc()
	}
	level := slog.LevelDebug
	if a.status >= 500 || (a.took > slow && !stream) {
		level = slog.LevelInfo
	}
	if !o.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", a.method),
		slog.String("route", a.route),
		slog.Int("status", a.status),
		slog.Float64(
			"took_ms",
			float64(a.took.Microseconds())/1000,
		),
		slog.Int("bytes", a.bytes),
		slog.String(requestKey, h.Get("X-Request-Id")),
	}
	if a.route == unmatched {
		attrs = append(attrs, slog.String("path", cut(r.URL.Path)))
	}
	if tenant != "" {
		attrs = append(attrs, slog.String(tenantKey, tenant))
	}
	o.Log.LogAttrs(ctx, level, "request", attrs...)
}

// cut keeps a made-up path from filling the log.
func cut(path string) string {
	const most = 200
	if len(path) > most {
		return path[:most] + "…"
	}
	return path
}

// templateOf is the route that was taken, or that would have been, had the request not been turned away before.
func (o *Observer) templateOf(taken *chi.Context, r *http.Request) string {
	if pattern := taken.RoutePattern(); pattern != "" {
		return pattern
	}
	if pattern := o.Routes.Find(chi.NewRouteContext(), r.Method, r.URL.Path); pattern != "" {
		return pattern
	}
	return unmatched
}

// methodOf keeps made-up methods from becoming labels.
func methodOf(method string) string {
	switch method {
	case http.MethodGet,
		http.MethodHead,
		http.MethodPost,
		http.MethodPut,
		http.MethodPatch,
		http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// clientGone is the status of a request whose asker left before the answer, as nginx calls it: what failed for that
// reason is no fault of ours.
const clientGone = 499

// statusOf is the status that was sent. A connection that was taken over, as agents' are, has sent none through the
// writer.
func statusOf(asked context.Context, w middleware.WrapResponseWriter) int {
	status := w.Status()
	switch {
	case status == 0:
		return http.StatusSwitchingProtocols
	case status >= 500 && errors.Is(asked.Err(), context.Canceled):
		return clientGone
	}
	return status
}

type notesKey struct{}

// notes collect facts about a request on its way, for code outside of it.
type notes struct {
	mu     sync.Mutex
	tenant string
}

// get is the tenant, once it is known; empty before.
func (n *notes) get() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.tenant
}

// NoteTenant notes the tenant of the request that ctx belongs to.
func NoteTenant(ctx context.Context, tenant string) {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.tenant = tenant
	}
}
