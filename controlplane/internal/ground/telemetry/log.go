package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"go.opentelemetry.io/otel/trace"
)

// Keys that a log line carries when they are known.
const (
	requestKey = "request_id"
	tenantKey  = "tenant"
	runKey     = "run"
	traceKey   = "trace_id"
)

// Names are what a context belongs to; empty where it belongs to nothing of the kind.
type Names struct{ Request, Tenant, Trace string }

// ContextNames returns what a context belongs to.
type ContextNames func(ctx context.Context) Names

// NewLog makes a log with lines about a request, tenant, sync run and trace, as far as ctx has them. format
// is text or json. A line stays a line, whatever stands in its values.
func NewLog(out io.Writer, level slog.Level, format string, whose ContextNames) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: clean}
	switch format {
	case "text":
		return slog.New(&handler{Handler: slog.NewTextHandler(out, options), whose: whose}), nil
	case "json":
		return slog.New(&handler{Handler: slog.NewJSONHandler(out, options), whose: whose}), nil
	}
	return nil, fmt.Errorf("log-format is text or json, not %q", format)
}

// runContext is the key of the context's value that says what work is running.
type runContext struct{}

// running is a sync run and whose it is.
type running struct{ tenant, run string }

// WithRun makes a context whose log lines name a sync run, and the tenant that it belongs to.
func WithRun(ctx context.Context, tenant, run string) context.Context {
	return context.WithValue(ctx, runContext{}, running{tenant, run})
}

// handler adds to each record what its context knows and the record does not say itself.
type handler struct {
	slog.Handler
	whose ContextNames
	said  []string // keys that the logger says on every line
}

// Handle adds the context's attributes.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	known := h.known(ctx)
	if len(known) == 0 {
		return h.Handler.Handle(ctx, r)
	}
	r = r.Clone()
	for _, a := range known {
		if !h.says(r, a.Key) {
			r.AddAttrs(a)
		}
	}
	return h.Handler.Handle(ctx, r)
}

// known is what the context knows: the request, the tenant, the run and the trace, each only if
// there is one. The tenant of a request precedes that of the work.
func (h *handler) known(ctx context.Context) (attrs []slog.Attr) {
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	names := h.whose(ctx)
	work, _ := ctx.Value(runContext{}).(running)
	if names.Tenant == "" {
		names.Tenant = work.tenant
	}
	add(requestKey, names.Request)
	add(tenantKey, names.Tenant)
	add(runKey, work.run)
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		names.Trace = span.TraceID().String() // where the request can be looked up
	}
	add(traceKey, names.Trace)
	return attrs
}

// says reports whether a line has the key already, by itself or by its logger. What a line says
// itself is never overwritten.
func (h *handler) says(r slog.Record, key string) (found bool) {
	for _, said := range h.said {
		if said == key {
			return true
		}
	}
	r.Attrs(func(a slog.Attr) bool {
		found = a.Key == key
		return !found
	})
	return found
}

// WithAttrs keeps the addition.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	said := append([]string(nil), h.said...)
	for _, a := range attrs {
		said = append(said, a.Key)
	}
	return &handler{Handler: h.Handler.WithAttrs(attrs), whose: h.whose, said: said}
}

// WithGroup keeps the addition.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{Handler: h.Handler.WithGroup(name), whose: h.whose, said: h.said}
}

// clean takes out of values what could pass for the end of a line or steer a terminal. slog escapes ASCII's control
// characters by itself; JSON leaves those beyond ASCII alone, and there are some that begin an escape sequence or turn
// the writing direction.
func clean(_ []string, a slog.Attr) slog.Attr {
	if dirty(a.Key) {
		a.Key = scrub(a.Key)
	}
	switch v := a.Value; v.Kind() {
	case slog.KindString:
		if dirty(v.String()) {
			a.Value = slog.StringValue(scrub(v.String()))
		}
	case slog.KindAny:
		if err, ok := v.Any().(error); ok && dirty(err.Error()) {
			a.Value = slog.StringValue(scrub(err.Error()))
		}
	}
	return a
}

// dirty says whether a text needs scrub, so that the usual text is not copied.
func dirty(s string) bool { return strings.ContainsFunc(s, steers) }

// steers says whether a character outside of ASCII could change how a line is displayed: control
// and format characters, such as those that reverse the direction, and separators of lines and
// paragraphs. slog escapes those of ASCII itself.
func steers(r rune) bool {
	return r > unicode.MaxASCII &&
		(unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r))
}

// scrub replaces such characters, so that a text from outside cannot make one line of a log look
// like two or hide a part of it.
func scrub(s string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
